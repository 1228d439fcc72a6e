import assert from 'node:assert/strict';
import type {Entries, ListOptions} from '../../../src/core/domain/entries/entries.ts';
import type {EntryInfo} from '../../../src/core/domain/entries/entry.ts';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, assertFailsWith, keysOf, textOf} from '../shared/assertions.ts';
import {inByteOrder, SAMPLE_KEYS, SAMPLE_TEXTS} from '../shared/samples.ts';
import type {OpenedEntries} from './opened-entries.ts';

const LIMIT_PROBLEM = `it has to be a whole number from 1 to ${DEFAULT_LIMITS.listLimitMax}`;

/** Pages of entries. */
export const ENTRIES_LISTING: ContractPart<OpenedEntries> = {
  name: 'listing',
  tests: [
    {
      name: 'lists nothing if there are no entries',
      async run({entries}) {
        assert.deepEqual(await entries.list(), {entries: []});
        assert.deepEqual(await entries.list({values: true, reverse: true}), {entries: []});
      },
    },
    {
      name: 'lists every key exactly once, whatever the size of the pages',
      async run({entries}) {
        await putAll(entries, SAMPLE_KEYS);
        const ordered = inByteOrder(SAMPLE_KEYS);
        for (const limit of [1, 2, 7, SAMPLE_KEYS.length, DEFAULT_LIMITS.listLimitMax]) {
          assert.deepEqual(keysOf(await readPages(entries, {limit})), ordered);
          assert.deepEqual(keysOf(await readPages(entries, {limit, reverse: true})), ordered.toReversed());
        }
      },
    },
    {
      name: 'returns a cursor only if another page follows',
      async run({entries}) {
        await putAll(entries, ['a', 'b', 'c', 'd']);
        const first = await entries.list({limit: 2});
        assert.deepEqual([keysOf(first.entries), first.cursor], [['a', 'b'], 'b']);
        const second = await entries.list({limit: 2, after: 'b'});
        assert.deepEqual([keysOf(second.entries), 'cursor' in second], [['c', 'd'], false]);
        assert.deepEqual(await entries.list({after: 'd'}), {entries: []});
      },
    },
    {
      name: 'lists the keys with a prefix',
      async run({entries}) {
        await putAll(entries, ['a', 'a%2F', 'a/', 'a/b', 'a0', '%61/']);
        assert.deepEqual(keysOf((await entries.list({prefix: 'a/'})).entries), ['a/', 'a/b']);
        assert.deepEqual(keysOf((await entries.list({prefix: 'a%2F'})).entries), ['a%2F']);
        assert.deepEqual(keysOf((await entries.list({prefix: '.'})).entries), []);
      },
    },
    {
      name: `has ${DEFAULT_LIMITS.listLimit} entries on a page by default`,
      async run({entries}) {
        await putAll(
          entries,
          Array.from({length: DEFAULT_LIMITS.listLimit + 1}, (_, index) => `key ${index}`),
        );
        const page = await entries.list();
        assert.deepEqual([page.entries.length, page.cursor], [DEFAULT_LIMITS.listLimit, page.entries.at(-1)?.key]);
      },
    },
    {
      name: 'returns values byte for byte if requested',
      async run({entries}) {
        for (const [index, text] of SAMPLE_TEXTS.entries()) await entries.put(`"value": ${index}`, Buffer.from(text));
        const {entries: listed} = await entries.list({values: true});
        for (const [index, text] of SAMPLE_TEXTS.entries()) {
          assert.equal(textOf(listed.find(({key}) => key === `"value": ${index}`)), text);
        }
        assert.deepEqual(Object.keys((await entries.list()).entries[0] ?? {}).sort(), INFO_MEMBERS);
      },
    },
    {
      name: 'ends a page with values early, and without an empty page at the end',
      async run({entries}) {
        const text = `"${'x'.repeat(DEFAULT_LIMITS.listValuesBytesMax / 4 - 2)}"`;
        for (let index = 0; index < 8; index++) await entries.put(`key ${index}`, Buffer.from(text));
        const first = await entries.list({values: true});
        assert.deepEqual([first.entries.length, first.cursor], [4, 'key 3']);
        const second = await entries.list({values: true, after: 'key 3'});
        assert.deepEqual([second.entries.length, 'cursor' in second], [4, false]);
      },
    },
    ...[0, -1, 1.5, DEFAULT_LIMITS.listLimitMax + 1, Number.NaN, Infinity].map(limit => ({
      name: `refuses a limit of ${limit}`,
      run: async ({entries}: OpenedEntries) => {
        await assertFails(entries.list({limit}), {
          code: 'invalid-parameter',
          parameter: 'limit',
          problem: LIMIT_PROBLEM,
        });
      },
    })),
    ...['a\nb', 'a\ud800', 'x'.repeat(513)].flatMap(text =>
      (['prefix', 'after'] as const).map(parameter => ({
        name: `refuses ${parameter} ${JSON.stringify(text.slice(0, 8))}, since no key can be like that`,
        run: async ({entries}: OpenedEntries) => {
          await assertFailsWith(entries.list({[parameter]: text}), 'invalid-parameter');
        },
      })),
    ),
  ],
};

const INFO_MEMBERS = ['etag', 'key', 'revision', 'sizeBytes', 'updatedAtMs'];

/** Deleting many entries. */
export const ENTRIES_RANGES: ContractPart<OpenedEntries> = {
  name: 'deleting a range',
  tests: [
    {
      name: 'deletes the entries with the prefix, and returns their number',
      async run({entries}) {
        await putAll(entries, ['a', 'a/', 'a/b', 'a/\u{10000}', 'a0', 'b']);
        assert.equal(await entries.deleteRange({prefix: 'a/'}), 3);
        assert.deepEqual(keysOf((await entries.list()).entries), ['a', 'a0', 'b']);
        assert.equal(await entries.deleteRange({prefix: 'a/'}), 0);
        assert.equal(await entries.deleteRange({prefix: ''}), 3);
        assert.deepEqual(await entries.list(), {entries: []});
      },
    },
    {
      name: 'deletes more than one page of entries',
      async run({entries}) {
        const count = DEFAULT_LIMITS.listLimitMax + 1;
        await fill(entries, count);
        assert.equal(await entries.deleteRange({prefix: 'key '}), count);
        assert.deepEqual(await entries.list(), {entries: []});
      },
    },
    {
      name: 'refuses a prefix that no key can have',
      async run({entries}) {
        await entries.put('a', 1);
        await assertFailsWith(entries.deleteRange({prefix: '\n'}), 'invalid-parameter');
        await assertFailsWith(entries.deleteRange({prefix: '\udc00'}), 'invalid-parameter');
        assert.equal((await entries.list()).entries.length, 1);
      },
    },
  ],
};

/** Writes many entries, a few at a time. */
async function putAll(entries: Entries, keys: readonly string[]): Promise<void> {
  const AT_ONCE = 50;
  for (let index = 0; index < keys.length; index += AT_ONCE) {
    await Promise.all(keys.slice(index, index + AT_ONCE).map(key => entries.put(key, 1)));
  }
}

/** Writes this many entries, in as few transactions as possible. */
async function fill(entries: Entries, count: number): Promise<void> {
  const most = DEFAULT_LIMITS.transactionOperationsMax;
  for (let index = 0; index < count; index += most) {
    const length = Math.min(most, count - index);
    const operations = Array.from(
      {length},
      (_, offset) => ({kind: 'put', key: `key ${index + offset}`, value: 1}) as const,
    );
    await entries.transact({operations});
  }
}

/** Follows the cursors from the first page to the last. */
async function readPages(entries: Entries, options: ListOptions): Promise<readonly EntryInfo[]> {
  const found: EntryInfo[] = [];
  let after: string | undefined;
  do {
    const page = await entries.list({...options, after});
    assert.ok(page.entries.length > 0, 'a page in between is empty');
    found.push(...page.entries);
    after = page.cursor;
  } while (after !== undefined);
  return found;
}
