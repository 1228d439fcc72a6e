import type {RecordedRequest} from 'crewroom/client/service';
import {formatCurl} from '../shell/format/format-curl.ts';

/** Headers that curl sets by itself, or that say only which program sent the request. */
const LEFT_OUT: readonly string[] = ['host', 'content-length', 'user-agent', 'upgrade'];

/** Mark that stands for values of parameters, which the service does not show. */
const MASK = '…';

/** End of a path that the service has cut. */
const CUT = '...';

/** Formats a request as a curl command; undefined if none sends it. */
export function curlOf({method, path, headers}: RecordedRequest, origin: string): string | undefined {
  const shown = Object.entries(headers).filter(
    ([name, value]) => !LEFT_OUT.includes(name) && !(name === 'accept' && value === '*/*'),
  );
  return formatCurl({method, url: origin + path, headers: Object.fromEntries(shown)});
}

/** Returns the key that a request is about; undefined if its path names none, or is cut. */
export function keyOf({path}: Pick<RecordedRequest, 'path'>): string | undefined {
  if (path.endsWith(CUT)) return undefined;
  const [, segment] = /^\/api\/store\/([^/?]+)(?:\?|$)/.exec(path) ?? [];
  try {
    return segment && decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Returns what the command of {@link curlOf} may lack, in words. */
export function lackOf({method, path}: RecordedRequest): string {
  const hasBody = !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);
  const lacks = [
    ...(path.includes(MASK) ? ['values of parameters, shown as “…”'] : []),
    ...(hasBody ? ['the body'] : []),
    'headers that are not listed above, such as Authorization, if there were any',
  ];
  return `Not kept, so add: ${lacks.join('; ')}.`;
}

/**
 * Returns whether the page may send a request again: one that only reads. A path that browsers would change, such as one with `..`, would be
 * another request.
 */
export function mayRepeat({method, path}: RecordedRequest, origin: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (!path.startsWith('/')) return false;
  const address = URL.parse(origin + path);
  return address !== null && address.origin === origin && address.pathname === path.split('?', 1)[0];
}
