import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {MemoryDisk} from '../../../test/support/disk/memory-disk.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {describeDataDirectory} from '../disk/data-directory.ts';
import {DiskGate} from './disk-gate.ts';

describe('DiskGate', () => {
  test('tries no write after one failed, and gives the error of the disk as the cause of each refusal', async () => {
    const {gate, logged} = await openGate();
    const broken = new Error('EIO: i/o error, fsync');
    const refusal = {
      failure: {code: 'store-read-only', problem: broken.message},
      cause: broken,
    };
    await assert.rejects(
      gate.write(() => Promise.reject(broken)),
      refusal,
    );
    let tried = false;
    const retry = gate.write(async () => {
      tried = true;
    });
    await assert.rejects(retry, refusal);
    assert.throws(() => gate.assertWritable(), refusal);
    assert.deepEqual([tried, gate.readOnlyBecause], [false, broken.message]);
    assert.deepEqual(logged, [
      {message: 'disk failed; the store is read-only until it is opened again', about: {error: broken}},
    ]);
  });

  test('goes on after a write that found the disk full, and releases the reserve for deletions', async () => {
    const {gate, logged, reserveBytes} = await openGate();
    assert.equal(await gate.check([]), 'ample');
    assert.equal(await reserveBytes(), 1024 * 1024);
    const full = new AppError({code: 'disk-full'}, {cause: new Error('ENOSPC: no space left on device, write')});
    await assert.rejects(
      gate.write(() => Promise.reject(full)),
      full,
    );
    assert.equal(await reserveBytes(), 0);
    assert.deepEqual(logged, [{message: 'disk full; nothing was written', about: {error: full}}]);
    assert.equal(await gate.write(async () => 'written'), 'written');
    assert.equal(gate.readOnlyBecause, undefined);
  });

  test('refuses further writes if the reserve cannot be released', async () => {
    const {gate, disk} = await openGate();
    await gate.check([]);
    disk.onCall = async () => 'EIO';
    await assert.rejects(
      gate.write(() => Promise.reject(new AppError({code: 'disk-full'}))),
      (error: AppError) => error.failure?.code === 'store-read-only',
    );
    assert.match(gate.readOnlyBecause ?? '', /EIO/);
  });

  test('lets other failures of a step pass: nothing was written', async () => {
    const {gate, logged} = await openGate();
    const failure = new AppError({code: 'store-closed'});
    await assert.rejects(
      gate.write(() => Promise.reject(failure)),
      failure,
    );
    assert.deepEqual([gate.readOnlyBecause, logged], [undefined, []]);
  });
});

interface Logged {
  readonly message: string;
  readonly about: unknown;
}

async function openGate() {
  const disk = new MemoryDisk();
  const directory = describeDataDirectory('/data', disk);
  await disk.makeDirectory(directory.storePath);
  const logged: Logged[] = [];
  const log = {
    error: (message: string, about?: unknown) => logged.push({message, about}),
    info: () => {},
    debug: () => {},
  };
  const gate = new DiskGate({directory, elapsedMs: () => 0, randomBytes: sizeBytes => Buffer.alloc(sizeBytes, 1), log});
  const reserveBytes = async () => (await disk.inspect(`${directory.storePath}/reserve`))?.sizeBytes;
  return {gate, disk, logged, reserveBytes};
}
