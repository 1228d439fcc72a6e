/** A request. */
export interface RequestOptions {
  readonly url: string;
  /** @default 'GET' */
  readonly method?: string;
  /** Parameters that are added to the query of the URL. Those that are `null` or undefined are left out; arrays repeat their name. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Body, as JSON; texts, forms and bytes are sent as they are. `GET` and `HEAD` have none. */
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request. There is no time limit otherwise. */
  readonly signal?: AbortSignal;
}

/** An answer whose status is not 2xx. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  /** The parsed body. */
  readonly data: unknown;

  constructor(message: string, status: number, data: unknown) {
    super(message);
    this.status = status;
    this.data = data;
  }
}

/**
 * Sends a request and returns the parsed body of the answer: JSON as its value, anything else as a text, nothing as undefined.
 *
 * @param method - Only beside an address.
 * @throws {RequestError} if the status is not 2xx; what `fetch` throws if there is no answer.
 *
 * @example
 * const flights = await request({url: 'https://api.example.com/flights', params: {from: 'EDDF'}});
 */
// biome-ignore lint/suspicious/noExplicitAny: pages that are written in TypeScript use the members of an answer without a cast
export async function request<T = any>(target: string | RequestOptions, method?: string): Promise<T> {
  const options: RequestOptions = typeof target === 'string' ? {url: target, method: method ?? 'GET'} : target;
  const {url, data, headers = {}, params = {}, signal} = options;
  const verb = (options.method ?? 'GET').toUpperCase();
  const init: RequestInit = {method: verb, headers: {...headers}};
  if (signal !== undefined) init.signal = signal;
  if (data !== undefined && verb !== 'GET' && verb !== 'HEAD') setBody(init, data, headers);
  const response = await fetch(addParams(url, params), init);
  const body = parseBody(await response.text());
  if (!response.ok) throw new RequestError(describeAnswer(response, body), response.status, body);
  return body as T;
}

function setBody(init: RequestInit, data: unknown, headers: Readonly<Record<string, string>>): void {
  if (isSentAsItIs(data)) {
    init.body = data;
    return;
  }
  init.body = JSON.stringify(data);
  const hasType = Object.keys(headers).some(name => name.toLowerCase() === 'content-type');
  if (!hasType) init.headers = {...headers, 'Content-Type': 'application/json'};
}

function isSentAsItIs(data: unknown): data is BodyInit {
  if (typeof data === 'string' || data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return true;
  return data instanceof Blob || data instanceof FormData || data instanceof URLSearchParams;
}

function addParams(url: string, params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null) query.append(name, String(each));
  const added = query.toString();
  if (added === '') return url;
  const [address = '', fragment] = url.split('#', 2);
  return `${address}${address.includes('?') ? '&' : '?'}${added}${fragment === undefined ? '' : `#${fragment}`}`;
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Describes an answer by its own message, if it has one: `detail` of problem documents, `message` of most back ends. */
function describeAnswer({status, statusText}: Response, body: unknown): string {
  const {detail, message} = Object(body) as {readonly detail?: unknown; readonly message?: unknown};
  const found = [detail, message].find(each => typeof each === 'string' && each !== '');
  return typeof found === 'string' ? found : `The request failed with status ${status} ${statusText}`.trim();
}
