import {describe, expect, onTestFinished, test} from 'vitest';
import {keysOf, put, range, read, textOf, write} from '../../test/contracts/shared/assertions.ts';
import {type DiskCall, MemoryDisk} from '../../test/support/disk/memory-disk.ts';
import {memoryEngine, type States} from '../../test/support/disk/memory-engine.ts';
import type {Store} from '../core/domain/commits/store.ts';
import {SILENT_LOG} from '../core/domain/log.ts';
import {AppError} from '../core/failures/app-error.ts';
import {openLmdbStore} from './lmdb-store.ts';
import {sealedBytes} from './wal/wal-format.ts';
import {WAL_FILE_BYTES} from './wal/write-ahead-log.ts';

/** A value of which four are in a long record. */
const VALUE = JSON.stringify('x'.repeat(60_000));

/** Number of long records in a file of the write-ahead log, beside a short one. */
const RECORDS = Math.floor(WAL_FILE_BYTES / sealedBytes(4 * VALUE.length + 500));

describe('a store whose tree lags behind its write-ahead log', () => {
  test('writes over no record that the tree lacks, not even the last one of a file', async () => {
    const {store, disk, reopen} = await openOnDisk();
    for (let count = 1; count < RECORDS; count++) await writeLong(store, count);
    // A sweep writes everything into the tree, and finds out when this one expires.
    await write(store, {...put('mortal'), expiry: {kind: 'after', ttlSeconds: 60}});
    await store.sweep();
    disk.onCall = async call => (isOfTree(call) ? 'ENOSPC' : undefined);
    const acknowledged: string[] = [];
    for (let count = RECORDS; count < 4 * RECORDS; count++)
      await writeLong(store, count).then(
        keys => acknowledged.push(...keys),
        error => expect(error).toBeInstanceOf(AppError),
      );
    expect(acknowledged.length).toBeGreaterThan(4 * RECORDS);
    const again = await reopen();
    expect(keysOf(await again.list(range({limit: 1000})))).toEqual(expect.arrayContaining(acknowledged));
  });

  test('shows a write that came while an older one of its key went into the tree', async () => {
    const {store, disk} = await openOnDisk();
    await write(store, {...put('a', '1'), expiry: {kind: 'after', ttlSeconds: 60}});
    let newerRevision: number | undefined;
    disk.onCall = async call => {
      if (isOfTree(call) && newerRevision === undefined) newerRevision = (await write(store, put('a', '2'))).revision;
      return undefined;
    };
    await store.sweep();
    expect(newerRevision).toBe(2);
    expect(textOf(await read(store, 'a'))).toBe('2');
    expect((await store.list({...range(), values: true})).map(textOf)).toEqual(['2']);
  });

  test('names no next expiry after a kill if its only entry that expired was written without a time', async () => {
    const {store, reopen} = await openOnDisk();
    await write(store, {...put('a'), expiry: {kind: 'after', ttlSeconds: 60}});
    expect(await store.sweep()).toBe(60_000);
    await write(store, put('a'));
    const again = await reopen();
    expect(await again.sweep()).toBeUndefined();
  });
});

/** A store on a memory disk, and a way to open it again after a kill. */
async function openOnDisk() {
  const states: States = new Map();
  const open = async (disk: MemoryDisk): Promise<Store> => {
    const engine = memoryEngine(disk, states);
    const randomBytes = (sizeBytes: number): Uint8Array => Buffer.alloc(sizeBytes, 1);
    const deps = {directory: '/data', files: disk, engine, nowMs: () => 0, elapsedMs: () => 0, log: SILENT_LOG};
    const store = await openLmdbStore({...deps, randomBytes});
    onTestFinished(async () => {
      disk.onCall = async () => undefined;
      await store[Symbol.asyncDispose]();
    });
    return store;
  };
  const disk = new MemoryDisk();
  return {store: await open(disk), disk, reopen: () => open(disk.afterKill())};
}

/** Writes one long record. @returns Its keys. */
async function writeLong(store: Store, count: number): Promise<readonly string[]> {
  const keys = [1, 2, 3, 4].map(part => `key ${count}.${part}`);
  await write(store, ...keys.map(key => put(key, VALUE)));
  return keys;
}

function isOfTree({kind, path}: DiskCall): boolean {
  return kind === 'write' && /[\\/]store[\\/]data\.mdb$/.test(path);
}
