import {notify} from './notify.js';
import {RequestError, type RequestOptions, request} from './request.js';

/** Address that plugins are written for. A service on another port replaces it in the files of pages. */
const ORIGINAL_ADDRESS = 'http://localhost:7172';

/**
 * Calls the local service and returns the parsed body of its answer. A failure is shown to the user as a notification, with the advice of the service, and thrown.
 *
 * The service is the origin of the page if it serves the page at `/plugins/…`, and `http://localhost:7172` otherwise.
 *
 * @param path - Such as `api/identity` or `api/com.example.hello/flights`.
 * @param body - Sent as JSON.
 * @throws {RequestError} if the status is not 2xx; what `fetch` throws if there is no answer.
 *
 * @example
 * const {va_user} = await localApi('api/identity');
 * await localApi('api/navigate', 'POST', {pluginID: 'com.example.hello'});
 */
// biome-ignore lint/suspicious/noExplicitAny: pages that are written in TypeScript use the members of an answer without a cast
export async function localApi<T = any>(
  path: string,
  method = 'GET',
  body?: unknown,
  options: Pick<RequestOptions, 'params' | 'signal'> = {},
): Promise<T> {
  try {
    const origin = await findService();
    const url = `${origin}/${path.replace(/^\/+/, '')}`;
    return await request<T>({...options, url, method, data: body, headers: headersFor(origin)});
  } catch (error) {
    if (options.signal?.aborted !== true) notify({type: 'danger', message: `${path}: ${describe(error)}`});
    throw error;
  }
}

/** Code of the failure of a page that the service does not know. Its advice is for programs, which can send a token. */
const UNKNOWN_CALLER = 'token-required';

function describe(error: unknown): string {
  // Browsers reject a request without an answer with a TypeError, whose message differs among them.
  if (error instanceof TypeError) return 'The local service did not respond. Is it running?';
  return error instanceof Error ? withAdvice(error) : String(error);
}

function withAdvice(error: Error): string {
  if (!(error instanceof RequestError)) return error.message;
  const {code, plugin, advice} = Object(error.data) as Readonly<Record<string, unknown>>;
  if (code === UNKNOWN_CALLER && plugin === undefined)
    return `${error.message}. Open this page in the console that "crewroom console" opens: there it is known`;
  return typeof advice === 'string' && advice !== '' ? `${error.message}. ${advice}` : error.message;
}

/** Shows a service of the same origin that no foreign page sent a request. Without https browsers do not show it at every name. Elsewhere it would need a preflight. */
function headersFor(origin: string): Readonly<Record<string, string>> {
  return origin === globalThis.location?.origin ? {'X-Crewroom-Client': '1'} : {};
}

let service: Promise<string> | undefined;

/** Finds the address of the service, once for a page. */
function findService(): Promise<string> {
  service ??= isPluginPage() ? checkOrigin(location.origin) : Promise.resolve(ORIGINAL_ADDRESS);
  return service;
}

function isPluginPage(): boolean {
  return (
    typeof location === 'object' && /^https?:$/.test(location.protocol) && location.pathname.startsWith('/plugins/')
  );
}

/**
 * Returns the origin of a page if the service is there. The development servers of pages serve them at `/plugins/{id}/` as well, on a port of
 * their own.
 *
 * @throws {RequestError} if the status is 5xx; what `fetch` throws if there is no answer.
 */
async function checkOrigin(origin: string): Promise<string> {
  if (origin === ORIGINAL_ADDRESS) return origin;
  try {
    const about = await request<unknown>({url: `${origin}/api`, headers: headersFor(origin)});
    const {name} = Object(about) as {readonly name?: unknown};
    return name === 'crewroom' ? origin : ORIGINAL_ADDRESS;
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return ORIGINAL_ADDRESS;
    // The service may be restarting: the next call asks again. Another service may listen at the original address.
    service = undefined;
    throw error;
  }
}
