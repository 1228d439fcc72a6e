import assert from 'node:assert/strict';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, assertFailsWith, infoOf, textOf} from '../shared/assertions.ts';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from '../shared/samples.ts';
import type {OpenedEntries} from './opened-entries.ts';

const NESTED_MAX = `${'['.repeat(DEFAULT_LIMITS.valueDepthMax)}${']'.repeat(DEFAULT_LIMITS.valueDepthMax)}`;

const REFUSED_VALUES: readonly {
  readonly name: string;
  readonly json: string | Uint8Array;
  readonly failure: Failure;
}[] = [
  {
    name: 'an empty text',
    json: '',
    failure: {code: 'invalid-json', problem: 'expected a value, found the end of the text', position: 0},
  },
  {
    name: 'a text with a character after it',
    json: '{} x',
    failure: {code: 'invalid-json', problem: 'expected the end of the text, found "x"', position: 3},
  },
  {
    name: 'bytes that are not UTF-8',
    json: Uint8Array.of(0x22, 0xc0, 0xae, 0x22),
    failure: {code: 'invalid-json', problem: 'expected UTF-8, found the byte 0xc0', position: 1},
  },
  {
    name: 'a byte order mark',
    json: '\ufeff1',
    failure: {code: 'invalid-json', problem: 'expected a value, found a byte order mark', position: 0},
  },
  {
    name: 'a value that nests too deep',
    json: `[${NESTED_MAX}]`,
    failure: {code: 'value-too-deep', depthMax: DEFAULT_LIMITS.valueDepthMax, position: DEFAULT_LIMITS.valueDepthMax},
  },
  {
    name: 'a value that is too large',
    json: `"${'x'.repeat(DEFAULT_LIMITS.valueBytesMax - 1)}"`,
    failure: {code: 'too-large', what: 'value', max: DEFAULT_LIMITS.valueBytesMax},
  },
  {
    name: 'a value that is too large in bytes only',
    json: `"${'€'.repeat(DEFAULT_LIMITS.valueBytesMax / 3)}"`,
    failure: {code: 'too-large', what: 'value', max: DEFAULT_LIMITS.valueBytesMax},
  },
];

/** Stored values are returned exactly, or refused. */
export const ENTRIES_VALUES: ContractPart<OpenedEntries> = {
  name: 'values',
  tests: [
    {
      name: 'keeps every value byte for byte',
      async run({entries}) {
        for (const text of SAMPLE_TEXTS) {
          await entries.put('a', Buffer.from(text));
          assert.equal(textOf(await entries.get('a')), text);
        }
      },
    },
    {
      name: 'accepts bytes like text, and copies them at the call',
      async run({entries}) {
        const bytes = new TextEncoder().encode('"é"');
        const written = entries.put('a', bytes);
        bytes.fill(0x58);
        await written;
        assert.equal(textOf(await entries.get('a')), '"é"');
      },
    },
    {
      name: 'copies them at the call, also for many concurrent calls',
      async run({entries}) {
        const shared = new Uint8Array(1);
        const digits = Array.from({length: 200}, (_, index) => String(index % 10));
        const writing = digits.map((digit, index) => {
          shared[0] = digit.charCodeAt(0);
          return entries.put(`k${index}`, shared);
        });
        await Promise.all(writing);
        for (const [index, digit] of digits.entries()) assert.equal(textOf(await entries.get(`k${index}`)), digit);
      },
    },
    {
      name: 'removes white space around a value, and none within',
      async run({entries}) {
        await entries.put('a', Buffer.from(' \r\n\t[ 1 , 2 ]\n'));
        const entry = await entries.get('a');
        assert.deepEqual([textOf(entry), entry?.sizeBytes], ['[ 1 , 2 ]', 9]);
      },
    },
    {
      name: 'keeps the largest and the deepest value',
      async run({entries}) {
        const largest = `"${'x'.repeat(DEFAULT_LIMITS.valueBytesMax - 2)}"`;
        await entries.put('largest', Buffer.from(largest));
        await entries.put('deepest', Buffer.from(NESTED_MAX));
        assert.equal(textOf(await entries.get('largest')), largest);
        assert.equal(textOf(await entries.get('deepest')), NESTED_MAX);
      },
    },
    ...REFUSED_VALUES.map(({name, json, failure}) => ({
      name: `refuses ${name}`,
      run: async ({entries}: OpenedEntries) => {
        await entries.put('a', 'before');
        await assertFails(entries.put('a', Buffer.from(json)), failure);
        assert.equal(textOf(await entries.get('a')), '"before"');
      },
    })),
    {
      name: 'returns the revision and whether the entry is new',
      async run({entries}) {
        const {etag: _, ...written} = await entries.put('a', 1);
        assert.deepEqual(written, {revision: 1, created: true});
        assert.equal((await entries.put('a', 1)).created, false);
        await entries.delete('a');
        assert.equal((await entries.put('a', 1)).created, true);
      },
    },
    {
      name: 'returns all metadata of an entry',
      async run({entries}) {
        await entries.put('other', 1);
        await entries.put('a/é', '€');
        const entry = await entries.get('a/é');
        const [listed] = (await entries.list({prefix: 'a/', values: true})).entries;
        assert.deepEqual(listed, entry);
        assert.ok(entry !== undefined, 'the entry is missing');
        const {updatedAtMs, ...others} = infoOf(entry);
        assert.deepEqual(others, {key: 'a/é', revision: 2, sizeBytes: 5});
        assert.equal(entry.json.length, 5);
        assert.equal(Number.isInteger(updatedAtMs), true);
      },
    },
  ],
};

const REFUSED_KEYS = [
  {name: 'an empty key', key: ''},
  {name: 'a dot', key: '.'},
  {name: 'two dots', key: '..'},
  {name: 'a line break', key: 'a\nb'},
  {name: 'a null character', key: '\0'},
  {name: 'a delete character', key: 'a\u007f'},
  {name: 'a lone surrogate', key: 'a\ud800'},
  {name: 'a key of 513 bytes', key: 'x'.repeat(513)},
  {name: 'a key of few characters and many bytes', key: '€'.repeat(171)},
];

/** Keys are exact, and only valid keys are accepted. */
export const ENTRIES_KEYS: ContractPart<OpenedEntries> = {
  name: 'keys',
  tests: [
    {
      name: 'keeps every key distinct from all others',
      async run({entries}) {
        for (const key of SAMPLE_KEYS) {
          assert.equal(await entries.get(key), undefined, `there is an entry under ${JSON.stringify(key)} already`);
          await entries.put(key, Buffer.from(JSON.stringify(key)));
        }
        for (const key of SAMPLE_KEYS) {
          const entry = await entries.get(key);
          assert.deepEqual([entry?.key, textOf(entry)], [key, JSON.stringify(key)]);
        }
        for (const key of SAMPLE_KEYS) {
          await entries.delete(key);
          assert.equal((await entries.delete(key)).deleted, 0);
        }
      },
    },
    ...REFUSED_KEYS.map(({name, key}) => ({
      name: `refuses ${name}`,
      run: async ({entries}: OpenedEntries) => {
        await assertFailsWith(entries.get(key), 'invalid-key');
        await assertFailsWith(entries.put(key, 1), 'invalid-key');
        await assertFailsWith(entries.delete(key), 'invalid-key');
        assert.deepEqual(await entries.list(), {entries: []});
      },
    })),
  ],
};

/** Conditions of a write or a deletion. */
export const ENTRIES_CONDITIONS: ContractPart<OpenedEntries> = {
  name: 'preconditions',
  tests: [
    {
      name: 'writes only at the expected revision',
      async run({entries}) {
        const {revision} = await entries.put('a', 1);
        await entries.put('a', 2, {expected: revision});
        await assertFails(entries.put('a', 3, {expected: revision}), conflict('a', '1', '2'));
        await entries.put('a', 3, {expected: [revision, 2]});

        await assertFails(entries.put('a', 4, {expected: [1, 2]}), conflict('a', '1 or 2', '3'));
        assert.equal(textOf(await entries.get('a')), '3');
      },
    },
    {
      name: 'writes only if there is an entry, or none',
      async run({entries}) {
        await assertFails(entries.put('a', 1, {expected: 'present'}), conflict('a', 'present', 'absent'));
        await entries.put('a', 1, {expected: 'absent'});
        await assertFails(entries.put('a', 2, {expected: 'absent'}), conflict('a', 'absent', '1'));
        await entries.put('a', 2, {expected: 'present'});
        assert.equal(textOf(await entries.get('a')), '2');
      },
    },
    {
      name: 'never writes if no revision is expected',
      async run({entries}) {
        await entries.put('a', 1);
        await assertFails(entries.put('a', 2, {expected: []}), conflict('a', '0', '1'));
        await assertFails(entries.put('a', 2, {expected: 0}), conflict('a', '0', '1'));
        await assertFails(entries.put('b', 2, {expected: 0}), conflict('b', '0', 'absent'));
        await assertFails(entries.delete('a', {expected: []}), conflict('a', '0', '1'));
      },
    },
    {
      name: 'deletes only at the expected revision',
      async run({entries}) {
        await entries.put('a', 1);
        await entries.put('a', 2);
        await assertFails(entries.delete('a', {expected: 1}), conflict('a', '1', '2'));
        await assertFails(entries.delete('b', {expected: 1}), conflict('b', '1', 'absent'));
        await entries.delete('a', {expected: [1, 2]});
        assert.equal(await entries.get('a'), undefined);
      },
    },
    {
      name: 'lets one of fifty racers win each revision',
      async run({entries}) {
        await entries.put('a', 0);
        const wins = await Promise.allSettled(
          Array.from({length: 50}, (_, racer) => entries.put('a', Buffer.from(String(racer)), {expected: 1})),
        );
        assert.equal(wins.filter(({status}) => status === 'fulfilled').length, 1);
        assert.equal((await entries.get('a'))?.revision, 2);
      },
    },
  ],
};

function conflict(key: string, expected: string, actual: string): Failure {
  return {code: 'revision-conflict', conflicts: [{key, expected, actual}]};
}
