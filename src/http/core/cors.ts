import {AppError} from '../../core/failures/app-error.ts';
import {API_HEADER} from '../../core/protocol/headers/api-header.ts';
import {BACKGROUND_TOKEN_HEADER} from '../../core/protocol/headers/background-token.ts';
import {FAULT_HEADER} from '../../core/protocol/headers/fault-header.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {MERGE_PATCH_TYPE} from './body.ts';
import {emptyAnswer, type HttpAnswer, type HttpRequest} from './message.ts';
import {allowedMethods, type Route} from './route.ts';

/** Time for which a browser may cache the answer to a preflight: the rules change only with a restart. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Methods of all resources. A preflight allows them all; otherwise the browser would report a CORS error instead of 404 or 405. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Headers that every page may send. The service names all of them that it reads, but for the token of backgrounds. */
const HEADERS = ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'Last-Event-ID', 'X-Crewroom-Client'];

/** A page that may read an answer. */
export interface CallingPage {
  readonly origin: string;
  /** True if the user allowed the origin by name: its page may have libraries that add headers, or send credentials, of which the service has none. */
  readonly isListed: boolean;
}

/** Returns whether a request is a preflight for a page of an allowed origin (Fetch standard, CORS protocol). */
export function isPreflight({rawHeaders}: HttpRequest, page: CallingPage | undefined): boolean {
  return page !== undefined && headerValues(rawHeaders, 'access-control-request-method').length > 0;
}

/**
 * Answers OPTIONS with a resource's methods, and a preflight with the allowed headers, even without a resource.
 *
 * @throws {AppError} `invalid-header` for a preflight that asks for a header which its page may not send: the browser reports any answer without it as
 * an error of the network, so only the log of the service can name the reason.
 */
export function answerOptions(
  request: HttpRequest,
  route: Route | undefined,
  page: CallingPage | undefined,
): HttpAnswer {
  const headers = route === undefined ? [] : ['Allow', allowedMethods(route).join(', ')];
  // RFC 5789 section 3.1.
  if (route?.PATCH !== undefined) headers.push('Accept-Patch', MERGE_PATCH_TYPE);
  if (page !== undefined && isPreflight(request, page)) {
    headers.push('Access-Control-Allow-Methods', METHODS);
    headers.push('Access-Control-Allow-Headers', grantHeaders(request, page).join(', '));
    headers.push('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
    // Chromium asks whether a page of the network may call this machine (Private Network Access).
    if (headerValues(request.rawHeaders, 'access-control-request-private-network').length > 0)
      headers.push('Access-Control-Allow-Private-Network', 'true');
  }
  return emptyAnswer(204, headers);
}

/** Name of a header that a page may ask for. Without `*`, which would stand for all headers. */
const HEADER_NAME = /^[\w.-]{1,64}$/;

/** Maximum number of further headers that a preflight may ask for: libraries add some five. */
const FURTHER_HEADERS_MAX = 32;

function grantHeaders({rawHeaders}: HttpRequest, {isListed}: CallingPage): readonly string[] {
  const asked = headerValues(rawHeaders, ASKED).flatMap(value => value.split(','));
  const known = new Set(HEADERS.map(name => name.toLowerCase()));
  const further = asked.map(name => name.trim()).filter(name => name !== '' && !known.has(name.toLowerCase()));
  if (further.length > FURTHER_HEADERS_MAX) throw refusedHeader(`it names more than ${FURTHER_HEADERS_MAX} headers`);
  for (const name of further) {
    const shown = JSON.stringify(name.slice(0, 64));
    if (name.toLowerCase() === BACKGROUND_TOKEN_HEADER)
      throw refusedHeader('no page may send the token of a background');
    if (!HEADER_NAME.test(name)) throw refusedHeader(`${shown} is no name of a header`);
    if (!isListed) throw refusedHeader(`a page of the service or of a plugin may not send ${shown}`);
  }
  return [...HEADERS, ...further];
}

/** A `Vary` that names the origin, or everything. */
const VARIES = /(?:^|[\s,])(?:origin|\*)(?:[\s,]|$)/i;

const ASKED = 'access-control-request-headers';

function refusedHeader(problem: string): AppError {
  const advice =
    'Send the request without this header; pages of an origin that --allow-origin names may send others, but none sends X-Crewroom-Token';
  return new AppError({code: 'invalid-header', header: 'Access-Control-Request-Headers', problem}, {advice});
}

/** Allows the page that sent the request to read the answer, and says that it differs by origin. */
export function withCors(answered: HttpAnswer, {origin, isListed}: CallingPage): HttpAnswer {
  const cors = [
    'Access-Control-Allow-Origin',
    origin,
    ...(isListed ? ['Access-Control-Allow-Credentials', 'true'] : []),
    ...(headerValues(answered.rawHeaders, 'vary').some(value => VARIES.test(value)) ? [] : ['Vary', 'Origin']),
    'Access-Control-Expose-Headers',
    `ETag, Retry-After, Updated-At, Expires-At, Written-By, ${API_HEADER}, ${FAULT_HEADER}`,
  ];
  return {...answered, rawHeaders: [...answered.rawHeaders, ...cors]};
}
