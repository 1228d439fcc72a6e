import assert from 'node:assert/strict';
import type {Entries} from '../../../src/core/domain/entries/entries.ts';
import type {EntityTag} from '../../../src/core/domain/entries/identifiers.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import type {OpenedEntries} from './opened-entries.ts';

/** Revisions and ETags of answers, which are conditions of later calls. */
export const ENTRIES_REVISIONS: ContractPart<OpenedEntries> = {
  name: 'revisions',
  tests: [
    {
      name: 'returns the revision and the ETag of every commit',
      async run({entries}) {
        const etagAt = await readEtags(entries);
        assert.deepEqual(await entries.put('a', 1), {revision: 2, etag: etagAt(2), created: true});
        assert.deepEqual(await entries.patch('a', {b: 1}), {revision: 3, etag: etagAt(3)});
        assert.deepEqual(await entries.touch('a', 60), {revision: 4, etag: etagAt(4)});
        const operations = [{kind: 'put', key: 'b', value: 1}] as const;
        assert.deepEqual(await entries.transact({operations}), {revision: 5, etag: etagAt(5)});
        assert.deepEqual(await entries.transact({operations: []}), {revision: 5, etag: etagAt(5)});
      },
    },
    {
      name: 'returns whether it deleted an entry',
      async run({entries}) {
        await entries.put('a', 1);
        assert.deepEqual(await entries.delete('a'), {deleted: 1, revision: 2});
        assert.deepEqual(await entries.delete('a'), {deleted: 0, revision: 2});
        assert.deepEqual(await entries.delete('a', {expected: 'present'}), {deleted: 0, revision: 2});
      },
    },
    {
      name: 'accepts the ETag of every answer as a condition',
      async run({entries}) {
        const first = await entries.put('a', 1);
        const second = await entries.patch('a', 2, {expected: first.etag});
        const third = await entries.transact({
          checks: [{key: 'a', expected: second.etag}],
          operations: [{kind: 'put', key: 'a', value: 3}],
        });
        const stale = {expected: [first.etag, second.etag]};
        await assertConflict(entries.put('a', 4, stale), {key: 'a', expected: '1 or 2', actual: '3', etag: third.etag});
        const {etag = assert.fail()} = (await entries.get('a')) ?? {};
        await entries.put('a', 4, {expected: etag});
        const [listed = assert.fail()] = (await entries.list()).entries;
        await assertConflict(entries.delete('a', {expected: etag}), {
          key: 'a',
          expected: '3',
          actual: '4',
          etag: listed.etag,
        });
        assert.equal((await entries.delete('a', {expected: listed.etag})).deleted, 1);
      },
    },
    {
      name: 'accepts no ETag of another store, and nothing that looks like one',
      async run({entries}) {
        const {etag} = await entries.put('a', 1);
        await assertConflict(entries.put('a', 2, {expected: '"zz9-1"'}), {
          key: 'a',
          expected: 'zz9-1',
          actual: '1',
          etag,
        });
        for (const expected of ['"1"', '""'] as const)
          await assertConflict(entries.put('a', 2, {expected}), {key: 'a', expected: '0', actual: '1', etag});
      },
    },
  ],
};

/** Writes the first entry of a store. @returns A function that returns the ETag of a revision of the store. */
async function readEtags(entries: Entries): Promise<(revision: number) => EntityTag> {
  const {etag} = await entries.put('etags', 1);
  assert.match(etag, /^"[0-9a-z]+-1"$/);
  return at => etag.replace(/-.*/, `-${at}"`) as EntityTag;
}

/** Fails unless the promise rejects with this conflict, with the ETag of the entry. */
async function assertConflict(promise: Promise<unknown>, conflict: object): Promise<void> {
  await assert.rejects(promise, {failure: {code: 'revision-conflict', conflicts: [conflict]}});
}
