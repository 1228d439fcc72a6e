import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {JsonIndex} from './json-index.ts';
import {parseInSteps, parseJsonText} from './json-text.ts';
import {runAtOnce, runInTicks, runTick, STEP_BYTES_MAX, type Steps, TICK_BYTES_MAX} from './steps.ts';

const MEBIBYTE = 1024 * 1024;

function* stepsOf(...sizes: readonly number[]): Steps<string> {
  yield* sizes;
  return 'done';
}

describe('runTick()', () => {
  test('ends with the step that reaches the limit of a tick', () => {
    const steps = stepsOf(TICK_BYTES_MAX - 1, 1, 5);
    assert.deepEqual(runTick(steps), {done: false, value: 1});
    assert.deepEqual(runTick(steps), {done: true, value: 'done'});
  });
});

describe('runInTicks()', () => {
  test('pauses between ticks, and not after the last', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => void pauses++;
    assert.equal(await runInTicks(stepsOf(TICK_BYTES_MAX, TICK_BYTES_MAX, 1), pause), 'done');
    assert.equal(pauses, 2);
  });

  test('does not pause for work that fits in one tick', async () => {
    const pause = (): Promise<void> => assert.fail('paused');
    assert.equal(await runInTicks(stepsOf(1, 2, 3), pause), 'done');
  });
});

test('runAtOnce() returns the result of all steps', () => {
  assert.equal(runAtOnce(stepsOf(1, TICK_BYTES_MAX, 1)), 'done');
});

/** Texts of one token, or of white space, of 2 MiB. */
const LONG_TOKENS = {
  'a string': `"${'x'.repeat(2 * MEBIBYTE)}"`,
  'a string of short escapes': `"${'\\n'.repeat(MEBIBYTE)}"`,
  'a string of long escapes': `"${'\\u00e9'.repeat(MEBIBYTE / 3)}"`,
  'a string of characters of three bytes': `"${'€'.repeat((2 * MEBIBYTE) / 3)}"`,
  'a member name': `{"${'x'.repeat(2 * MEBIBYTE)}":1}`,
  'white space before a value': `${' '.repeat(2 * MEBIBYTE)}1`,
  'white space after a value': `1${'\n'.repeat(2 * MEBIBYTE)}`,
  'white space in an array': `[${'\t'.repeat(2 * MEBIBYTE)}]`,
  'white space around a colon': `{"a"${' '.repeat(MEBIBYTE)}:${' '.repeat(MEBIBYTE)}1}`,
  'an integer': '1'.repeat(2 * MEBIBYTE),
  'a fraction': `0.${'1'.repeat(2 * MEBIBYTE)}`,
  'an exponent': `1e-${'0'.repeat(2 * MEBIBYTE)}`,
  'many small values': `[${'0,'.repeat(MEBIBYTE)}0]`,
} as const satisfies Record<string, string>;

/** Bytes that a step may look at beyond its limit: the longest token that is not interrupted. */
const EXCESS_BYTES_MAX = 8;

describe('no step is longer than its limit', () => {
  for (const [name, text] of Object.entries(LONG_TOKENS)) {
    test(`in ${name} of two megabytes`, () => {
      const bytes = Buffer.from(text);
      const sizes = Array.from(JsonIndex.inSteps(bytes));
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        bytes.length,
      );
      assert.ok(Math.max(...sizes) <= STEP_BYTES_MAX + EXCESS_BYTES_MAX, `${Math.max(...sizes)} bytes`);
    });
  }
});

/** Texts of several megabytes with many small values. */
const LARGE_TEXTS = {
  'an array of arrays': `[${'[],'.repeat(MEBIBYTE)}0]`,
  'an array of strings': `[${'"",'.repeat(1_000_000)}0]`,
  'an object': `{${Array.from({length: 250_000}, (_, index) => `"m${index}":1`).join(',')}}`,
} as const satisfies Record<string, string>;

describe('runInTicks() of an index', () => {
  for (const [name, text] of Object.entries(LARGE_TEXTS)) {
    test(`pauses after each 256 KiB of ${name} of megabytes`, async () => {
      let pauses = 0;
      const bytes = Buffer.from(text);
      const index = await runInTicks(JsonIndex.inSteps(bytes), async () => void pauses++);
      assert.equal(index.json(index.root).length, bytes.length);
      assert.ok(pauses > bytes.length / (256 * 1024) - 2, `${pauses} pauses`);
    });
  }
});

/** Texts that are interrupted at each of their bytes. */
const INTERRUPTED = [
  '{"a":[1,-2.5e+10,true,null],"b\\u00e9\\n":{"":"€😀\\\\"},"c":0}',
  ' [ ] ',
  '{ "a" : { } , "b" : [ [ ] , 0.0E-0 ] }\n',
  '-',
  '01',
  '-01',
  '1.',
  '1.e5',
  '1e',
  '1e+',
  '1.5.5',
  '1e5e5',
  '"a',
  '"\\u12g4"',
  '"\\x"',
  '"a\nb"',
  '{"a":1,}',
  '{"a" 1}',
  '{"a":1 "b":2}',
  '{,}',
  '[1,]',
  '[,]',
  '[1 2]',
  '[1}',
  'nul',
  '1 2',
  '',
];

describe('parseInSteps()', () => {
  for (const text of INTERRUPTED) {
    test(`comes to the same result if it is interrupted at any byte of ${JSON.stringify(text)}`, () => {
      for (let before = 0; before <= Buffer.byteLength(text); before++) {
        const bytes = Buffer.from(' '.repeat(STEP_BYTES_MAX - before) + text);
        const outcome = outcomeOf(() => runAtOnce(parseInSteps(bytes)));
        assert.deepEqual(
          outcome,
          outcomeOf(() => parseJsonText(bytes)),
        );
      }
    });
  }

  test('comes to the same ends of strings and brackets as without interruption', () => {
    const [text = ''] = INTERRUPTED;
    for (let before = 0; before <= Buffer.byteLength(text); before++) {
      const bytes = Buffer.from(' '.repeat(STEP_BYTES_MAX - before) + text);
      const index = runAtOnce(JsonIndex.inSteps(bytes));
      const members = index.members(index.root).map(({name, valueSpan}) => [name, index.json(valueSpan).toString()]);
      assert.deepEqual(members, [
        ['a', '[1,-2.5e+10,true,null]'],
        ['bé\n', '{"":"€😀\\\\"}'],
        ['c', '0'],
      ]);
    }
  });
});

function outcomeOf(parse: () => Uint8Array): unknown {
  try {
    return Buffer.from(parse()).toString();
  } catch (error) {
    return (error as {failure?: unknown}).failure ?? error;
  }
}
