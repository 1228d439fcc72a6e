import assert from 'node:assert/strict';
import {describe, expect, test} from 'vitest';
import {cpuTimeOf} from '../../../test/support/cpu-time.ts';
import {readJsonDocument} from './json-document.ts';
import {decodeJsonText} from './json-text.ts';

const BYTE_ORDER_MARK = '\ufeff';

function read(text: string | Uint8Array): unknown {
  const reading = readJsonDocument(typeof text === 'string' ? Buffer.from(text) : text);
  return 'problem' in reading ? reading.problem : [decodeJsonText(reading.json), reading.value];
}

/** An array, within arrays or objects, of this many elements. */
function nest(count: number, before = '', after = ''): string {
  return `${before}[${'0,'.repeat(count - 1)}0]${after}`;
}

const REFUSED_FOR: readonly {readonly name: string; readonly text: string | Uint8Array; readonly problem: object}[] = [
  {
    name: 'nothing',
    text: '',
    problem: {
      path: '$',
      problem: 'is not JSON in UTF-8: expected a value, found the end of the text at line 1, column 1',
    },
  },
  {
    name: 'a text that is not JSON, with the place',
    text: '{"a":tru}',
    problem: {path: '$', problem: 'is not JSON in UTF-8: expected "true", found "}" at line 1, column 9'},
  },
  {
    name: 'bytes that are not UTF-8',
    text: Uint8Array.of(0x22, 0xe9, 0x22),
    problem: {path: '$', problem: 'is not JSON in UTF-8: expected UTF-8, found the byte 0xe9 at line 1, column 2'},
  },
  {
    name: 'UTF-16, as some editors save it',
    text: Buffer.from(`${BYTE_ORDER_MARK}{}`, 'utf16le'),
    problem: {path: '$', problem: 'is not JSON in UTF-8: expected a value, found the byte 0xff at line 1, column 1'},
  },
  ...[
    [0xef, 0xbb, 0x20, 0x31],
    [0xef, 0x20, 0xbf, 0x31],
    [0x20, 0xbb, 0xbf, 0x31],
  ].map(bytes => ({
    name: `the bytes ${Buffer.from(bytes).toString('hex')}, which are not a byte order mark`,
    text: Uint8Array.from(bytes),
    problem: {
      path: '$',
      problem: `is not JSON in UTF-8: expected a value, found ${bytes[0] === 0xef ? 'the byte 0xef at line 1, column 1' : 'the byte 0xbb at line 1, column 2'}`,
    },
  })),
  {
    name: 'a byte order mark, which readers of files remove',
    text: `${BYTE_ORDER_MARK}{}`,
    problem: {
      path: '$',
      problem: 'is not JSON in UTF-8: expected a value, found a byte order mark at line 1, column 1',
    },
  },
  {
    name: '257 levels',
    text: `${'['.repeat(257)}${']'.repeat(257)}`,
    problem: {path: '$', problem: 'nests deeper than 256 levels at line 1, column 257'},
  },
  {name: '10,001 elements', text: nest(10_001), problem: {path: '$', problem: 'has more than 10000 elements'}},
  {
    name: '10,001 elements on the second level',
    text: nest(10_001, '{"a":', '}'),
    problem: {path: '$.a', problem: 'has more than 10000 elements'},
  },
  {
    name: '10,001 elements on the third level',
    text: nest(10_001, '{"a":[1,', ']}'),
    problem: {path: '$.a[1]', problem: 'has more than 10000 elements'},
  },
];

describe('readJsonDocument()', () => {
  test('returns the text as it is, and its value', () => {
    const text = '{"id": 9007199254740993, "a": [1.0, "\\u00e9"], "a": null}';
    assert.deepEqual(read(` ${text}\n`), [text, {id: 9007199254740992, a: null}]);
  });

  test('reads names of the language as members', () => {
    const [, value] = read('{"__proto__":{"polluted":true}}') as [string, object];
    assert.deepEqual(Object.keys(value), ['__proto__']);
    assert.equal('polluted' in value, false);
  });

  for (const {name, text, problem} of REFUSED_FOR) {
    test(`refuses ${name}`, () => {
      assert.deepEqual(read(text), problem);
    });
  }

  for (const [name, text] of Object.entries({
    '256 levels': `${'['.repeat(256)}${']'.repeat(256)}`,
    '10,000 elements': nest(10_000),
    '10,000 elements on the third level': nest(10_000, '[[', ']]'),
    'any number of elements on the fourth level': nest(20_000, '[[[', ']]]'),
  })) {
    test(`accepts ${name}`, () => {
      assert.deepEqual(read(text), [text, JSON.parse(text)]);
    });
  }
});

/**
 * Documents of a profile's largest size in the most expensive shapes, which must be refused before they are converted.
 */
const REFUSED = {
  'arrays without end': () => '['.repeat(16 * 1024 * 1024),
  'objects without end': () => '{"a":'.repeat(3 * 1024 * 1024),
  'a list that is too long': () => `[${'{},'.repeat(5 * 1024 * 1024)}{}]`,
  'a list that is too long in another': () => `{"airline":{"plugins":[${'[],'.repeat(5 * 1024 * 1024)}[]]}}`,
  'names without end': () => `{${'"":0,'.repeat(3 * 1024 * 1024)}"":0}`,
} as const satisfies Record<string, () => string>;

for (const [name, make] of Object.entries(REFUSED)) {
  test(`a document of ${name} is refused before it is converted`, async () => {
    const text = make();
    const bytes = Buffer.from(text);
    const compare = async (): Promise<number> => {
      const refusalMs = await cpuTimeOf(() => assert.ok('problem' in readJsonDocument(bytes)));
      return refusalMs / (await cpuTimeOf(() => convert(text)));
    };
    await expect.poll(compare).toBeLessThan(0.5);
  });
}

/** Converts a text to JavaScript values as far as it goes. */
function convert(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}
