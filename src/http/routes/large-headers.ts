import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {readRequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {withCors} from '../core/cors.ts';
import {type JudgedRequest, judge} from '../core/guard.ts';
import {answer, type HttpAnswer, type WholeAnswer, WINDOW_HEADERS} from '../core/message.ts';
import {clearLargeCookies, type Sites} from '../core/sites.ts';
import {createTemplate} from './page-template.ts';
import {portOf} from './published-address.ts';

/**
 * Completes the answer to a request whose headers are too large, as far as its beginning shows what sent it: an allowed page may read it, a window shows
 * a page, and cookies of pages of plugins are cleared.
 *
 * @param bytes The bytes that arrived last: the beginning of the request, unless it came in parts.
 */
export function answerLargeHeaders(answered: WholeAnswer, bytes: Uint8Array, sites: Sites): HttpAnswer {
  const request = readBeginning(bytes);
  if (request === undefined) return answered;
  const {headers, rawHeaders, target} = request;
  const verdict = judge(request, sites);
  const isAdmitted = verdict.kind === 'admitted';
  if (headers.origin.length > 0) {
    const {origin, isListed} = isAdmitted ? verdict : {};
    return origin === undefined ? answered : withCors(answered, {origin, isListed: isListed === true});
  }
  const [host = ''] = headers.host;
  const isWindow = isAdmitted && headerValues(rawHeaders, 'accept').some(value => PAGE_TYPES.test(value));
  const shown = (isWindow && createPage(answered.status, host)) || answered;
  return {...shown, rawHeaders: [...shown.rawHeaders, ...clearLargeCookies(host, target)]};
}

/** Types that browsers accept in a window. They send this header before the cookies, but not all of them their Fetch Metadata. */
const PAGE_TYPES = /^text\/html,application\/xhtml\+xml/;

/** Reads the whole lines at the beginning of a request; undefined if the bytes are another part of it, or follow another request. */
function readBeginning(bytes: Uint8Array): (JudgedRequest & {readonly rawHeaders: readonly string[]}) | undefined {
  const [head = '', rest] = Buffer.from(bytes).toString('latin1').split('\r\n\r\n', 2);
  // A request before it.
  if (head.length < Math.min(DEFAULT_LIMITS.headerBytesMax, bytes.length)) return undefined;
  const [first = '', ...lines] = head.split('\r\n').slice(0, rest === undefined ? -1 : undefined);
  const [, method, target] = /^([A-Z]+) (\/[\x21-\x7e]*) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const rawHeaders = lines.flatMap(line => {
    const [name = '', ...parts] = line.split(':');
    return [name, parts.join(':').trim()];
  });
  return {method, target, rawHeaders, headers: readRequestHeaders(rawHeaders)};
}

function createPage(status: number, host: string): WholeAnswer | undefined {
  const page = readPage();
  if (page === undefined) return undefined;
  const policy = ['Content-Security-Policy', page.policy];
  const rawHeaders = [...policy, ...WINDOW_HEADERS];
  return answer(page.fill({port: String(portOf(host))}), {status, contentType: 'text/html; charset=utf-8', rawHeaders});
}

/** Its file may be gone while npm replaces the package, and nothing around this would keep the service from ending. */
function readPage(): ReturnType<typeof PAGE> | undefined {
  try {
    return PAGE();
  } catch {
    return undefined;
  }
}

const PAGE = createTemplate('large-cookies.html', ["frame-ancestors 'none'"]);
