import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {accepts} from '../../../test/support/accepts.ts';
import {AppError} from '../failures/app-error.ts';
import type {AnyFailure} from '../failures/failure.ts';
import {parseJsonText} from './json-text.ts';

/** Every byte of ASCII, and some of the others: they are in `json-characters.test.ts`. */
const BYTES = [...Array.from({length: 0x80}, (_, byte) => byte), 0x80, 0xa0, 0xc2, 0xe9, 0xef, 0xff];

/** Texts with a place for one byte, `?`, that together reach every state of the scanner. */
const CONTEXTS = [
  ...['?', ' ?', '?1', '1?', '1 ?', '-?', '0?', '-0?', '10?', '1.?', '1.5?', '1e?', '1e+?', '1e-?', '1e5?', '1E5?'],
  ...['"?"', '"a?', '"\\?"', '"\\?0041"', '"\\u?000"', '"\\u0?00"', '"\\u00?0"', '"\\u000?"', '"é?"', '"\\"?'],
  ...['t?ue', 'tru?', 'true?', 'fals?', 'null?', 'nul?', 'n?ll', '?rue', 'f?lse'],
  ...['[?]', '[?', '[1?]', '[1?2]', '[1,?]', '[1,?2]', '[[?]]', '[[]?]', '["a"?]', '[tru?]', '[]?', '[1.5?]'],
  ...['{?}', '{?', '{"a"?1}', '{"a":?}', '{"a":1?}', '{"a":1?"b":2}', '{"a":1,?}', '{"a":1,?"b":2}', '{"a?":1}'],
  ...['{"a" ?1}', '{"a":{}?}', '{"a":[]?}', '[{}?]', '{?"a":1}', '{"a":1}?', '{}?', '[{"a":[1?]}]'],
];

describe('parseJsonText()', () => {
  for (const context of CONTEXTS) {
    test(`accepts in ${context} exactly the bytes that JSON.parse accepts`, () => {
      const [before = '', after = ''] = context.split('?');
      for (const byte of BYTES) {
        const bytes = Buffer.concat([Buffer.from(before), Uint8Array.of(byte), Buffer.from(after)]);
        assert.equal(accepts(scanPlainly, bytes), accepts(parsePlainly, bytes), bytes.toString('latin1'));
      }
    });
  }

  test('accepts any bytes exactly if they are UTF-8 and JSON', () => {
    const anyBytes = fc
      .tuple(fc.json({maxDepth: 3}), fc.uint8Array({minLength: 1, maxLength: 3}), fc.nat())
      .map(([text, piece, at]) => {
        const bytes = Buffer.from(text);
        const place = at % bytes.length;
        return Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place + 1)]);
      });
    fc.assert(
      fc.property(anyBytes, bytes => {
        assert.equal(accepts(scanPlainly, bytes), accepts(parsePlainly, bytes));
      }),
      {numRuns: 500},
    );
  });

  test('finds the first wrong byte: everything before it begins a JSON text', () => {
    const anyText = fc.string({unit: fc.constantFrom(...'{}[]",:-+.0123eE\\utrfalsn é'), maxLength: 16});
    const wrongAt = (bytes: Uint8Array): number | undefined => {
      const failure = failureOf(() => parseJsonText(bytes));
      return failure?.code === 'invalid-json' ? failure.position : undefined;
    };
    fc.assert(
      fc.property(anyText, text => {
        const bytes = Buffer.from(text);
        const position = wrongAt(bytes);
        fc.pre(position !== undefined);
        const before = wrongAt(bytes.subarray(0, position));
        assert.ok(before === undefined || before === position, `${before} before ${position}`);
      }),
      {numRuns: 1000},
    );
  });
});

/** Wrong texts, each with the expected token and the name of the byte in its place. */
const MESSAGES: readonly (readonly [text: string | Uint8Array, problem: string])[] = [
  ['{1:2}', 'expected a member name in quotes, found "1"'],
  ['{"a":1,}', 'expected a member name in quotes, found "}"'],
  ['{"a"}', 'expected ":", found "}"'],
  ['{"a":1]', 'expected "," or "}", found "]"'],
  ['{"a":1"', 'expected "," or "}", found a quote'],
  ['[1}', 'expected "," or "]", found "}"'],
  ['[1,]', 'expected a value, found "]"'],
  ['{"a":}', 'expected a value, found "}"'],
  ['falsy', 'expected "false", found "y"'],
  ['nil', 'expected "null", found "i"'],
  ['1~', 'expected the end of the text, found "~"'],
  ['1\u007f', 'expected the end of the text, found the byte 0x7f'],
  ['1\0', 'expected the end of the text, found the byte 0x00'],
  ['"\t"', 'expected no control character in a string, found the byte 0x09'],
  ['"\\ "', 'expected an escape of RFC 8259, found the byte 0x20'],
  ['1\ufeff', 'expected the end of the text, found the byte 0xef'],
  [Uint8Array.of(0xef, 0xbb), 'expected a value, found the byte 0xef'],
  [Uint8Array.of(0xff, 0xfe), 'expected a value, found the byte 0xff'],
];

describe('a failure of parseJsonText()', () => {
  for (const [text, problem] of MESSAGES) {
    test(`says: ${problem}`, () => {
      const failure = failureOf(() => parseJsonText(typeof text === 'string' ? Buffer.from(text) : text));
      assert.equal(failure?.code === 'invalid-json' && failure.problem, problem);
    });
  }
});

function scanPlainly(bytes: Uint8Array): unknown {
  return parseJsonText(bytes);
}

/** Decodes and parses with the platform. A byte order mark is kept, so that it is refused. */
function parsePlainly(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes));
}

function failureOf(run: () => unknown): AnyFailure | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error.failure;
    throw error;
  }
  return undefined;
}
