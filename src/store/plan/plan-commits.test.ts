import {describe, expect, test} from 'vitest';
import type {Commit} from '../../core/domain/commits/commit.ts';
import {createStoreId, type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {encodeJsonText, type JsonText} from '../../core/json/json-text.ts';
import type {EntryState} from '../format/entry-record.ts';
import type {GroupStart, StoreOperation} from './plan.ts';
import {planGroup} from './plan-commits.ts';

const NOW_MS = 1000;
const A = parseKey('a');
const B = parseKey('b');
const VALUE = encodeJsonText('{"x":1}');

/** An entry before the group. */
interface Before extends EntryState {
  readonly json?: JsonText;
}

/** The state before the group: revision 5, at {@link NOW_MS}. */
function startWith(before: ReadonlyMap<Key, Before> = new Map()): GroupStart {
  return {
    ...{storeId: createStoreId(Uint8Array.of(1)), revision: 5, nowMs: NOW_MS, updatedAtMs: 2000},
    stateOf: key => before.get(key),
    jsonOf: key => before.get(key)?.json ?? VALUE,
  };
}

function commit(...operations: readonly StoreOperation[]): Commit<StoreOperation> {
  return {checks: [], operations};
}

const put = (key: Key): StoreOperation => ({kind: 'put', key, json: VALUE});
const expire = (key: Key, expiresAtMs: number): StoreOperation => ({kind: 'expire', key, expiresAtMs});
const patchOf = (sizeBytes: number): StoreOperation => ({
  ...{kind: 'patch', key: A},
  patch: encodeJsonText(JSON.stringify({y: 'y'.repeat(sizeBytes - 8)})),
});

describe('planGroup()', () => {
  test('lets an entry expire before a single put of its key', () => {
    const plan = planGroup([commit(put(A))], startWith(new Map([[A, {revision: 3, expiresAtMs: 900}]])));
    expect(plan.changes.map(({kind, revision}) => [kind, revision])).toEqual([
      ['expire', 6],
      ['put', 7],
    ]);
    expect(plan.results).toEqual([{revision: 7, outcomes: ['created']}]);
    expect([plan.seenExpiryMs, plan.writes.get(A)?.expiredAtMs]).toEqual([900, 900]);
  });

  test('replaces an entry that has not expired', () => {
    const plan = planGroup([commit(put(A))], startWith(new Map([[A, {revision: 3, expiresAtMs: 1001}]])));
    expect(plan.results).toEqual([{revision: 6, outcomes: ['replaced']}]);
    expect([plan.seenExpiryMs, plan.stale, plan.writes.get(A)?.expiredAtMs]).toEqual([0, [], 1001]);
  });

  test('expires what is due, drops rows that match no entry, and leaves the rest', () => {
    const before = new Map([
      [A, {revision: 3, expiresAtMs: NOW_MS}],
      [B, {revision: 4, expiresAtMs: NOW_MS + 1}],
    ]);
    const wrong = [expire(A, 10), expire(parseKey('c'), 20)];
    const plan = planGroup(
      [{...commit(expire(A, NOW_MS), expire(B, NOW_MS + 1), ...wrong), writtenBy: 'owner'}],
      startWith(before),
    );
    expect(plan.changes).toEqual([{kind: 'expire', key: A, revision: 6, committedAtMs: expect.any(Number)}]);
    expect(plan.stale).toEqual([expire(A, 10), expire(parseKey('c'), 20)]);
  });

  test('drops the row of an entry that cannot be read, and fails with any other error', () => {
    const failing = (error: Error): GroupStart => ({
      ...startWith(),
      stateOf: () => {
        throw error;
      },
    });
    const corrupt = new AppError({code: 'entry-corrupt', key: A});
    expect(planGroup([commit(expire(A, 10))], failing(corrupt)).stale).toEqual([expire(A, 10)]);
    expect(planGroup([commit(put(A))], failing(corrupt)).results).toEqual([corrupt]);
    for (const each of [commit(expire(A, 10)), commit(put(A))])
      expect(() => planGroup([each], failing(new Error('the disk fails')))).toThrow('the disk fails');
  });

  test('remembers the time of expiry before the group, however often the group writes the entry', () => {
    const start = startWith(new Map([[A, {revision: 3, expiresAtMs: 5000}]]));
    const plan = planGroup([commit(put(A)), commit({kind: 'delete', key: A}), commit(put(A))], start);
    expect(plan.writes.get(A)).toMatchObject({revision: 8, expiresAtMs: undefined, expiredAtMs: 5000});
  });

  test('names the latest expiry that a commit saw', () => {
    const before = new Map([
      [A, {revision: 3, expiresAtMs: 700}],
      [B, {revision: 4, expiresAtMs: 600}],
    ]);
    const plan = planGroup([commit({kind: 'delete', key: A}), commit({kind: 'delete', key: B})], startWith(before));
    expect([plan.seenExpiryMs, plan.changes.length, plan.revision]).toEqual([700, 0, 5]);
  });

  test('names the caller of a removal, but none for an expiry', () => {
    const before = new Map([
      [A, {revision: 3}],
      [B, {revision: 4, expiresAtMs: 600}],
    ]);
    const {updatedAtMs: committedAtMs} = startWith(before);
    const removal: Commit<StoreOperation> = {...commit({kind: 'delete', key: A}, put(B)), writtenBy: 'owner'};
    expect(planGroup([removal], startWith(before)).changes).toEqual([
      {kind: 'expire', key: B, revision: 6, committedAtMs},
      {kind: 'delete', key: A, revision: 7, committedAtMs, writtenBy: 'owner'},
      {kind: 'put', key: B, revision: 7, sizeBytes: VALUE.length, committedAtMs, json: VALUE, writtenBy: 'owner'},
    ]);
    const {writtenBy: _, ...unnamed} = removal;
    expect(planGroup([unnamed], startWith(before)).changes.map(change => 'writtenBy' in change)).toEqual([
      ...[false, false, false],
    ]);
  });

  test('finds the state of an entry once for a check or a patch and the operation that follows', () => {
    const looked: Key[] = [];
    const start = startWith(new Map([[A, {revision: 3}]]));
    const counting: GroupStart = {
      ...start,
      stateOf: key => {
        looked.push(key);
        return start.stateOf(key);
      },
    };
    const checked: Commit<StoreOperation> = {
      checks: [
        {key: A, expected: 3},
        {key: B, expected: 'absent'},
      ],
      operations: [put(A), put(B)],
    };
    expect(planGroup([checked, commit(patchOf(20))], counting).results).toMatchObject([
      {outcomes: ['replaced', 'created']},
      {outcomes: ['replaced']},
    ]);
    expect(planGroup([commit(patchOf(20), {kind: 'delete', key: B})], counting).revision).toBe(6);
    expect(looked).toEqual([A, B, A, B]);
  });

  const HALF_BYTES = 128 * 1024;
  const sizes: readonly {readonly name: string; readonly sizes: readonly number[]; readonly planned: number}[] = [
    {name: 'patches of a half each', sizes: [HALF_BYTES, HALF_BYTES, 20], planned: 2},
    {name: 'less than the size', sizes: [HALF_BYTES - 200, 20, 20], planned: 3},
    {name: 'one of exactly the size', sizes: [2 * HALF_BYTES, 20], planned: 1},
    {name: 'one that is larger', sizes: [4 * HALF_BYTES, 20], planned: 1},
  ];
  for (const {name, sizes: patches, planned} of sizes)
    test(`ends a plan with the commit whose patches reach its size: ${name}`, () => {
      const commits = patches.map(sizeBytes => commit(patchOf(sizeBytes)));
      expect(planGroup(commits, startWith()).results.length).toBe(planned);
    });

  test('counts the value that a touch copies', () => {
    const json = encodeJsonText(JSON.stringify('x'.repeat(256 * 1024)));
    const start = startWith(new Map([[A, {revision: 3, json}]]));
    expect(planGroup([commit({kind: 'touch', key: A}), commit(put(B))], start).results.length).toBe(1);
  });
});
