import assert from 'node:assert/strict';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {patch, put, remove, write} from '../../test/contracts/shared/assertions.ts';
import {makeDirectory, openStore} from '../../test/support/store-fixture.ts';
import type {Change, Store} from '../core/domain/commits/store.ts';

/** Waits until the tree has all changes. Few are written into it after some seconds. */
async function checkpointed(store: Store): Promise<void> {
  await vi.waitUntil(async () => (await store.statistics())?.wal?.waitingRecords === 0, {timeout: 60_000});
}

test('an LMDB store tells its listeners the changes of each group', async () => {
  const store = await openStore(await makeDirectory());
  const told = new Promise<readonly Change[]>(resolve => store.onChange(changes => resolve(changes ?? [])));
  await write(store, put('a'), put('b'));
  assert.deepEqual(
    (await told).map(({kind, key}) => [kind, key]),
    [
      ['put', 'a'],
      ['put', 'b'],
    ],
  );
});

describe('the statistics of an LMDB store', () => {
  test('have the values that were written, and the records of the write-ahead log', async () => {
    const store = await openStore(await makeDirectory());
    await write(store, put('a', '{"b":1}'), put('c', '12'));
    await write(store, patch('a', '{"b":2}'));
    await write(store, remove('c'));
    // Changes nothing.
    await write(store, remove('missing'));
    const {writtenBytes, waitingCommits, wal} = (await store.statistics()) ?? {};
    assert.deepEqual([writtenBytes, waitingCommits], [16, 0]);
    assert.equal(
      wal?.syncs.counts.reduce((sum, count) => sum + count),
      3,
    );
    await checkpointed(store);
    const after = await store.statistics();
    assert.equal(after?.entries, 1);
    assert.equal(after.wal?.sizeBytes, wal?.sizeBytes);
    assert.equal(after.checkpoints?.failed, 0);
    expect(after.checkpoints.written).toBeGreaterThan(0);
    await store[Symbol.asyncDispose]();
  });

  test('have one checkpoint for changes that are rare, and one soon for many', async () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    onTestFinished(() => void vi.useRealTimers());
    const store = await openStore(await makeDirectory());
    const written = async () => (await store.statistics())?.checkpoints?.written;
    for (const value of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      await write(store, put('a', String(value)));
      vi.advanceTimersByTime(300);
    }
    assert.equal(await written(), 0);
    await write(store, ...Array.from({length: 200}, (_, index) => put(`key ${index}`)));
    vi.advanceTimersByTime(300);
    await vi.waitUntil(async () => (await written()) === 1, {interval: 1});
    await store[Symbol.asyncDispose]();
  });

  test('have one checkpoint soon for few changes that are large', async () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    onTestFinished(() => void vi.useRealTimers());
    const store = await openStore(await makeDirectory());
    const written = async () => (await store.statistics())?.checkpoints?.written;
    const value = JSON.stringify('x'.repeat(60_000));
    for (let index = 0; index < 20; index++) await write(store, put(`key ${index}`, value));
    assert.equal(await written(), 0);
    vi.advanceTimersByTime(300);
    // Each poll lets a millisecond pass by the clock of the store: fewer than rare changes wait.
    await vi.waitUntil(async () => (await written()) === 1, {interval: 1, timeout: 4000});
    // Those that were checkpointed count no longer.
    await write(store, put('a', value));
    vi.advanceTimersByTime(300);
    assert.equal((await store.statistics())?.wal?.waitingRecords, 1);
    await store[Symbol.asyncDispose]();
  });

  test('have the size of all files, except those of plugins', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory);
    await write(store, put('a', '1'));
    await checkpointed(store);
    const before = (await store.statistics())?.sizeBytes ?? 0;
    const storage = join(directory, 'plugin-storage');
    await mkdir(storage);
    await writeFile(join(storage, 'file'), 'x'.repeat(10_000));
    assert.equal((await store.statistics())?.sizeBytes, before);
    await writeFile(join(directory, 'session.json'), 'x'.repeat(1000));
    assert.equal((await store.statistics())?.sizeBytes, before + 1000);
    await store[Symbol.asyncDispose]();
  });

  test('count commits that wait', async () => {
    const store = await openStore(await makeDirectory());
    const written = [1, 2, 3].map(index => write(store, put(`key ${index}`)));
    assert.equal((await store.statistics())?.waitingCommits, 3);
    await Promise.all(written);
    assert.equal((await store.statistics())?.waitingCommits, 0);
    await store[Symbol.asyncDispose]();
  });

  test('can be read after the store was closed, except for the entries', async () => {
    const store = await openStore(await makeDirectory());
    await write(store, put('a', '1'));
    await store[Symbol.asyncDispose]();
    const statistics = await store.statistics();
    assert.deepEqual([statistics?.entries, statistics?.writtenBytes], [undefined, 1]);
  });
});
