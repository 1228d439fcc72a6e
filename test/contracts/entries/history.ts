import assert from 'node:assert/strict';
import type {HistoryChange} from '../../../src/core/domain/entries/history.ts';
import {decodeJsonText} from '../../../src/core/json/json-text.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import type {OpenedEntries} from './opened-entries.ts';

/** Earlier values of an entry. */
export const ENTRIES_HISTORY: ContractPart<OpenedEntries> = {
  name: 'history',
  tests: [
    {
      name: 'has every value of an entry, newest first, byte for byte, and says where the log begins',
      async run({entries}) {
        const first = await entries.put('a', Buffer.from('{"b": 1.0,"c":9007199254740993}'));
        await entries.put('ab', 'of another entry');
        const second = await entries.patch('a', {b: 2});
        await entries.delete('a');
        const again = await entries.put('a', 'Jörg');
        const {changes, cursor} = await entries.history('a');
        assert.equal(cursor, undefined);
        assert.deepEqual(changes.map(asTexts), [
          {kind: 'written', revision: again.revision, text: '"Jörg"'},
          {kind: 'deleted', revision: again.revision - 1, text: undefined},
          {kind: 'written', revision: second.revision, text: '{"b": 2,"c":9007199254740993}'},
          {kind: 'written', revision: first.revision, text: '{"b": 1.0,"c":9007199254740993}'},
          {kind: 'log-begins', revision: 0, text: undefined},
        ]);
        const [newest, , , oldest] = changes;
        assert.ok(newest?.kind === 'written' && oldest?.kind === 'written');
        assert.deepEqual([newest.etag, newest.sizeBytes, newest.value], [again.etag, 7, 'Jörg']);
        assert.deepEqual([oldest.etag, oldest.text], [first.etag, oldest.json && decodeJsonText(oldest.json)]);
        assert.ok((newest.committedAtMs ?? 0) >= (oldest.committedAtMs ?? Infinity));
      },
    },
    {
      name: 'has a value with its time of expiry, and that it expired',
      async run({entries, advanceMs}) {
        await entries.put('a', 1, {ttlSeconds: 60});
        const {expiresAtMs} = (await entries.get('a')) ?? assert.fail();
        advanceMs(61_000);
        assert.equal((await entries.put('a', 2)).created, true);
        const {changes} = await entries.history('a');
        assert.deepEqual(
          changes.map(({kind}) => kind),
          ['written', 'expired', 'written', 'log-begins'],
        );
        const [, , written] = changes;
        assert.equal(written?.kind === 'written' && written.expiresAtMs, expiresAtMs);
      },
    },
    {
      name: 'comes in pages, whatever is written meanwhile',
      async run({entries}) {
        for (let value = 1; value <= 5; value++) {
          await entries.put('a', value);
          await entries.put(`b${value}`, value);
        }
        const pages: unknown[][] = [];
        let after: string | undefined;
        do {
          const page = await entries.history('a', {after, limit: 2});
          pages.push(page.changes.map(change => (change.kind === 'written' ? change.value : change.kind)));
          after = page.cursor;
          await entries.put('a', 'meanwhile');
        } while (after !== undefined);
        assert.deepEqual(pages, [
          [5, 4],
          [3, 2],
          [1, 'log-begins'],
        ]);
      },
    },
    {
      name: 'has the size of a value that was too large for the log, and no part of it',
      async run({entries}) {
        const large = 'x'.repeat(64 * 1024);
        await entries.put('a', large);
        await entries.put('a', 1);
        const [, written = assert.fail()] = (await entries.history('a')).changes;
        assert.ok(written.kind === 'written');
        assert.equal(written.sizeBytes, large.length + 2);
        assert.deepEqual([written.json, written.text, written.value], [undefined, undefined, undefined]);
      },
    },
    {
      name: 'of an entry that was never written has no changes',
      async run({entries}) {
        await entries.put('a', 1);
        assert.deepEqual(await entries.history('b'), {changes: [{kind: 'log-begins', revision: 0}]});
      },
    },
    {
      name: 'refuses a wrong key, limit or cursor, and one of another store',
      async run({entries}) {
        await assert.rejects(entries.history(''), {failure: {code: 'invalid-key', key: '', problem: 'it is empty'}});
        for (const [parameter, options] of [
          ['limit', {limit: 0}],
          ['limit', {limit: 1001}],
          ['after', {after: 'x'}],
          ['after', {after: ''}],
          ['after', {after: 'zz9-1'}],
        ] as const)
          await assert.rejects(entries.history('a', options), ({failure}) => {
            assert.deepEqual([failure.code, failure.parameter], ['invalid-parameter', parameter]);
            return true;
          });
      },
    },
  ],
};

function asTexts(change: HistoryChange): object {
  return {kind: change.kind, revision: change.revision, text: change.kind === 'written' ? change.text : undefined};
}
