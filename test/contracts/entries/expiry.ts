import assert from 'node:assert/strict';
import type {TransactionOperation} from '../../../src/core/domain/entries/entries.ts';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, infoOf, keysOf, textOf} from '../shared/assertions.ts';
import type {OpenedEntries} from './opened-entries.ts';

const PROBLEM = `a whole number of seconds from 1 to ${DEFAULT_LIMITS.ttlSecondsMax}`;
const INVALID: Failure = {code: 'invalid-parameter', parameter: 'ttlSeconds', problem: `it has to be ${PROBLEM}`};

const REFUSED = [0, -1, 0.5, 1.5, DEFAULT_LIMITS.ttlSecondsMax + 1, 1e21, NaN, Infinity, -Infinity];

/** Times to live of entries. */
export const ENTRIES_EXPIRY: ContractPart<OpenedEntries> = {
  name: 'time to live',
  tests: [
    {
      name: 'shows when an entry expires, and nothing if it never does',
      async run({entries}) {
        await entries.put('never', 1);
        for (const ttlSeconds of [60, DEFAULT_LIMITS.ttlSecondsMax]) {
          await entries.put('soon', Buffer.from('1.0'), {ttlSeconds});
          const entry = await entries.get('soon');
          assert.ok(entry?.expiresAtMs !== undefined, 'it never expires');
          // The clocks of writes and of expiry may differ a little.
          assert.equal(Math.round((entry.expiresAtMs - entry.updatedAtMs) / 1000), ttlSeconds);
          const {entries: listed} = await entries.list({values: true});
          assert.deepEqual(listed, [await entries.get('never'), entry]);
          assert.deepEqual((await entries.list({prefix: 'soon'})).entries.map(infoOf), [infoOf(entry)]);
        }
        assert.equal('expiresAtMs' in ((await entries.get('never')) ?? assert.fail()), false);
      },
    },
    {
      name: 'no longer returns or lists an expired entry',
      async run(opened) {
        const {entries} = opened;
        await entries.put('a', 1, {ttlSeconds: 60});
        await entries.put('b', 1, {ttlSeconds: 600});
        await entries.put('c', 1);
        await expire(opened, 'a');
        assert.equal(await entries.get('a'), undefined);
        assert.deepEqual(keysOf((await entries.list()).entries), ['b', 'c']);
        assert.deepEqual(keysOf((await entries.list({limit: 1, values: true})).entries), ['b']);
        assert.equal((await entries.delete('a')).deleted, 0);
        await assertFails(entries.touch('a', 60), {code: 'no-entry', key: 'a'});
        assert.equal(await entries.deleteRange({prefix: ''}), 2);
      },
    },
    {
      name: 'treats an expired entry as absent, in every condition',
      async run(opened) {
        const {entries} = opened;
        const {revision} = await entries.put('a', {old: 1}, {ttlSeconds: 60});
        await entries.put('b', {old: 1}, {ttlSeconds: 60});
        await expire(opened, 'a');
        await expire(opened, 'b');
        for (const expected of [revision, 'present'] as const)
          await assertFails(entries.put('a', 2, {expected}), {
            code: 'revision-conflict',
            conflicts: [{key: 'a', expected: String(expected), actual: 'absent'}],
          });
        await entries.transact({checks: [{key: 'a', expected: 'absent'}], operations: []});
        const written = await entries.put('a', 2, {expected: 'absent'});
        assert.equal(written.created, true);
        assert.ok(written.revision > revision);
        await entries.patch('b', {'new': 1});
        const patched = await entries.get('b');
        assert.deepEqual([textOf(patched), patched?.expiresAtMs], ['{"new":1}', undefined]);
      },
    },
    {
      name: 'removes the time to live at a put without one, and keeps it at a patch',
      async run(opened) {
        const {entries} = opened;
        await entries.put('put', {}, {ttlSeconds: 60});
        await entries.put('put', {});
        await entries.put('patched', Buffer.from('{"a":1.0}'), {ttlSeconds: 60});
        const before = await entries.get('patched');
        await entries.patch('patched', {b: 2});
        const after = await entries.get('patched');
        assert.deepEqual([textOf(after), after?.expiresAtMs], ['{"a":1.0,"b":2}', before?.expiresAtMs]);
        await expire(opened, 'patched');
        assert.deepEqual(keysOf((await entries.list()).entries), ['put']);
      },
    },
    {
      name: 'changes the time to live and not the value at a touch, under a revision of its own',
      async run(opened) {
        const {entries} = opened;
        await entries.put('a', Buffer.from('[ 1.0 ]'), {ttlSeconds: 60});
        await entries.put('b', 1, {ttlSeconds: 60});
        assert.equal((await entries.touch('a', 600)).revision, 3);
        const touched = await entries.get('a');
        assert.deepEqual([textOf(touched), touched?.revision, touched?.sizeBytes], ['[ 1.0 ]', 3, 7]);
        assert.ok((touched?.expiresAtMs ?? 0) - Date.now() > 300_000);
        await expire(opened, 'b');
        assert.equal(textOf(await entries.get('a')), '[ 1.0 ]');
        await entries.touch('a', null);
        assert.equal((await entries.get('a'))?.expiresAtMs, undefined);
        assert.equal(textOf(await entries.get('a')), '[ 1.0 ]');
      },
    },
    {
      name: 'lets a transaction write, patch and touch with times to live',
      async run({entries}) {
        await entries.transact({
          operations: ['touched', 'patched', 'kept'].map(key => ({kind: 'put', key, value: {}, ttlSeconds: 60})),
        });
        await entries.transact({
          operations: [
            {kind: 'touch', key: 'touched', ttlSeconds: null},
            {kind: 'touch', key: 'kept', ttlSeconds: 600},
            {kind: 'patch', key: 'patched', patch: {a: 1}},
            {kind: 'put', key: 'new', value: 1},
          ],
        });
        const {entries: found} = await entries.list();
        assert.deepEqual(
          found.map(({key, revision, expiresAtMs}) => [key, revision, expiresAtMs !== undefined]),
          [
            ['kept', 2, true],
            ['new', 2, false],
            ['patched', 2, true],
            ['touched', 2, false],
          ],
        );
      },
    },
    {
      name: 'applies nothing of a transaction that touches an absent or expired entry',
      async run(opened) {
        const {entries} = opened;
        await entries.put('expired', 1, {ttlSeconds: 60});
        await entries.put('there', 1);
        await expire(opened, 'expired');
        for (const key of ['absent', 'expired']) {
          const operations = [
            {kind: 'put', key: 'there', value: 2},
            {kind: 'touch', key, ttlSeconds: 60},
          ] as const;
          await assertFails(entries.transact({operations}), {code: 'no-entry', key});
        }
        assert.equal(textOf(await entries.get('there')), '1');
        assert.deepEqual(keysOf((await entries.list()).entries), ['there']);
      },
    },
    ...REFUSED.map(ttlSeconds => ({
      name: `refuses ${ttlSeconds} seconds`,
      run: async ({entries}: OpenedEntries) => {
        await entries.put('a', 1);
        await assertFails(entries.put('a', 2, {ttlSeconds}), INVALID);
        await assertFails(entries.touch('a', ttlSeconds), INVALID);
        for (const operation of [
          {kind: 'put', key: 'a', value: 2, ttlSeconds},
          {kind: 'touch', key: 'a', ttlSeconds},
        ] as const)
          await assertRefused(entries.transact({operations: [operation]}), operation);
        const entry = await entries.get('a');
        assert.deepEqual([textOf(entry), entry?.revision, entry?.expiresAtMs], ['1', 1, undefined]);
      },
    })),
  ],
};

function assertRefused(transacting: Promise<unknown>, {kind}: TransactionOperation): Promise<void> {
  const problem = `has to be ${PROBLEM}${kind === 'touch' ? ', or null' : ''}`;
  return assertFails(transacting, {
    code: 'invalid-body',
    what: 'transaction',
    problems: [{path: '$.operations[0].ttlSeconds', problem}],
  });
}

/** Interval of checks whether an entry has expired, in milliseconds. */
const LOOK_MS = 20;

/** Moves the clock to the time at which the entry expires. */
async function expire({entries, advanceMs}: OpenedEntries, key: string): Promise<void> {
  const entry = await entries.get(key);
  const {updatedAtMs = 0, expiresAtMs} = entry ?? {expiresAtMs: 0};
  assert.ok(expiresAtMs !== undefined, 'it never expires');
  advanceMs(expiresAtMs - updatedAtMs);
  while ((await entries.get(key)) !== undefined) await new Promise(resolve => setTimeout(resolve, LOOK_MS));
}
