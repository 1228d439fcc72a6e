import type {CallMessage} from '../../channel/message.ts';

/** The body is not what its content type promises. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
}

/** Request that a route gets as `req`. Headers and query are parsed per access, since most routes do not use them. */
export class RoutedRequest {
  readonly method: string;
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
  /** Never undefined or null, since routes destructure it. */
  readonly body: unknown;
  readonly #rawHeaders: readonly string[];

  /** @throws {MalformedBody} */
  constructor({method, name, url, rawHeaders}: CallMessage, body: Uint8Array) {
    this.method = method;
    this.url = url;
    this.params = {handlerName: name};
    this.#rawHeaders = rawHeaders;
    this.body = body.length === 0 ? {} : readBody(body, this.headers['content-type'] ?? '');
  }

  /** By lower-case name; values of one name are joined with commas. */
  get headers(): Readonly<Record<string, string>> {
    return joinHeaders(this.#rawHeaders);
  }

  /** The last value of each parameter. */
  get query(): Readonly<Record<string, string>> {
    const start = this.url.indexOf('?');
    return start === -1 ? {} : Object.fromEntries(new URLSearchParams(this.url.slice(start)));
  }
}

function joinHeaders(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const before = headers.get(name);
    const value = rawHeaders[at + 1] ?? '';
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/**
 * Reads a body by its content type. Clients send JSON as text, as a form or without a type as well, so an object or an array is
 * recognised in these too.
 */
function readBody(bytes: Uint8Array, contentType: string): unknown {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(textOf(bytes)) ?? {};
  const isForm = type === 'application/x-www-form-urlencoded';
  if (!isForm && type !== '' && !type.startsWith('text/')) return Buffer.from(bytes);
  const text = textOf(bytes);
  return findJson(text) ?? (isForm ? Object.fromEntries(new URLSearchParams(text)) : text);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedBody('its body is not JSON', {cause: error});
  }
}

/** Parses a text that is a JSON object or array; undefined for any other text. */
function findJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
