/** An answer of the service, and the request of the plugin that it answers. */
export interface ServiceAnswer {
  readonly answer: Response;
  readonly url: string;
  readonly init: RequestInit & {readonly method: string; readonly headers: Headers};
}

export interface FollowDeps {
  readonly fetch: typeof fetch;
  /** The header that only the service may get, and its own form of an address: undefined for an address of another server. */
  readonly own: {readonly header: string; readonly urlOf: (address: string) => string | undefined};
}

/** Maximum number of redirects (Fetch standard, HTTP-redirect fetch). */
const REDIRECTS_MAX = 20;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that another origin does not get either (Fetch standard, HTTP-redirect fetch). */
const OF_ORIGIN = ['authorization', 'proxy-authorization', 'cookie', 'host'];

/**
 * Follows redirects of the service as `fetch` does, but sends the header of the service nowhere else.
 *
 * @throws {TypeError} As `fetch`, also for a request with a body that would have to be sent again.
 */
export async function followRedirects({answer, url, init}: ServiceAnswer, deps: FollowDeps): Promise<Response> {
  const {fetch, own} = deps;
  // `fetch` takes these in lower case too (Fetch standard, normalize a method).
  let [answered, place, method] = [answer, url, init.method.toUpperCase()];
  for (let count = 0; ; count++) {
    const location = REDIRECT_STATUSES.has(answered.status) ? answered.headers.get('location') : null;
    if (location === null) return answered;
    await answered.body?.cancel();
    if (count === REDIRECTS_MAX) throw failed('redirect count exceeded');
    method = methodAfter(answered.status, method);
    if (method !== 'GET' && method !== 'HEAD') throw failed('a request with a body was redirected');
    if (!URL.canParse(location, place)) throw failed('it was redirected to an address that is none');
    const next = new URL(location, place).href;
    const ownUrl = own.urlOf(next);
    const {body: _, ...sent} = {...init, method};
    if (ownUrl === undefined) return fetch(next, {...sent, headers: withoutOwn(init.headers, own.header)});
    place = ownUrl;
    answered = await fetch(ownUrl, {...sent, redirect: 'manual'});
  }
}

/** Returns the method of the next request: a form that was sent leads to a page. */
function methodAfter(status: number, method: string): string {
  const isForm = (status === 301 || status === 302) && method === 'POST';
  return isForm || (status === 303 && method !== 'HEAD') ? 'GET' : method;
}

function withoutOwn(given: Headers, ownHeader: string): Headers {
  const headers = new Headers(given);
  for (const name of [ownHeader, ...OF_ORIGIN]) headers.delete(name);
  return headers;
}

/** The form of a failed `fetch`: the error is its cause. */
function failed(problem: string): TypeError {
  return new TypeError('fetch failed', {cause: new Error(problem)});
}
