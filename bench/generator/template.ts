/** Stands for a key's number, of seven digits: a random one, and the next one for each further place in a request. */
export const KEY = '{{KEY}}';

/** Stands for a number of twelve digits that no request had before: an engine may skip what does not change. */
export const NEW_VALUE = '{{NEWVALUE}}';

/** A request with places that are filled anew whenever it is sent. Each place is as long as what fills it. */
export interface RequestTemplate {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The numbers that fill the places of one request. */
export interface Places {
  /** The number of its first key. */
  readonly key: number;
  /** The number of its first new value, of twelve digits. */
  readonly value: number;
}

/** A request as it is sent. */
export function fillTemplate({method, path, headers = {}, body}: RequestTemplate, places: Places): RequestTemplate {
  let {key, value} = places;
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(?:KEY|NEWVALUE)\}\}/g, place =>
      place === KEY ? String(key++).padStart(KEY.length, '0') : String(value++),
    );
  return {method, path: fill(path), headers, ...(body === undefined ? {} : {body: fill(body)})};
}

/** The bytes of a request on the wire, with its places still to be filled. */
export function formatRequest({method, path, headers = {}, body}: RequestTemplate, host: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** The JSON text of a new value of so many bytes. */
export function valueTemplate(sizeBytes: number): string {
  const head = `{"n":${NEW_VALUE},"text":"`;
  return `${head}${'x'.repeat(sizeBytes - head.length - 2)}"}`;
}
