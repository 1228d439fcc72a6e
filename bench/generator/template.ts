/**
 * Placeholder for the number of a key, seven digits: a random one, and the next one for each further placeholder in a
 * request.
 */
export const KEY = '{{KEY}}';

/** Placeholder for a number of twelve digits that no earlier request had: an engine may skip unchanged values. */
export const NEW_VALUE = '{{NEWVALUE}}';

/** A request with placeholders that are filled for each request. Each placeholder is as long as its content. */
export interface RequestTemplate {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Numbers for the placeholders of one request. */
export interface Places {
  /** Number of its first key. */
  readonly key: number;
  /** Number of its first new value, twelve digits. */
  readonly value: number;
}

/** Fills the placeholders of a request. */
export function fillTemplate({method, path, headers = {}, body}: RequestTemplate, places: Places): RequestTemplate {
  let {key, value} = places;
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(?:KEY|NEWVALUE)\}\}/g, place =>
      place === KEY ? String(key++).padStart(KEY.length, '0') : String(value++),
    );
  return {method, path: fill(path), headers, ...(body === undefined ? {} : {body: fill(body)})};
}

/** Formats the bytes of a request, with its placeholders. */
export function formatRequest({method, path, headers = {}, body}: RequestTemplate, host: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** Returns the JSON text of a new value of this many bytes. */
export function valueTemplate(sizeBytes: number): string {
  const head = `{"n":${NEW_VALUE},"text":"`;
  return `${head}${'x'.repeat(sizeBytes - head.length - 2)}"}`;
}
