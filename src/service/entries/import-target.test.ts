import assert from 'node:assert/strict';
import {describe, onTestFinished, test} from 'vitest';
import type {Commit, PutOperation} from '../../core/domain/commits/commit.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import {parseKey, parsePrefix} from '../../core/domain/entries/identifiers.ts';
import {NO_FAULTS} from '../../core/domain/faults/fault.ts';
import {DEFAULT_LIMITS, type Limits} from '../../core/domain/limits.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {createImportTarget, type ImportTarget} from './import-target.ts';

const ALL = parsePrefix('');
const P = parsePrefix('p/');

function put(key: string, text = '1', expiry?: PutOperation['expiry']): PutOperation {
  return {kind: 'put', key: parseKey(key), json: encodeJsonText(text), expiry};
}

function remove(key: string): Commit['operations'][number] {
  return {kind: 'delete', key: parseKey(key)};
}

interface Opened {
  readonly store: Store;
  readonly target: ImportTarget;
  readonly counts: {pauses: number; expiring: number};
  /** Changes the store as another client does, right before the next commit of the import. */
  readonly interfere: (...operations: Commit['operations']) => void;
}

/** Opens a target over a store with these keys. */
async function open(
  keys: readonly string[],
  {dryRun = false, ...limits}: Partial<Limits> & {readonly dryRun?: boolean} = {},
): Promise<Opened> {
  const store = openMemoryStore({nowMs: () => 1000, elapsedMs: () => 0});
  onTestFinished(() => store[Symbol.asyncDispose]());
  if (keys.length > 0) await store.commit({checks: [], operations: keys.map(key => put(key, '0'))});
  const waiting: Commit['operations'][] = [];
  const counts = {pauses: 0, expiring: 0};
  const watched: Store = Object.create(store, {
    // As known before the last commit of another process.
    revision: {get: () => Math.max(0, store.revision - 1)},
    snapshot: {value: store.snapshot.bind(store)},
    list: {value: store.list.bind(store)},
    commit: {
      value: async (commit: Commit) => {
        const operations = waiting.shift();
        if (operations !== undefined) await store.commit({checks: [], operations});
        return store.commit(commit);
      },
    },
  });
  const target = await createImportTarget(
    {
      store: watched,
      faults: NO_FAULTS,
      limits: {...DEFAULT_LIMITS, ...limits},
      pause: async () => void counts.pauses++,
      onExpiringEntries: () => void counts.expiring++,
    },
    {mode: 'replace', dryRun},
  );
  return {store, target, counts, interfere: (...operations) => void waiting.push(operations)};
}

async function keysOf(store: Store): Promise<readonly string[]> {
  return (await store.list({prefix: ALL, limit: 1000})).map(({key}) => key);
}

describe('an import target stores a batch', () => {
  test('and counts the created and the replaced entries', async () => {
    const {store, target} = await open(['a']);
    assert.deepEqual(await target.put([put('a'), put('b'), put('c')]), {created: 2, replaced: 1});
    assert.deepEqual(await keysOf(store), ['a', 'b', 'c']);
  });

  test('and announces that entries expire only if some do', async () => {
    const {target, counts} = await open([]);
    await target.put([put('a')]);
    assert.equal(counts.expiring, 0);
    await target.put([put('b'), put('c', '1', {kind: 'at', expiresAtMs: 5000})]);
    assert.equal(counts.expiring, 1);
  });
});

describe('an import target stores the only batch and deletes the others', () => {
  test('in one commit, under the prefix only', async () => {
    const {store, target} = await open(['p/a', 'p/b', 'q']);
    const {revision} = store;
    assert.deepEqual(await target.putAndDeleteOthers([put('p/b'), put('p/c')], P), {
      created: 1,
      replaced: 1,
      deleted: 1,
    });
    assert.equal(store.revision, revision + 1);
    assert.deepEqual(await keysOf(store), ['p/b', 'p/c', 'q']);
  });

  const sizes = [
    {name: 'as many operations as a commit may have', transactionOperationsMax: 4, fits: true},
    {name: 'one operation more than a commit may have', transactionOperationsMax: 3, fits: false},
  ];
  for (const {name, transactionOperationsMax, fits} of sizes) {
    test(`${fits ? 'if' : 'not if'} they are ${name}`, async () => {
      const {store, target} = await open(['a', 'b', 'c'], {transactionOperationsMax, listLimitMax: 2});
      const stored = await target.putAndDeleteOthers([put('d')], ALL);
      assert.equal(stored?.deleted, fits ? 3 : undefined);
      assert.deepEqual(await keysOf(store), fits ? ['d'] : ['a', 'b', 'c']);
    });
  }

  test('but keeps entries that are written meanwhile, and does not count those that are deleted meanwhile', async () => {
    const {store, target, interfere} = await open(['a', 'b', 'c']);
    interfere(put('a', '"new"'), remove('b'));
    assert.deepEqual(await target.putAndDeleteOthers([put('d')], ALL), {created: 1, replaced: 0, deleted: 1});
    assert.deepEqual(await keysOf(store), ['a', 'd']);
  });

  test('but keeps entries that were written after the import began', async () => {
    const {store, target} = await open(['a']);
    await store.commit({checks: [], operations: [put('late')]});
    assert.deepEqual(await target.putAndDeleteOthers([put('b')], ALL), {created: 1, replaced: 0, deleted: 1});
    assert.deepEqual(await keysOf(store), ['b', 'late']);
  });
});

describe('an import target deletes the others', () => {
  test('page by page, with a pause after each, and keeps its own batches', async () => {
    const {store, target, counts} = await open(['p/a', 'p/b', 'p/c', 'q'], {listLimitMax: 2});
    await target.put([put('p/b'), put('p/d')]);
    assert.equal(await target.deleteOthers(P), 2);
    assert.deepEqual(await keysOf(store), ['p/b', 'p/d', 'q']);
    assert.equal(counts.pauses, 2);
  });

  test('but keeps entries that are written meanwhile, again and again', async () => {
    const {store, target, interfere} = await open(['a', 'b', 'c']);
    interfere(put('a'));
    interfere(put('b'));
    assert.equal(await target.deleteOthers(ALL), 1);
    assert.deepEqual(await keysOf(store), ['a', 'b']);
  });

  test('and fails with every other failure of the store', async () => {
    const {store, target} = await open(['a']);
    const failing = assert.rejects(target.deleteOthers(ALL), (error: {readonly failure?: object}) => {
      assert.deepEqual(error.failure, {code: 'store-closed'});
      return true;
    });
    await store[Symbol.asyncDispose]();
    await failing;
  });
});

describe('a dry run', () => {
  test('counts as an import does, and changes nothing', async () => {
    const keys = ['p/a', 'p/a/below', 'p/b', 'p/c', 'q'];
    const batch = [put('p/a'), put('p/b'), put('p/new')];
    const [dry, real] = [await open(keys, {dryRun: true}), await open(keys)];
    const {revision} = dry.store;
    const counted = await dry.target.putAndDeleteOthers(batch, P);
    assert.deepEqual(counted, {created: 1, replaced: 2, deleted: 2});
    assert.deepEqual(await real.target.putAndDeleteOthers(batch, P), counted);
    assert.equal(dry.store.revision, revision);
    assert.deepEqual(await keysOf(dry.store), keys);
  });

  test('distinguishes an entry from one whose key begins with its key', async () => {
    const {target} = await open(['a/below'], {dryRun: true});
    assert.deepEqual(await target.put([put('a')]), {created: 1, replaced: 0});
  });

  test('does not announce that entries expire', async () => {
    const {target, counts} = await open([], {dryRun: true});
    await target.put([put('a', '1', {kind: 'at', expiresAtMs: 5000})]);
    assert.equal(counts.expiring, 0);
  });

  test('pauses after every hundred keys', async () => {
    const {target, counts} = await open([], {dryRun: true});
    await target.put(Array.from({length: 201}, (_, index) => put(String(index))));
    assert.equal(counts.pauses, 3);
  });
});
