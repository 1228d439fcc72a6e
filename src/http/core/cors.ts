import {FAULT_HEADER} from '../../protocol/headers/fault-header.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {MERGE_PATCH_TYPE} from './body.ts';
import {emptyAnswer, type HttpAnswer, type HttpRequest} from './message.ts';
import {allowedMethods, type Route} from './route.ts';

/** Time for which a browser may cache the answer to a preflight: the rules change only with a restart. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Methods of all resources. A preflight allows them all; otherwise the browser would report a CORS error instead of 404 or 405. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Returns whether a request is a preflight for a page of an allowed origin (Fetch standard, CORS protocol). */
export function isPreflight({rawHeaders}: HttpRequest, origin: string | undefined): boolean {
  return origin !== undefined && headerValues(rawHeaders, 'access-control-request-method').length > 0;
}

/** Answers OPTIONS with the methods of a resource, and a preflight with the allowed headers, even if there is no resource. */
export function answerOptions(request: HttpRequest, route: Route | undefined, origin: string | undefined): HttpAnswer {
  const headers = route === undefined ? [] : ['Allow', allowedMethods(route).join(', ')];
  // RFC 5789 section 3.1.
  if (route?.PATCH !== undefined) headers.push('Accept-Patch', MERGE_PATCH_TYPE);
  if (isPreflight(request, origin)) {
    headers.push(
      'Access-Control-Allow-Methods',
      METHODS,
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-Crewroom-Client',
    );
    headers.push('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
    // Chromium asks whether a page of the network may call this machine (Private Network Access).
    if (headerValues(request.rawHeaders, 'access-control-request-private-network').length > 0)
      headers.push('Access-Control-Allow-Private-Network', 'true');
  }
  return emptyAnswer(204, headers);
}

/** Allows the page that sent the request to read the answer. Its own `Vary` has to name `Origin` too. */
export function withCors(answered: HttpAnswer, origin: string): HttpAnswer {
  const cors = [
    'Access-Control-Allow-Origin',
    origin,
    ...(headerValues(answered.rawHeaders, 'vary').length === 0 ? ['Vary', 'Origin'] : []),
    'Access-Control-Expose-Headers',
    `ETag, Updated-At, Expires-At, Written-By, ${FAULT_HEADER}`,
  ];
  return {...answered, rawHeaders: [...answered.rawHeaders, ...cors]};
}
