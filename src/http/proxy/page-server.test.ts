import {expect, test} from 'vitest';
import {isRewritable, rewriteStream} from './page-server.ts';

const TEXT =
  'é "http://localhost:7172/a" http://127.0.0.1:7172 http://localhost:71720 https htt h http://localhost:7172';

/** Replaces addresses as pages of plugins need it. */
function rewrite(text: string): string {
  return text.replace(/http:\/\/(?:localhost|127\.0\.0\.1):7172(?!\d)/g, 'http://localhost:8000');
}

async function* chunksOf(...texts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* texts;
}

test('addresses are replaced wherever the chunks of a text end', async () => {
  const bytes = Buffer.from(TEXT);
  for (let first = 0; first <= bytes.length; first++)
    for (let second = first; second <= bytes.length; second += 5) {
      const chunks = chunksOf(bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second));
      const rewritten: Uint8Array[] = [];
      for await (const chunk of rewriteStream(chunks, rewrite)) rewritten.push(chunk);
      expect(Buffer.concat(rewritten).toString(), `${first} ${second}`).toBe(rewrite(TEXT));
    }
});

test('only texts that are not encoded are rewritten', () => {
  const plain = [
    'text/html; charset=utf-8',
    'text/javascript',
    'application/json',
    'image/svg+xml',
    'application/javascript',
  ];
  for (const type of plain) expect(isRewritable(['Content-Type', type]), type).toBe(true);
  for (const type of ['image/png', 'application/octet-stream', 'text/event-stream', 'application/jsonx'])
    expect(isRewritable(['Content-Type', type]), type).toBe(false);
  expect(isRewritable(['Content-Type', 'text/html', 'Content-Encoding', 'gzip'])).toBe(false);
  expect(isRewritable(['Content-Type', 'text/html', 'Content-Encoding', 'identity'])).toBe(true);
});
