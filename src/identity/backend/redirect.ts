import {AppError} from '../../domain/failure.ts';
import {cleanText} from '../clean-text.ts';
import {contains} from '../redaction.ts';
import type {BackEndAnswer} from './back-end-request.ts';

/** The failure for an answer that leads elsewhere, with what to configure instead; undefined for any other answer. */
export function findRedirect({url, path, status, headers, secrets}: BackEndAnswer): AppError | undefined {
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === null) return undefined;
  if (!URL.canParse(location, url)) {
    const target = JSON.stringify(cleanText(location, secrets));
    return redirected({url, target, problem: 'it redirects to what is no address'});
  }
  const from = new URL(url);
  const to = new URL(location, url);
  if (secrets.some(secret => isAdded(secret, from, to)))
    return redirected({url, target: '…', problem: 'it redirects to an address that repeats what was sent in secret'});
  // The query may be meant for this one request, and say more than others should read.
  const target = cleanText(`${to.protocol}//${to.host}${to.pathname}`, []);
  if (isLoginPage(to, path))
    return redirected({url, target, problem: 'it redirects to a page to sign in on', hint: LOGIN_PAGE_HINT});
  const scriptURL = suggest(to, {from, path});
  return redirected({
    url,
    target,
    problem: describeWay(from, to),
    ...(scriptURL === undefined ? {} : {scriptURL}),
  });
}

/**
 * The same address without the slash at its end, where the answer leads there: frameworks such as Laravel do that, and
 * only to the back end's own address. Nothing secret was sent, and nothing is sent elsewhere, so it may be followed.
 */
export function findBareAddress({url, path, status, headers}: BackEndAnswer): string | undefined {
  const location = headers.get('location');
  if (path !== '' || status < 300 || status > 399 || location === null || !URL.canParse(location, url))
    return undefined;
  const {href} = new URL(location, url);
  return `${href}/` === new URL(url).href ? href : undefined;
}

interface Redirect {
  readonly url: string;
  readonly target: string;
  readonly problem: string;
  readonly scriptURL?: string;
  readonly hint?: string;
}

/** Programs cannot use a page, and would be told to configure its address. */
const LOGIN_PAGE_HINT =
  'The airline has to let programs reach the path of its back end without signing in on the site; if the address names a part of the site for members, configure that of the back end';

/** Names of pages to sign in on, as phpVMS, WordPress and forums have them; not the path of the call itself. */
function isLoginPage({pathname}: URL, path: string): boolean {
  const place = withoutSlash(pathname);
  if (path !== '' && place.endsWith(`/${path}`)) return false;
  return /\/(?:wp-)?(?:log|sign)[-_]?in(?:\.[a-z]{1,5})?$|\/(?:auth|sso)(?:\/|$)/i.test(place);
}

function redirected(redirect: Redirect): AppError {
  return new AppError({code: 'back-end-redirect', ...redirect});
}

/** Whether a secret stands in what would be shown of a target, and not in what was asked for, where it gives nothing away. */
function isAdded(secret: string, from: URL, to: URL): boolean {
  const hidden = secret.toLowerCase();
  return hidden !== '' && contains(readable(to), hidden) && !contains(readable(from), hidden);
}

/** An address as the one who wrote it may have meant it. */
function readable({protocol, host, pathname}: URL): string {
  const address = `${protocol}//${host}${pathname}`;
  try {
    return decodeURIComponent(address).toLowerCase();
  } catch {
    return address.toLowerCase();
  }
}

function describeWay(from: URL, to: URL): string {
  const isSamePlace = from.host === to.host && from.pathname === to.pathname;
  if (isSamePlace && from.protocol === to.protocol) return 'it redirects to itself';
  if (from.protocol === 'http:' && to.protocol === 'https:') return 'it redirects from http to https';
  if (from.protocol === 'https:' && to.protocol === 'http:')
    return 'it redirects from https to http, where everybody can read along';
  if (from.host === to.host && `${from.pathname}/` === to.pathname)
    return 'it redirects to the same address with a slash at its end';
  return from.host === to.host ? 'it redirects to another path' : 'it redirects to another host';
}

/** What to configure, where the redirect tells: the target without the path that was asked for. */
function suggest(to: URL, {from, path}: {readonly from: URL; readonly path: string}): string | undefined {
  const isWeb = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  const place = withoutSlash(to.pathname);
  if (!isWeb || !place.endsWith(withoutSlash(path))) return undefined;
  const directory = place.slice(0, place.length - path.length);
  const scriptURL = `${to.origin}${directory.endsWith('/') ? directory : `${directory}/`}`;
  const asked = from.href.slice(0, from.href.length - path.length);
  return scriptURL === asked ? undefined : scriptURL;
}

/** A path without the slashes at its end. No expression: it would look for the end from every slash of thousands. */
function withoutSlash(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
