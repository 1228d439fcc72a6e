import {describe, expect, test} from 'vitest';
import {put, read, textOf, write} from '../../test/contracts/shared/assertions.ts';
import {CrashRun} from '../../test/support/disk/crash-run.ts';
import {type DiskCall, type Fault, MemoryDisk} from '../../test/support/disk/memory-disk.ts';
import {memoryEngine, type States} from '../../test/support/disk/memory-engine.ts';
import {IS_WINDOWS} from '../../test/support/platform.ts';
import type {Store} from '../core/domain/commits/store.ts';
import {SILENT_LOG} from '../core/domain/log.ts';
import {openLmdbStore} from './lmdb-store.ts';

/** Number of calls of a run that fail, one in each of as many runs: opening a new store, and more than ten writes. */
const CALLS = 60;

describe('a store on a disk', () => {
  const once: readonly Fault[] = ['EIO', 'ENOSPC', ...(IS_WINDOWS ? [] : (['EDQUOT'] as const)), 'EMFILE'];
  for (const fault of once) {
    // A quota is a full disk to everything behind the call.
    for (const end of fault === 'EDQUOT' ? (['kill'] as const) : (['kill', 'loss', 'stop'] as const)) {
      test(`of which any one call fails (${fault}) has what it acknowledged, and nothing that it refused, after a ${end}`, async () => {
        await forEachCall(async (failing, seed) => {
          const faultOf = (_: unknown, number: number): Fault | undefined => (number === failing ? fault : undefined);
          // A transaction of the tree that could not be synced may be there after a loss of power.
          await new CrashRun(seed).fail(faultOf, end, {mayStay: end === 'loss'});
        });
      });
    }

    test(`of which all calls fail from any one on (${fault}) has what it acknowledged`, async () => {
      await forEachCall(async (failing, seed) => {
        const faultOf = (_: unknown, number: number): Fault | undefined => (number >= failing ? fault : undefined);
        await new CrashRun(seed).fail(faultOf, 'kill', {mayStay: true});
      });
    });
  }

  test('of which every write takes half of the bytes has everything', async () => {
    for (let seed = 1; seed <= 10; seed++)
      await new CrashRun(seed).fail(({kind}) => (kind === 'write' ? 'short' : undefined), 'loss', {});
  });

  test('that lies about syncs from any one on has whole commits without a gap, or is refused as damaged', async () => {
    await forEachCall(async (failing, seed) => {
      const faultOf = (_: unknown, number: number): Fault | undefined => (number >= failing ? 'lie' : undefined);
      await new CrashRun(seed).fail(faultOf, 'loss', {mayLose: true});
    });
  });
});

describe('a store for which no file can be opened for a moment', () => {
  const opening: readonly DiskCall['kind'][] = ['create', 'sync-directory'];
  for (const kind of opening)
    test(`(${kind}) refuses the write, and takes the next one`, async () => {
      // The reserve and both files of the log are created by the first write.
      for (let failing = 1; failing <= 2; failing++) {
        const disk = new MemoryDisk();
        const states: States = new Map();
        const store = await open(disk, states);
        let calls = 0;
        disk.onCall = async call => (call.kind === kind && ++calls === failing ? 'EMFILE' : undefined);
        const failure = {code: 'unavailable', what: 'store', problem: expect.stringContaining('EMFILE')};
        await expect(write(store, put('a', '1'))).rejects.toMatchObject({failure});
        expect(store.readOnlyBecause).toBeUndefined();
        await write(store, put('a', '2'));
        await write(store, put('b', '3'));
        const killed = await open(disk.afterKill(), states);
        expect([textOf(await read(killed, 'a')), textOf(await read(killed, 'b'))]).toEqual(['2', '3']);
        for (const each of [store, killed]) await each[Symbol.asyncDispose]();
      }
    });

  test('is read-only if the same error comes from a write', async () => {
    const disk = new MemoryDisk();
    const store = await open(disk, new Map());
    await write(store, put('a', '1'));
    disk.onCall = async ({kind}) => (kind === 'write' ? 'EMFILE' : undefined);
    for (let count = 0; count < 2; count++)
      await expect(write(store, put('a', '2'))).rejects.toMatchObject({failure: {code: 'store-read-only'}});
    disk.onCall = async () => undefined;
    await store[Symbol.asyncDispose]();
  });
});

function open(disk: MemoryDisk, states: States): Promise<Store> {
  const engine = memoryEngine(disk, states);
  const randomBytes = (sizeBytes: number): Uint8Array => Buffer.alloc(sizeBytes, 1);
  return openLmdbStore({directory: '/data', files: disk, engine, nowMs: Date.now, log: SILENT_LOG, randomBytes});
}

async function forEachCall(run: (failing: number, seed: number) => Promise<void>): Promise<void> {
  for (let failing = 1; failing <= CALLS; failing++) {
    try {
      await run(failing, failing);
    } catch (error) {
      if (error instanceof Error) error.message = `call ${failing}: ${error.message}`;
      throw error;
    }
  }
}
