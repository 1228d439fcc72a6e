import {decodeIfEncoded} from '../../../../core/domain/percent-encoding.ts';
import {contains} from '../../../../core/domain/redaction.ts';
import {AppError} from '../../../../core/failures/app-error.ts';
import {cleanText} from '../../clean-text.ts';
import type {BackEndResponse} from './back-end-request.ts';

/** Returns the failure for a redirect, with the address to configure instead; undefined for any other answer. */
export function findRedirect({url, path, status, headers, secrets}: BackEndResponse): AppError | undefined {
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === null) return undefined;
  if (!URL.canParse(location, url)) {
    const target = JSON.stringify(cleanText(location, secrets));
    return redirected({url, target, problem: 'it redirects to an invalid address'});
  }
  const from = new URL(url);
  const to = new URL(location, url);
  if (secrets.some(secret => isAdded(secret, from, to)))
    return redirected({url, target: '…', problem: 'it redirects to an address that contains a secret of the request'});
  // Without the query, which may contain secrets of this request.
  const target = cleanText(`${to.protocol}//${to.host}${to.pathname}`, []);
  if (isLoginPage(to, path))
    return redirected({url, target, problem: 'it redirects to a login page'}, LOGIN_PAGE_ADVICE);
  const scriptURL = suggest(to, {from, path});
  return redirected({
    url,
    target,
    problem: describeWay(from, to),
    ...(scriptURL === undefined ? {} : {scriptURL}),
  });
}

/**
 * Returns the target of a redirect that only removes the slash at the end of the address; undefined for any other answer.
 * Frameworks such as Laravel send it for the probe. Following it is safe: the probe has no secret, and the host is the same.
 */
export function findBareAddress({url, path, status, headers}: BackEndResponse): string | undefined {
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
}

/** Advice for a login page, whose address must not be configured. */
const LOGIN_PAGE_ADVICE =
  'The airline has to let programs reach the path of its back end without signing in on the site; if the address names a part of the site for members, configure that of the back end';

/** Returns whether the target is a login page of phpVMS, WordPress or a forum, and not the path of the call itself. */
function isLoginPage({pathname}: URL, path: string): boolean {
  const place = withoutSlash(pathname);
  if (path !== '' && place.endsWith(`/${path}`)) return false;
  return /\/(?:wp-)?(?:log|sign)[-_]?in(?:\.[a-z]{1,5})?$|\/(?:auth|sso)(?:\/|$)/i.test(place);
}

function redirected(redirect: Redirect, advice?: string): AppError {
  return new AppError({code: 'back-end-failed', stage: 'redirect', ...redirect}, {advice});
}

/** Returns whether the target contains a secret that the address of the request does not contain. */
function isAdded(secret: string, from: URL, to: URL): boolean {
  const hidden = secret.toLowerCase();
  return hidden !== '' && contains(readable(to), hidden) && !contains(readable(from), hidden);
}

/** Returns an address decoded and in lower case, for comparison. */
function readable({protocol, host, pathname}: URL): string {
  return decodeIfEncoded(`${protocol}//${host}${pathname}`).toLowerCase();
}

function describeWay(from: URL, to: URL): string {
  const isSamePlace = from.host === to.host && from.pathname === to.pathname;
  if (isSamePlace && from.protocol === to.protocol) return 'it redirects to itself';
  if (from.protocol === 'http:' && to.protocol === 'https:') return 'it redirects from http to https';
  if (from.protocol === 'https:' && to.protocol === 'http:')
    return 'it redirects from https to http, where others on the network can read the session';
  if (from.host === to.host && `${from.pathname}/` === to.pathname)
    return 'it redirects to the same address with a slash at its end';
  return from.host === to.host ? 'it redirects to another path' : 'it redirects to another host';
}

/** Returns the address to configure: the target without the path of the call. Undefined for another path. */
function suggest(to: URL, {from, path}: {readonly from: URL; readonly path: string}): string | undefined {
  const isWeb = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  const place = withoutSlash(to.pathname);
  if (!isWeb || !place.endsWith(withoutSlash(path))) return undefined;
  const directory = place.slice(0, place.length - path.length);
  const scriptURL = `${to.origin}${directory.endsWith('/') ? directory : `${directory}/`}`;
  const asked = from.href.slice(0, from.href.length - path.length);
  return scriptURL === asked ? undefined : scriptURL;
}

/** Removes the slashes at a path's end. A regular expression would take quadratic time for thousands of slashes. */
function withoutSlash(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
