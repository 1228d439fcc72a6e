import {headerValues} from '../../protocol/headers/raw-headers.ts';

/** Longest address that is replaced, with the character after it, in characters: `http://127.0.0.1:7172` and one more. */
const ADDRESS_LENGTH_MAX = 22;

/** Types of texts that may contain addresses. */
const TEXT_TYPE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|x-javascript|manifest\+json)\b|image\/svg\+xml)/i;

/** Returns whether the body of an answer is a text whose bytes are not encoded. */
export function isRewritable(rawHeaders: readonly string[]): boolean {
  const [type = ''] = headerValues(rawHeaders, 'content-type');
  const isPlain = headerValues(rawHeaders, 'content-encoding').every(coding => coding.toLowerCase() === 'identity');
  return isPlain && TEXT_TYPE.test(type);
}

/**
 * Replaces addresses in a text while it arrives.
 *
 * @param rewrite Replaces addresses, which begin with `http`, in a text of latin1 characters, one for each byte.
 */
export async function* rewriteStream(
  chunks: AsyncIterable<Uint8Array>,
  rewrite: (text: string) => string,
): AsyncGenerator<Uint8Array> {
  let kept = '';
  for await (const chunk of chunks) {
    const text = kept + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const end = findEnd(text);
    kept = text.slice(end);
    if (end > 0) yield Buffer.from(rewrite(text.slice(0, end)), 'latin1');
  }
  if (kept !== '') yield Buffer.from(rewrite(kept), 'latin1');
}

/** Returns the length of the part of a text that contains no beginning of an address that continues in the next chunk. */
function findEnd(text: string): number {
  const start = text.indexOf('http', Math.max(0, text.length - ADDRESS_LENGTH_MAX));
  return start === -1 ? text.length - (/h(?:tt?)?$/.exec(text.slice(-3))?.[0].length ?? 0) : start;
}
