import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {test} from 'vitest';
import type {Store} from '../../core/domain/commits/store.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {EntryService} from './entry-service.ts';

const KEY = parseKey('a');

function openStore({logChangesMax}: {readonly logChangesMax?: number} = {}): Store {
  return openMemoryStore({nowMs: Date.now, elapsedMs: () => performance.now(), randomBytes, logChangesMax});
}

/** Returns a store with some members replaced. */
function withMembers(store: Store, members: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in members ? members : target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Writes other entries, each with a commit of its own. */
async function writeOthers(entries: EntryService, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await entries.put(parseKey(`b${index % 100}`), index);
}

test('a history is read over any number of other changes, and ends where the log begins', async () => {
  await using store = openStore();
  const entries = new EntryService({store});
  await entries.put(KEY, 1);
  await writeOthers(entries, 2500);
  await entries.put(KEY, 2);
  await writeOthers(entries, 1500);
  const {changes} = await entries.history(KEY);
  assert.deepEqual(
    changes.map(({kind, revision}) => [kind, revision]),
    [
      ['written', 2502],
      ['written', 1],
      ['log-begins', 0],
    ],
  );
});

test('a page looks at 20,000 changes, and its cursor goes on behind them', async () => {
  await using store = openStore();
  const entries = new EntryService({store});
  await entries.put(KEY, 1);
  await writeOthers(entries, 20_500);
  const first = await entries.history(KEY);
  assert.deepEqual(first.changes, []);
  const {changes, cursor} = await entries.history(KEY, {after: first.cursor});
  assert.deepEqual([changes.map(({kind}) => kind), cursor], [['written', 'log-begins'], undefined]);
});

test('a page looks at no more changes of large transactions than its limit and those of a first step', async () => {
  await using store = openStore();
  const entries = new EntryService({store});
  const operations = Array.from({length: 1000}, (_, index) => ({kind: 'put', key: `b${index}`, value: 1}) as const);
  for (let count = 0; count < 40; count++) await entries.transact({operations});
  const {changes, cursor} = await entries.history(KEY);
  const [, lookedAt] = /-(\d+)$/.exec(cursor ?? '') ?? [];
  assert.deepEqual([changes, Number(lookedAt)], [[], 21]);
});

test('a history goes on with what is left if the log is trimmed in each step, also in the smallest', async () => {
  await using store = openStore({logChangesMax: 20});
  const writer = new EntryService({store});
  await writer.put(KEY, 1);
  let trims = 2;
  const trimmed = withMembers(store, {
    changes: async (after, options) => {
      if (trims-- > 0) await writeOthers(writer, 60);
      return store.changes(after, options);
    },
  });
  const {changes} = await new EntryService({store: trimmed}).history(KEY);
  const {trimmedRevision} = (await store.statistics()) ?? assert.fail();
  assert.ok(trimmedRevision > 20);
  assert.deepEqual(changes, [{kind: 'log-begins', revision: trimmedRevision}]);
});

test('a history has no commit that is not acknowledged yet', async () => {
  await using store = openStore();
  const writer = new EntryService({store});
  for (const value of [1, 2]) await writer.put(KEY, value);
  const behind = withMembers(store, {revision: 1});
  const {changes} = await new EntryService({store: behind}).history(KEY);
  assert.deepEqual(
    changes.map(({kind, revision}) => [kind, revision]),
    [
      ['written', 1],
      ['log-begins', 0],
    ],
  );
});

test('a page ends with the value that reaches its size', async () => {
  await using store = openStore();
  const entries = new EntryService({store, limits: {...DEFAULT_LIMITS, listValuesBytesMax: 20}});
  for (let count = 0; count < 5; count++) await entries.put(KEY, 'x'.repeat(8));
  const {changes, cursor} = await entries.history(KEY);
  assert.deepEqual([changes.map(({revision}) => revision), cursor], [[5, 4], `${store.id}-4`]);
});

test('a cursor after the last revision is refused, since nothing was read before it', async () => {
  await using store = openStore();
  const entries = new EntryService({store});
  await entries.put(KEY, 1);
  const next = await entries.history(KEY, {after: '2'});
  assert.deepEqual(next, await entries.history(KEY));
  for (const after of ['3', `${store.id}-3`])
    await assert.rejects(entries.history(KEY, {after}), {
      failure: {code: 'invalid-parameter', parameter: 'after', problem: 'it is after the last revision'},
    });
});
