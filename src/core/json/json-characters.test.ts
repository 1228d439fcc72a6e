import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {accepts} from '../../../test/support/accepts.ts';
import {scanCharacters} from './json-characters.ts';

/** Scans a string from after its opening quote. @returns The bytes between its quotes. */
function scan(string: Uint8Array): Uint8Array {
  return string.subarray(1, scanCharacters(string, 1));
}

/** Reads a string with the platform. */
function parsePlainly(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(bytes));
}

function quoted(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(['"', ...parts, '"'].map(part => Buffer.from(part as string)));
}

/** Number of plain bytes after which a long string is certainly scanned as one. */
const PLAIN_BYTES = 1000;

/** Returns a string of plain bytes whose memory begins `shift` bytes after a multiple of four, with `more` bytes beyond {@link PLAIN_BYTES}. */
function longString(shift: number, more: number): Uint8Array {
  const string = new Uint8Array(new ArrayBuffer(2 * PLAIN_BYTES), shift, 1 + PLAIN_BYTES + more + 10).fill(0x61);
  string[0] = 0x22;
  string[string.length - 1] = 0x22;
  return string;
}

/** Returns where a scan stops, or fails and why. */
function outcomeOf(string: Uint8Array): {readonly position: number; readonly problem?: string} {
  try {
    return {position: scanCharacters(string, 1)};
  } catch (error) {
    const {failure} = error as {readonly failure: {readonly position: number; readonly problem: string}};
    return {position: failure.position, problem: failure.problem};
  }
}

/** Scans a string that must be the whole text. */
function scanWhole(string: Uint8Array): void {
  assert.equal(scanCharacters(string, 1), string.length - 1);
}

/** The first and the last character of each row of table 3-7 of the Unicode standard. */
const EDGES = [
  ...[0x80, 0x7ff, 0x800, 0xfff, 0x1000, 0xcfff, 0xd000, 0xd7ff, 0xe000, 0xffff],
  ...[0x10000, 0x3ffff, 0x40000, 0xfffff, 0x100000, 0x10ffff],
];

describe('scanCharacters()', () => {
  test('finds the closing quote of any string that JSON.stringify writes', () => {
    const anyText = fc.string({unit: fc.integer({min: 0, max: 0xffff}).map(unit => String.fromCharCode(unit))});
    fc.assert(
      fc.property(anyText, text => {
        const string = Buffer.from(JSON.stringify(text));
        assert.equal(scanCharacters(string, 1), string.length - 1);
      }),
      {numRuns: 200},
    );
  });

  test('accepts any pair of bytes exactly if JSON.parse accepts it', () => {
    for (const first of [0x00, 0x1f, 0x20, 0x5b, 0x5c, 0x7f, 0x80, 0xc1, 0xc2, 0xdf, 0xe0, 0xf4, 0xf5]) {
      const seconds = Array.from({length: 256}, (_, byte) => byte).filter(byte => first === 0x5c || byte !== 0x22);
      for (const second of seconds) {
        const string = quoted(Uint8Array.of(first, second));
        assert.equal(accepts(scan, string), accepts(parsePlainly, string), string.toString());
      }
    }
  });

  for (const codePoint of EDGES) {
    const character = Buffer.from(String.fromCodePoint(codePoint));
    test(`accepts U+${codePoint.toString(16)}`, () => {
      assert.deepEqual(Buffer.from(scan(quoted(character))), character);
    });
    test(`accepts U+${codePoint.toString(16)} with another byte in it exactly if a decoder does`, () => {
      for (let at = 0; at < character.length; at++) {
        for (let byte = 0x7f; byte <= 0xff; byte++) {
          const string = quoted(character);
          string[1 + at] = byte;
          assert.equal(accepts(scan, string), accepts(parsePlainly, string), Buffer.from(string).toString('hex'));
        }
      }
    });
    test(`refuses U+${codePoint.toString(16)} without its last byte, at its first one`, () => {
      const string = quoted('a', character.subarray(0, -1));
      const found = `0x${(character[0] ?? 0).toString(16)}`;
      const problem = `expected UTF-8, found the byte ${found}`;
      assert.throws(() => scan(string), {failure: {code: 'invalid-json', problem, position: 2}});
      assert.throws(() => scan(string.subarray(0, -1)), {failure: {code: 'invalid-json', problem, position: 2}});
    });
  }

  for (const digit of ['0', '9', 'a', 'f', 'A', 'F']) {
    test(`accepts ${digit} as each digit of an escape`, () => {
      for (let at = 0; at < 4; at++)
        assert.equal(scan(quoted(`\\u${'0'.repeat(at)}${digit}${'0'.repeat(3 - at)}`)).length, 6);
    });
  }
  for (const other of ['/', ':', '@', 'G', '`', 'g', ' ', '"']) {
    test(`refuses ${other} as each digit of an escape, at its place`, () => {
      for (let at = 0; at < 4; at++) {
        const string = quoted(`a\\u${'0'.repeat(at)}${other}${'0'.repeat(3 - at)}`);
        assert.throws(
          () => scan(string),
          (error: {failure?: {position: number}}) => error.failure?.position === 4 + at,
        );
      }
    });
  }

  test('refuses a string that ends within an escape, at its end', () => {
    for (const text of ['"a\\', '"a\\u', '"a\\u0', '"a\\u00', '"a\\u006']) {
      assert.throws(
        () => scan(Buffer.from(text)),
        (error: {failure?: {position: number}}) => error.failure?.position === text.length,
      );
    }
  });

  for (const byte of [0x00, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7e, 0x7f, 0x80, 0xc3, 0xff]) {
    test(`finds the byte 0x${byte.toString(16)} in a long string, wherever it is`, () => {
      for (let shift = 0; shift < 4; shift++) {
        for (let at = 0; at < 4; at++) {
          const string = longString(shift, at);
          string[1 + PLAIN_BYTES + at] = byte;
          const short = quoted(string.subarray(1 + PLAIN_BYTES, -1));
          const [found, expected] = [outcomeOf(string), outcomeOf(short)];
          assert.deepEqual(found, {...expected, position: expected.position + PLAIN_BYTES}, `${at} of ${shift}`);
        }
      }
    });
  }

  test('accepts any mixture of long and short pieces exactly if JSON.parse does', () => {
    const piece = fc.oneof(
      fc.nat({max: 600}).map(length => Buffer.alloc(length, 'x')),
      fc.constantFrom('é', '€', '😀', '\\"', '\\\\', '\\u00e9').map(text => Buffer.from(text)),
      fc.uint8Array({minLength: 1, maxLength: 2}).filter(bytes => !bytes.includes(0x22)),
    );
    fc.assert(
      fc.property(fc.array(piece, {maxLength: 8}), pieces => {
        const string = quoted(...pieces);
        assert.equal(accepts(scanWhole, string), accepts(parsePlainly, string), Buffer.from(string).toString('latin1'));
      }),
      {numRuns: 500},
    );
  });
});
