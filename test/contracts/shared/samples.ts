/**
 * JSON texts that a careless store or client changes: numbers beyond JavaScript's range, duplicate names, the order of
 * members, escapes, and special names of objects.
 */
export const SAMPLE_TEXTS: readonly string[] = [
  'null',
  'true',
  '0',
  '""',
  '[]',
  '{}',
  '-0',
  '1.0',
  '1e400',
  '9007199254740993',
  '12345678901234567890',
  `${'1234567890'.repeat(1000)}`,
  '"\\ud800"',
  '"\\u0000"',
  '"é, é, €, 😀, \u2028"',
  '"\\"value\\":"',
  '{"b":1,"a":2}',
  '{"a":1,"a":2}',
  '{"__proto__":{"polluted":true},"constructor":1}',
  '{ "spaced" : [ 1 ,\n\t2 ] }',
];

/** Names that must be distinct entries: no conversion makes two of them equal, and none is special. */
export const SAMPLE_KEYS: readonly string[] = [
  'a',
  'A',
  ' a',
  'a ',
  'a.',
  '.a',
  '...',
  'a/b',
  'a//b',
  '/a',
  'a/',
  'a/../b',
  'a%2Fb',
  '%2e%2e',
  'a\\b',
  'a:b',
  'a?b=c',
  'a#b',
  'a+b',
  'a&b',
  '"value":',
  'CON',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '\u00e9',
  'e\u0301',
  '\u200b',
  '\uffff',
  '\u{10000}',
  '😀',
  'x'.repeat(512),
  `${'€'.repeat(170)}xx`,
];

/** The same keys in the order of their UTF-8 bytes, computed without the tested code. */
export function inByteOrder(keys: readonly string[]): readonly string[] {
  const encoder = new TextEncoder();
  return keys
    .map(key => ({key, bytes: encoder.encode(key)}))
    .sort((a, b) => compareBytes(a.bytes, b.bytes))
    .map(({key}) => key);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}
