import {join, win32} from 'node:path';
import {describe, expect, test} from 'vitest';
import {type DiskCall, type Fault, MemoryDisk} from '../../../test/support/disk/memory-disk.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {type DataDirectory, describeDataDirectory} from '../disk/data-directory.ts';
import type {OpenFile} from '../disk/file-system.ts';
import {SectorWriter, sealedBytes, unseal} from './wal-format.ts';
import {
  type RecordPosition,
  removeFiles,
  secureRecords,
  UnretractedRecordError,
  WAL_FILE_BYTES,
  WAL_FILES,
  WriteAheadLog,
} from './write-ahead-log.ts';

const BLOCK_BYTES = 4096;

/** A long record: after as many as fit into a file, a few blocks of it are left. */
const LONG = Buffer.alloc(250 * 1024, 'long');
const LONG_BYTES = sealedBytes(LONG.length);
const RECORDS_PER_FILE = Math.floor(WAL_FILE_BYTES / LONG_BYTES);

/** A memory disk that notes the changes of the files of the log, and counts its open files. */
class WatchedDisk extends MemoryDisk {
  readonly calls: string[] = [];
  openFiles = 0;
  /** Faults of the next calls, by their kind and the name of the file. */
  readonly faults = new Map<string, Fault>();

  override async open(...args: Parameters<MemoryDisk['open']>): Promise<OpenFile> {
    const file = await super.open(...args);
    this.openFiles++;
    return {
      ...file,
      close: async () => {
        this.openFiles--;
        await file.close();
      },
    };
  }

  override onCall = async ({kind, path}: DiskCall): Promise<Fault | undefined> => {
    const call = `${kind} ${win32.basename(path)}`;
    this.calls.push(call);
    return this.faults.get(call);
  };

  /** Returns the noted calls, and forgets them. */
  takeCalls(): readonly string[] {
    return this.calls.splice(0);
  }

  /** Returns the content of a file of the log without the checksums. */
  contentOf(index: number): Buffer {
    const {content, damagedAt} = unseal(
      this.fileAt(`/data/store/${WAL_FILES[index]}`)?.content ?? Buffer.alloc(0),
      index,
      WAL_FILE_BYTES,
    );
    expect(damagedAt).toEqual([]);
    return content;
  }
}

async function makeDisk(): Promise<{readonly disk: WatchedDisk; readonly directory: DataDirectory}> {
  const disk = new WatchedDisk();
  await disk.makeDirectory('/data/store');
  disk.takeCalls();
  return {disk, directory: describeDataDirectory('/data', disk)};
}

async function openLog(found = 0) {
  const {disk, directory} = await makeDisk();
  const log = new WriteAheadLog(directory, found);
  await log.create();
  disk.takeCalls();
  return {disk, directory, log};
}

/** Appends a record for which there is space. */
async function append(log: WriteAheadLog, text: string, revision: number): Promise<void> {
  const record = Buffer.from(text);
  expect(log.ensureSpace(record.length, 0)).toBe(true);
  await log.append(record, revision);
}

/** Fills the file that is written to with records of these and the next revisions. */
async function fill(log: WriteAheadLog, first: number): Promise<void> {
  for (let index = 0; index < RECORDS_PER_FILE; index++) {
    expect(log.ensureSpace(LONG.length, 0)).toBe(true);
    await log.append(LONG, first + index);
  }
}

function startsWith(content: Buffer, text: string): boolean {
  return content.subarray(0, text.length).equals(Buffer.from(text)) && content[text.length] === 0;
}

const CREATION = [
  ...['create wal-0', 'write wal-0', 'sync wal-0'],
  ...['create wal-1', 'write wal-1', 'sync wal-1'],
  'sync-directory store',
];

describe('the files of a write-ahead log', () => {
  test('are created unused and durable, after those from before are gone from the disk', async () => {
    const {disk, directory} = await makeDisk();
    const log = new WriteAheadLog(directory, 0);
    expect([log.isOpen, log.sizeBytes, log.writtenBytes]).toEqual([false, 0, 0]);
    await log.create();
    expect(disk.takeCalls()).toEqual(['sync-directory store', ...CREATION]);
    await append(log, 'record', 1);
    await log.close();
    disk.takeCalls();
    const again = new WriteAheadLog(directory, 0);
    await again.create();
    expect(disk.takeCalls()).toEqual(['remove wal-1', 'remove wal-0', 'sync-directory store', ...CREATION]);
    expect([again.isOpen, again.sizeBytes, again.writtenBytes]).toEqual([true, 0, 0]);
    expect([0, 1].map(index => disk.contentOf(index).every(byte => byte === 0))).toEqual([true, true]);
  });

  const failures: readonly {readonly call: string; readonly fault: Fault; readonly code: string}[] = [
    {call: 'sync-directory store', fault: 'EIO', code: 'EIO'},
    {call: 'create wal-1', fault: 'EMFILE', code: 'EMFILE'},
    {call: 'write wal-0', fault: 'ENOSPC', code: 'disk-full'},
    {call: 'write wal-1', fault: 'ENOSPC', code: 'disk-full'},
    {call: 'sync wal-1', fault: 'EIO', code: 'EIO'},
  ];
  for (const {call, fault, code} of failures)
    test(`are closed if they cannot be created (${fault} of ${call}), and may be created again`, async () => {
      const {disk, directory} = await makeDisk();
      const log = new WriteAheadLog(directory, 0);
      disk.faults.set(call, fault);
      const error = await log.create().catch((reason: unknown) => reason);
      expect(error).toMatchObject(code === 'disk-full' ? {failure: {code}, cause: {syscall: 'write'}} : {code});
      expect([disk.openFiles, log.isOpen]).toEqual([0, false]);
      disk.faults.clear();
      await log.create();
      expect([disk.openFiles, log.isOpen]).toEqual([2, true]);
    });

  test('are closed with the log, once', async () => {
    const {disk, log} = await openLog();
    await append(log, 'record', 1);
    disk.takeCalls();
    await log.close();
    expect([disk.openFiles, log.isOpen, log.sizeBytes]).toEqual([0, false, 0]);
    await log.close();
    expect(disk.openFiles).toBe(0);
    expect(disk.takeCalls()).toEqual([]);
  });

  test('are deleted, the first one last, as long as they are there', async () => {
    const {disk, directory} = await openLog();
    await removeFiles(directory);
    await removeFiles(directory);
    expect(disk.takeCalls()).toEqual(['remove wal-1', 'remove wal-0']);
  });
});

describe('the space of a write-ahead log', () => {
  test('is there before its files are, once those from before are checkpointed', async () => {
    const {directory} = await makeDisk();
    const log = new WriteAheadLog(directory, 5);
    expect([4, 5, 6].map(checkpointed => log.ensureSpace(100, checkpointed))).toEqual([false, true, true]);
  });

  test('is counted in whole blocks', async () => {
    const {log} = await openLog();
    await append(log, 'a', 1);
    await append(log, 'x'.repeat(BLOCK_BYTES), 2);
    expect([log.sizeBytes, log.writtenBytes]).toEqual([3 * BLOCK_BYTES, 3 * BLOCK_BYTES]);
  });

  test('is the first file to its last block, then the second one', async () => {
    const {disk, log} = await openLog();
    await fill(log, 1);
    for (let end = RECORDS_PER_FILE * LONG_BYTES; end < WAL_FILE_BYTES; end += BLOCK_BYTES)
      await append(log, 'last', 100);
    expect(disk.contentOf(1).every(byte => byte === 0)).toBe(true);
    await append(log, 'second', 101);
    expect(startsWith(disk.contentOf(1), 'second')).toBe(true);
    expect(disk.contentOf(0).subarray(-4064).toString('latin1', 0, 4)).toBe('last');
    expect(log.sizeBytes).toBe(WAL_FILE_BYTES + BLOCK_BYTES);
  });

  test('is a file of which every record is checkpointed, from its beginning', async () => {
    const {disk, log} = await openLog();
    await fill(log, 1);
    await fill(log, RECORDS_PER_FILE + 1);
    const last = RECORDS_PER_FILE;
    expect([0, last - 1].map(checkpointed => log.ensureSpace(LONG.length, checkpointed))).toEqual([false, false]);
    // A smaller one fits behind the last record.
    expect(log.ensureSpace(1, 0)).toBe(true);
    expect(log.ensureSpace(LONG.length, last)).toBe(true);
    expect(log.sizeBytes).toBe(RECORDS_PER_FILE * LONG_BYTES);
    await log.append(Buffer.from('newer'), 2 * last + 1);
    expect(disk.contentOf(0).toString('latin1', 0, 5)).toBe('newer');
    expect(log.writtenBytes).toBe(2 * RECORDS_PER_FILE * LONG_BYTES + BLOCK_BYTES);
    // The first file has records again that are not checkpointed, so the second one is free before.
    for (let index = 2; index <= last + 1; index++) {
      expect(log.ensureSpace(LONG.length, 0)).toBe(true);
      await log.append(LONG, 2 * last + index);
    }
    expect(log.ensureSpace(LONG.length, 2 * last - 1)).toBe(false);
    expect(log.ensureSpace(LONG.length, 2 * last)).toBe(true);
    await log.append(Buffer.from('newest'), 3 * last + 2);
    expect(disk.contentOf(1).toString('latin1', 0, 6)).toBe('newest');
  });
});

describe('a record that is appended to a write-ahead log', () => {
  test('is written and synced behind the last one', async () => {
    const {disk, log} = await openLog();
    await append(log, 'first', 1);
    await append(log, 'second', 2);
    expect(disk.takeCalls()).toEqual(['write wal-0', 'sync wal-0', 'write wal-0', 'sync wal-0']);
    const content = disk.contentOf(0);
    expect(startsWith(content, 'first')).toBe(true);
    expect(startsWith(content.subarray(4064), 'second')).toBe(true);
  });

  for (const [call, fault, code] of [
    ['sync wal-0', 'ENOSPC', 'disk-full'],
    ['sync wal-0', 'EIO', 'EIO'],
  ] as const)
    test(`is erased if it cannot be synced (${fault}), and the next one takes its place`, async () => {
      const {disk, log} = await openLog();
      await append(log, 'good', 1);
      const onCall = disk.onCall;
      disk.onCall = async each => {
        disk.onCall = `${each.kind} wal-0` === call ? onCall : disk.onCall;
        return `${each.kind} wal-0` === call ? fault : onCall(each);
      };
      const error = await append(log, 'failed', 2).catch((reason: unknown) => reason);
      expect(error).toMatchObject(code === 'disk-full' ? {failure: {code}, cause: {syscall: 'sync'}} : {code});
      expect(error instanceof AppError).toBe(code === 'disk-full');
      expect([log.sizeBytes, log.writtenBytes]).toEqual([BLOCK_BYTES, BLOCK_BYTES]);
      expect(disk.contentOf(0).includes('failed')).toBe(false);
      expect(disk.takeCalls().slice(2)).toEqual(['write wal-0', 'write wal-0', 'sync wal-0']);
      await append(log, 'next', 2);
      expect(startsWith(disk.contentOf(0).subarray(4064), 'next')).toBe(true);
      expect(log.ensureSpace(WAL_FILE_BYTES, 1)).toBe(true);
    });

  test('is told apart if it can be neither written nor erased, and erased when the log is closed', async () => {
    const {disk, log} = await openLog();
    await append(log, 'good', 1);
    disk.faults.set('sync wal-0', 'EIO');
    const error = await append(log, 'failed', 2).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnretractedRecordError);
    const reason = `EIO: a fault of the memory disk, sync '${join('/data', 'store', 'wal-0')}'`;
    expect(error).toMatchObject({
      name: 'UnretractedRecordError',
      message: `${reason}, and its record cannot be erased (${reason})`,
      cause: {code: 'EIO'},
    });
    disk.faults.clear();
    disk.takeCalls();
    await log.close();
    await log.close();
    expect(disk.takeCalls()).toEqual(['write wal-0', 'sync wal-0']);
    expect(disk.contentOf(0).includes('failed')).toBe(false);
    expect(startsWith(disk.contentOf(0), 'good')).toBe(true);
  });

  test('does not keep the log open if it cannot be erased at the end either', async () => {
    const {disk, log} = await openLog();
    disk.faults.set('write wal-0', 'EIO');
    await expect(log.append(Buffer.from('failed'), 1)).rejects.toBeInstanceOf(UnretractedRecordError);
    await log.close();
    expect([disk.openFiles, log.isOpen]).toEqual([0, false]);
  });
});

describe('the records that were read from a write-ahead log', () => {
  /** A closed log, and the position of a record in its second file that was not written yet. */
  const leave = async () => {
    const {disk, directory, log} = await openLog();
    await append(log, 'first', 1);
    await log.close();
    disk.takeCalls();
    const bytes = new SectorWriter(1).seal(Buffer.from('last'), Buffer.alloc(BLOCK_BYTES), BLOCK_BYTES);
    const last: RecordPosition = {file: 'wal-1', at: BLOCK_BYTES, bytes};
    return {disk, directory, last};
  };

  test('are synced, and the last one is written again before', async () => {
    const {disk, directory, last} = await leave();
    await secureRecords(directory, last);
    expect(disk.takeCalls()).toEqual(['sync wal-0', 'write wal-1', 'sync wal-1']);
    expect(startsWith(disk.contentOf(1).subarray(4064), 'last')).toBe(true);
    expect(startsWith(disk.contentOf(0), 'first')).toBe(true);
    expect(disk.openFiles).toBe(0);
  });

  test('are synced if the other file is missing', async () => {
    const {disk, directory, last} = await leave();
    await disk.remove('/data/store/wal-0');
    disk.takeCalls();
    await secureRecords(directory, last);
    expect(disk.takeCalls()).toEqual(['write wal-1', 'sync wal-1']);
  });

  test('leave no file open if they cannot be synced', async () => {
    const {disk, directory, last} = await leave();
    disk.faults.set('sync wal-1', 'EIO');
    await expect(secureRecords(directory, last)).rejects.toMatchObject({code: 'EIO'});
    expect(disk.openFiles).toBe(0);
  });
});
