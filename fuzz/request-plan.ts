/**
 * One request as data, so that it can be printed, reduced and sent again. Texts stand for bytes, one character each,
 * and may contain tokens: see {@link Memory}.
 */
export interface RequestPlan {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: BodyPlan | undefined;
  readonly framing: Framing;
  readonly ending: Ending;
  /** Bytes to send once the connection is a web socket. */
  readonly frames?: string;
}

/** A body; repetitions are written once. */
export interface BodyPlan {
  readonly before: string;
  readonly repeated: string;
  readonly times: number;
  readonly after: string;
}

/** Framing of a body; all but the first four are wrong. */
export type Framing =
  | 'length'
  | 'chunked'
  | 'small-chunks'
  | 'chunk-extensions'
  /** Without framing, so that the body is parsed as the next request. */
  | 'unframed'
  /** The length is larger than the body, and then the connection ends. */
  | 'too-long'
  | 'too-short'
  | 'length-and-chunked'
  | 'two-lengths'
  | 'length-beyond-numbers'
  | 'negative-length'
  | 'broken-chunk'
  | 'endless-chunk';

/** Framings that every server must understand. */
export const GOOD_FRAMINGS = ['length', 'chunked', 'small-chunks', 'chunk-extensions'] as const satisfies Framing[];

/** All other framings. */
export const BAD_FRAMINGS = [
  'unframed',
  'too-long',
  'too-short',
  'length-and-chunked',
  'two-lengths',
  'length-beyond-numbers',
  'negative-length',
  'broken-chunk',
  'endless-chunk',
] as const satisfies Framing[];

/** Action of the client after it sent everything. */
export type Ending =
  | 'wait'
  /** Ends its side of the connection, and waits. */
  | 'half-close'
  /** Disconnects. */
  | 'leave'
  /** Never sends the end of the headers, or of the body. */
  | 'stall-in-headers'
  | 'stall-in-body';

/** Values from earlier answers, for later requests; plans refer to them in double braces, such as `{{etag}}`. */
export interface Memory {
  /** The Host header of the service, such as `localhost:7172`. */
  host: string;
  etag: string;
  revision: string;
  /** A cursor of a page, percent-encoded. */
  cursor: string;
  /** Lines of an export. */
  export: string;
}

/** Values before the first answer. */
export function createMemory(host: string): Memory {
  return {host, etag: '"1"', revision: '1', cursor: 'a', export: ''};
}

/** Replaces the tokens of a text by remembered values. */
export function fill(text: string, memory: Memory): string {
  if (!text.includes('{{')) return text;
  return text.replace(/\{\{(host|etag|revision|cursor|export)\}\}/g, (_, name: keyof Memory) => memory[name]);
}

/** Creates a body from a text, in UTF-8. */
export function bodyOf(text: string): BodyPlan {
  return {before: toBytes(text), repeated: '', times: 0, after: ''};
}

/** Returns the UTF-8 bytes of a text, one character each. */
export function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Returns the values of a header of a plan. */
export function headersOf({headers}: RequestPlan, name: string): readonly string[] {
  return headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}

/** Returns whether a plan is a valid request (RFC 9112), which gets exactly one answer. */
export function isWellFormed({method, target, headers, framing}: RequestPlan): boolean {
  return (
    /^(GET|HEAD|PUT|POST|PATCH|DELETE|OPTIONS)$/.test(method) &&
    /^[\x21-\x7e]+$/.test(target) &&
    headers.every(
      ([name, value]) =>
        /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) &&
        /^[\t\x20-\x7e\x80-\xff]*$/.test(value) &&
        !/^(content-length|transfer-encoding|connection|upgrade|expect|te|trailer)$/i.test(name),
    ) &&
    (GOOD_FRAMINGS as readonly Framing[]).includes(framing)
  );
}

/** Returns the bytes of a request, ready to be sent. */
export function formatPlan(plan: RequestPlan, memory: Memory): Buffer {
  const lines = [`${plan.method} ${fill(plan.target, memory)} HTTP/1.1`];
  for (const [name, value] of plan.headers) lines.push(`${name}: ${fill(value, memory)}`);
  const body = formatBody(plan.body, memory);
  const framed = plan.body === undefined ? {headers: [], body: ''} : frame(plan.framing, body);
  const head = [...lines, ...framed.headers].join('\r\n');
  if (plan.ending === 'stall-in-headers') return Buffer.from(`${head}\r\nX-Never:`, 'latin1');
  const sent = plan.ending === 'stall-in-body' ? framed.body.slice(0, -1) : framed.body;
  return Buffer.from(`${head}\r\n\r\n${sent}`, 'latin1');
}

function formatBody(plan: BodyPlan | undefined, memory: Memory): string {
  if (plan === undefined) return '';
  return fill(plan.before, memory) + plan.repeated.repeat(plan.times) + plan.after;
}

/** Returns the framing headers, and the body as it is sent. */
function frame(framing: Framing, body: string): {readonly headers: readonly string[]; readonly body: string} {
  const length = `Content-Length: ${body.length}`;
  const chunked = 'Transfer-Encoding: chunked';
  const whole = body === '' ? '0\r\n\r\n' : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  switch (framing) {
    case 'length':
      return {headers: [length], body};
    case 'chunked':
      return {headers: [chunked], body: whole};
    case 'small-chunks':
      return {headers: [chunked], body: `${splitIntoChunks(body)}0\r\n\r\n`};
    case 'chunk-extensions':
      return {headers: [chunked], body: whole.replace(/^([0-9a-f]+)/, '$1;a=b;c="d"').replace(/\r\n$/, 'X: 1\r\n\r\n')};
    case 'unframed':
      return {headers: [], body};
    case 'too-long':
      return {headers: [`Content-Length: ${body.length + 7}`], body};
    case 'too-short':
      return {headers: [`Content-Length: ${Math.floor(body.length / 2)}`], body};
    case 'length-and-chunked':
      return {headers: [length, chunked], body: whole};
    case 'two-lengths':
      return {headers: [length, `Content-Length: ${body.length + 1}`], body};
    case 'length-beyond-numbers':
      return {headers: ['Content-Length: 99999999999999999999'], body};
    case 'negative-length':
      return {headers: ['Content-Length: -1'], body};
    case 'broken-chunk':
      return {headers: [chunked], body: whole.replace(/^[0-9a-f]+/, 'z')};
    case 'endless-chunk':
      return {headers: [chunked], body: `ffffffffffffffff\r\n${body}`};
  }
}

/** Chunks of 1, 2, 3 … bytes, at most a thousand chunks. */
function splitIntoChunks(body: string): string {
  let chunks = '';
  for (let start = 0, size = 1; start < body.length; start += size, size++) {
    if (size > 1000) size = body.length - start;
    const chunk = body.slice(start, start + size);
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return chunks;
}
