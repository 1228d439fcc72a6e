import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {ByteLineSplitter, concatBytes, isBlank} from './line-splitter.ts';

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function text(chunk: Uint8Array): string {
  return new TextDecoder().decode(chunk);
}

describe('bytes are cut into lines', () => {
  test('wherever the chunks end', () => {
    const lines = fc.array(fc.uint8Array({maxLength: 20}).map(line => line.map(byte => (byte === 10 ? 11 : byte))));
    fc.assert(
      fc.property(lines, fc.array(fc.nat(30)), (wanted, sizes) => {
        const whole = Uint8Array.from(wanted.flatMap(line => [...line, 10]));
        const splitter = new ByteLineSplitter(20);
        const found: (Uint8Array | undefined)[] = [];
        let at = 0;
        for (const size of sizes) {
          found.push(...splitter.push(whole.subarray(at, at + size)));
          at += size;
        }
        found.push(...splitter.push(whole.subarray(at)));
        assert.equal(splitter.end(), undefined);
        assert.deepEqual(
          found.map(line => [...(line ?? [256])]),
          wanted.map(line => [...line]),
        );
      }),
    );
  });

  test('and the last one needs no line feed', () => {
    const splitter = new ByteLineSplitter(20);
    assert.deepEqual(
      Array.from(splitter.push(bytes('a\nbc')), line => text(line ?? bytes('?'))),
      ['a'],
    );
    assert.equal(text(splitter.end() ?? bytes('?')), 'bc');
  });

  test('and one that is too long is not waited for', () => {
    const splitter = new ByteLineSplitter(3);
    assert.deepEqual([...splitter.push(bytes('ab'))], []);
    assert.deepEqual([...splitter.push(bytes('cd'))], [undefined]);
    assert.deepEqual(
      [...new ByteLineSplitter(3).push(bytes('abc\nabcd\n'))].map(line => line?.length),
      [3, undefined],
    );
  });

  test('of which some are blank', () => {
    assert.deepEqual(
      ['', '\r', ' \t', 'x', ' {'].map(line => isBlank(bytes(line))),
      [true, true, true, false, false],
    );
  });
});

describe('concatBytes()', () => {
  const cases = [
    {name: 'no parts', parts: [], bytes: []},
    {name: 'one part', parts: [[1, 2]], bytes: [1, 2]},
    {name: 'empty parts among others', parts: [[], [1], [], [2, 3], []], bytes: [1, 2, 3]},
  ];
  for (const {name, parts, bytes} of cases) {
    test(`joins ${name}`, () => {
      assert.deepEqual(concatBytes(parts.map(part => Uint8Array.from(part))), Uint8Array.from(bytes));
    });
  }

  test('returns the bytes of all parts, one after another', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), parts => {
        assert.deepEqual(
          [...concatBytes(parts)],
          parts.flatMap(part => [...part]),
        );
      }),
    );
  });

  test('copies even a single part, so that the caller may reuse its bytes', () => {
    const part = Uint8Array.of(1, 2, 3);
    const bytes = concatBytes([part]);
    part.fill(0);
    assert.deepEqual([...bytes], [1, 2, 3]);
  });

  test('reads only the bytes of a view', () => {
    const view = Uint8Array.of(0, 1, 2, 3).subarray(1, 3);
    assert.deepEqual([...concatBytes([view, view])], [1, 2, 1, 2]);
  });
});
