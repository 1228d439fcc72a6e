import assert from 'node:assert/strict';
import type {StandardSchema} from '../../../src/core/domain/entries/typed-entry.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFailsWith, textOf} from '../shared/assertions.ts';
import type {OpenedEntries} from './opened-entries.ts';

const TEXT = '{"id": 9007199254740993, "volume": 1.0}';

/** Returns a number, plus one. */
const INCREMENTED: StandardSchema<number> = {
  '~standard': {
    version: 1,
    vendor: 'crewroom/testing',
    validate: value => (typeof value === 'number' ? {value: value + 1} : {issues: [{message: 'is not a number'}]}),
  },
};

/** Values without a JSON text. */
const UNWRITABLE: readonly unknown[] = [undefined, () => 1, 1n, Symbol('a')];

/** Entries return values in all forms, and accept values besides JSON texts. */
export const ENTRIES_FORMS: ContractPart<OpenedEntries> = {
  name: 'forms of a value',
  tests: [
    {
      name: 'returns the value as text, as bytes and parsed',
      async run({entries}) {
        await entries.put('a', Buffer.from(TEXT));
        const page = await entries.list({values: true});
        const all = [];
        for await (const entry of entries.listAll({values: true})) all.push(entry);
        for (const entry of [await entries.get('a'), page.entries[0], all[0]]) {
          assert.deepEqual([entry?.text, textOf(entry)], [TEXT, TEXT]);
          assert.deepEqual(entry?.value, {id: 9007199254740992, volume: 1});
        }
      },
    },
    {
      name: 'lets a schema define the type of a value',
      async run({entries}) {
        await entries.put('a', 1);
        const options = {schema: INCREMENTED};
        const [listed] = (await entries.list({...options, values: true})).entries;
        assert.deepEqual([(await entries.get('a', options))?.value, listed?.value, listed?.text], [2, 2, '1']);
        await entries.put('a', 'one');
        await assertFailsWith(entries.get('a', options), 'invalid-value');
        await assertFailsWith(entries.list({...options, values: true}), 'invalid-value');
        assert.equal(await entries.get('b', options), undefined);
      },
    },
    {
      name: 'stores a value as the text that JSON.stringify returns for it',
      async run({entries}) {
        assert.equal((await entries.put('a', {volume: 0.5})).created, true);
        assert.equal((await entries.get('a'))?.text, '{"volume":0.5}');
        await assertFailsWith(entries.put('a', 1, {expected: 'absent'}), 'revision-conflict');
        for (const value of UNWRITABLE) await assertFailsWith(entries.put('a', value), 'invalid-value');
        assert.equal((await entries.get('a'))?.revision, 1);
      },
    },
  ],
};
