import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {open, readdir, readFile, rm, truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {
  assertFailsWith,
  changesOf,
  keysOf,
  put,
  range,
  read,
  remove,
  textOf,
  write,
} from '../../../test/contracts/shared/assertions.ts';
import {
  changeMetadata,
  makeDirectory,
  openStore,
  putOf,
  startProcess,
  writeWal,
} from '../../../test/support/store-fixture.ts';
import type {Change, Changes, Store} from '../../core/domain/commits/store.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {describeDataDirectory} from '../disk/data-directory.ts';
import {RECOVERY_ADVICE} from '../open-directory.ts';
import {verifyStore} from '../verify-store.ts';
import {type Recovery, readWriteAheadLog} from './recovery.ts';
import {SectorWriter, sealedPosition, unseal} from './wal-format.ts';
import {WAL_FILE_BYTES, WAL_FILES, WAL_RECORD_BYTES_MAX} from './write-ahead-log.ts';

const [FIRST_FILE, SECOND_FILE] = WAL_FILES;

/** Sizes of sectors and blocks, in bytes. */
const SECTOR_BYTES = 512;
const BLOCK_BYTES = 4096;

/** A value of which the record takes four sectors. */
const LONG = JSON.stringify('x'.repeat(1700));

describe('the write-ahead log of a store that was not closed', () => {
  test('is read again: its commits are in lists, reads, changes and snapshots', async () => {
    const {directory} = await leaveWal([
      [putOf(3, 'a', '"from the write-ahead log"'), putOf(3, 'd', '4')],
      [{kind: 'delete', key: parseKey('b'), revision: 4}],
    ]);
    const store = await openStore(directory);
    assert.equal(store.revision, 4);
    assert.equal(textOf(await read(store, 'a')), '"from the write-ahead log"');
    assert.equal((await read(store, 'a'))?.updatedAtMs, WRITTEN_AT_MS);
    assert.deepEqual(await read(store, 'b'), undefined);
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'd']);
    assert.deepEqual(keysOf(await store.list(range({reverse: true, limit: 1}))), ['d']);
    assert.deepEqual(
      (await changesOf(store, 2)).map(({kind, key, revision}) => [kind, key, revision]),
      [
        ['put', 'a', 3],
        ['put', 'd', 3],
        ['delete', 'b', 4],
      ],
    );
    await using snapshot = await store.snapshot();
    assert.equal(snapshot.revision, 4);
    assert.deepEqual(keysOf(await snapshot.list(range())), ['a', 'd']);
    assert.deepEqual(await write(store, put('a', '1')), {revision: 5, outcomes: ['replaced']});
  });

  test('is checkpointed, and deleted once the store is closed', async () => {
    const {directory} = await leaveWal([[putOf(3, 'c', '3')]]);
    await (await openStore(directory))[Symbol.asyncDispose]();
    assert.deepEqual((await readdir(join(directory, 'store'))).filter(isWalFile), []);
    const again = await openStore(directory);
    assert.deepEqual(keysOf(await again.list(range())), ['a', 'b', 'c']);
    assert.equal(again.revision, 3);
  });

  test('is read from both of its files, whichever came first', async () => {
    const {directory, storePath} = await leaveWal([[putOf(3, 'c', '3')], [putOf(4, 'd', '4')], [putOf(5, 'e', '5')]]);
    await moveRecords(storePath, 1);
    const store = await openStore(directory);
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'b', 'c', 'd', 'e']);
  });

  test('may hold commits that are checkpointed already', async () => {
    const {directory} = await leaveWal([[putOf(1, 'z', '"older"')], [putOf(2, 'b', '"older"')], [putOf(3, 'c', '3')]]);
    const store = await openStore(directory);
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'b', 'c']);
    assert.equal(textOf(await read(store, 'b')), '2');
  });

  test('is not changed if it cannot be read, and the missing commits are reported', async () => {
    const {directory, storePath} = await leaveWal([
      [putOf(3, 'c', '3')],
      [putOf(4, 'd', '"damaged"')],
      [putOf(5, 'd', '"damaged"')],
      [putOf(6, 'e', '6')],
    ]);
    const file = join(storePath, FIRST_FILE);
    await damage(file, '"damaged"', 0);
    await damage(file, '"damaged"', 0);
    const before = await readFile(file);
    await assert.rejects(openStore(directory), {
      failure: {
        code: 'store-corrupt',
        what: 'whole',
        directory,
        problem: 'its write-ahead log lacks the commits 4 to 5',
      },
      advice: RECOVERY_ADVICE,
    });
    assert.deepEqual(await readFile(file), before);
    for (const name of WAL_FILES) await rm(join(storePath, name), {force: true});
    const store = await openStore(directory);
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'b']);
  });

  test('is verified with the rest', async () => {
    const {directory, storePath} = await leaveWal([
      [putOf(3, 'c', '3')],
      [putOf(4, 'd', '"damaged"')],
      [putOf(5, 'e', '5')],
    ]);
    assert.equal((await verifyStore(directory)).uncheckpointedChanges, 3);
    await damage(join(storePath, FIRST_FILE), '"damaged"', 0);
    const {uncheckpointedChanges, walDamage} = await verifyStore(directory);
    assert.equal(uncheckpointedChanges, 1);
    assert.match(walDamage ?? '', /^its write-ahead log lacks the commits 4 to 4$/);
  });

  for (const {name, lostSectors} of [
    {name: 'its end is', lostSectors: [2, 3]},
    {name: 'its beginning is', lostSectors: [0]},
    {name: 'some part is', lostSectors: [1]},
    {name: 'all of it is', lostSectors: [0, 1, 2, 3]},
  ]) {
    test(`loses only its last record if ${name} not on the disk: it was never acknowledged`, async () => {
      const {directory, storePath, ends} = await leaveWal([[putOf(3, 'c', '3')], [putOf(4, 'd', LONG)]]);
      for (const sector of lostSectors) await writeUnused(storePath, (ends[0] ?? 0) + sector * SECTOR_BYTES);
      const store = await openStore(directory);
      assert.deepEqual(keysOf(await store.list(range())), ['a', 'b', 'c']);
      assert.deepEqual(await write(store, put('x')), {revision: 4, outcomes: ['created']});
    });
  }

  const damages = [
    {
      name: 'the last sector of its last record is zeroed',
      file: FIRST_FILE,
      at: (end: number) => end - BLOCK_BYTES,
      sizeBytes: 512,
    },
    {name: 'the last page is zeroed', file: FIRST_FILE, at: (end: number) => end - BLOCK_BYTES, sizeBytes: BLOCK_BYTES},
    {
      name: 'the last ten pages are zeroed',
      file: FIRST_FILE,
      at: (end: number) => end - 10 * BLOCK_BYTES,
      sizeBytes: 10 * BLOCK_BYTES,
    },
    {
      name: 'one byte of its last record is changed',
      file: FIRST_FILE,
      at: (end: number) => end - BLOCK_BYTES + 4,
      sizeBytes: 1,
    },
    {name: 'its first file is zeroed', file: FIRST_FILE, at: () => 0, sizeBytes: WAL_FILE_BYTES},
    {
      name: 'a page behind its last record is zeroed',
      file: FIRST_FILE,
      at: (end: number) => end,
      sizeBytes: BLOCK_BYTES,
    },
  ];
  for (const {name, file, at, sizeBytes} of damages) {
    test(`of sixty commits is reported if ${name}: they were acknowledged`, async () => {
      const {directory, storePath, ends} = await leaveWal(
        Array.from({length: 60}, (_, index) => [putOf(index + 3, 'c', '3')]),
      );
      await overwrite(join(storePath, file), at(ends.at(-1) ?? 0), Buffer.alloc(sizeBytes));
      await assertFailsWith(openStore(directory), 'store-corrupt');
      assert.match(
        (await verifyStore(directory)).walDamage ?? '',
        /^its (file wal-[01] is damaged at byte|write-ahead log lacks)/,
      );
    });
  }

  test('is reported if an unused page was written over its last record', async () => {
    const {directory, storePath, ends} = await leaveWal([[putOf(3, 'c', '3')], [putOf(4, 'c', '4')]]);
    const file = join(storePath, FIRST_FILE);
    const [, second = 0] = ends;
    await overwrite(file, second - BLOCK_BYTES, (await readFile(file)).subarray(second, second + BLOCK_BYTES));
    await assertFailsWith(openStore(directory), 'store-corrupt');
  });

  test('is reported if the page of an older record was written over its last one', async () => {
    const {directory, storePath} = await leaveWal([[putOf(3, 'c', '3')], [putOf(4, 'c', '4')], [putOf(5, 'c', '5')]]);
    const file = join(storePath, FIRST_FILE);
    await overwrite(file, 2 * BLOCK_BYTES, (await readFile(file)).subarray(0, BLOCK_BYTES));
    await assertFailsWith(openStore(directory), 'store-corrupt');
  });

  test('is as good as before if the page of a record was written elsewhere too', async () => {
    const {directory, storePath} = await leaveWal([[putOf(3, 'c', '3')], [putOf(4, 'c', '4')], [putOf(5, 'c', '5')]]);
    const file = join(storePath, FIRST_FILE);
    for (const block of [0, 2])
      await overwrite(
        file,
        (7 + block) * BLOCK_BYTES,
        (await readFile(file)).subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES),
      );
    const {store, errors} = await openLogged(directory);
    assert.deepEqual([store.revision, errors.length], [5, 1]);
  });

  test('never writes a block again that has an acknowledged record', async () => {
    const {ends} = await leaveWal([[putOf(3, 'c', '3')], [putOf(4, 'd', LONG)], [putOf(5, 'e', '5')]]);
    assert.deepEqual(
      ends,
      [1, 2, 3].map(blocks => blocks * BLOCK_BYTES),
    );
  });

  test('is reported if the file with its commits was cut', async () => {
    const {directory, storePath} = await leaveWal([[putOf(3, 'c', '3')]]);
    await truncate(join(storePath, FIRST_FILE), 0);
    const problem = `its file ${FIRST_FILE} has 0 bytes and should have ${WAL_FILE_BYTES}, where commits after 2 that were acknowledged may have been`;
    await assert.rejects(openStore(directory), {
      failure: {code: 'store-corrupt', what: 'whole', directory, problem},
      advice: RECOVERY_ADVICE,
    });
  });

  const harmless = [
    {name: 'its second file is zeroed', harm: (file: string) => writeFile(file, Buffer.alloc(WAL_FILE_BYTES))},
    {name: 'its second file was cut', harm: (file: string) => truncate(file, 100)},
    {name: 'its second file is missing', harm: (file: string) => rm(file)},
  ];
  for (const {name, harm} of harmless) {
    test(`opens, and says so, if ${name}: all its commits are in the first one`, async () => {
      const {directory, storePath} = await leaveWal([[putOf(3, 'c', '3')], [putOf(4, 'd', '4')]]);
      await harm(join(storePath, SECOND_FILE));
      const {store, errors} = await openLogged(directory);
      assert.deepEqual(errors, ['the write-ahead log is damaged where it holds no commit; check the disk']);
      assert.deepEqual(keysOf(await store.list(range())), ['a', 'b', 'c', 'd']);
      assert.deepEqual(await write(store, put('e')), {revision: 5, outcomes: ['created']});
      assert.equal((await readFile(join(storePath, SECOND_FILE))).length, WAL_FILE_BYTES);
    });
  }

  test('is as good as before with a flipped bit in any sector that can hold neither a commit nor the next one', async () => {
    const groups = [[putOf(1, 'a', '1')], [putOf(2, 'b', LONG)], [putOf(3, 'c', LONG)], [putOf(4, 'd', '4')]];
    const {directory, storePath, ends} = await leaveWal(groups);
    const [, begin = 0, middle = 0, end = 0] = ends;
    // Two records are checkpointed; that of `c` has four sectors, and that of `d` one. The next one would be behind them.
    const matters = [...Array.from({length: 4}, (_, sector) => begin + sector * SECTOR_BYTES), middle, end];
    let walId: string | undefined;
    await changeMetadata(storePath, metadata => {
      ({walId} = metadata);
      return metadata;
    });
    // Without the tree, which a verification reads in a process of its own each time.
    const readLog = (): Promise<Recovery> =>
      readWriteAheadLog(describeDataDirectory(directory), {checkpointed: 2, walId});
    for (const name of WAL_FILES)
      for (const at of sectorsToTry(end).filter(each => name === SECOND_FILE || !matters.includes(each))) {
        const restore = await flipBit(join(storePath, name), at + 100);
        const {records, damage, harmless} = await readLog();
        assert.deepEqual(
          {revisions: records.map(({first}) => first), damage, harmless},
          {revisions: [3, 4], damage: undefined, harmless: `its file ${name} is damaged at byte ${at}`},
        );
        await restore();
      }
    for (const at of matters) {
      const restore = await flipBit(join(storePath, FIRST_FILE), at + 50);
      assert.ok((await readLog()).damage !== undefined, `the damage at ${at} is not reported`);
      await restore();
    }
  });

  test('is as good as before if its last record is damaged and checkpointed, which its header shows', async () => {
    const {directory, storePath, ends} = await leaveWal([[putOf(1, 'a', '1')], [putOf(2, 'b', '2')]]);
    await flipBit(join(storePath, FIRST_FILE), (ends[0] ?? 0) + 90);
    const {store, errors} = await openLogged(directory);
    assert.equal(errors.length, 1);
    assert.equal(store.revision, 2);
  });

  test('is reported if the other file may begin with the next record, since that did not fit behind the last one', async () => {
    const long = JSON.stringify('x'.repeat(200_000));
    const groups = Array.from({length: 10}, (_, index) => [putOf(index + 3, 'c', long)]);
    const {directory, storePath} = await leaveWal(groups);
    await flipBit(join(storePath, SECOND_FILE), 100);
    await assertFailsWith(openStore(directory), 'store-corrupt');
  });

  test('may be interrupted while its files are created', async () => {
    for (const sizes of [[100], [WAL_FILE_BYTES], [WAL_FILE_BYTES, 0], [WAL_FILE_BYTES, 100]]) {
      const {directory, storePath} = await leaveWal([]);
      for (const [index, size] of sizes.entries())
        await writeFile(join(storePath, WAL_FILES[index] ?? ''), Buffer.alloc(size));
      const store = await openStore(directory);
      assert.deepEqual(await write(store, put('c')), {revision: 3, outcomes: ['created']});
    }
  });

  test('never mistakes a value for a record', async () => {
    const {directory} = await leaveWal([[putOf(3, 'c', '"CRW2CRW2"')], [putOf(4, 'CRW2', '4')]]);
    const store = await openStore(directory);
    assert.equal(textOf(await read(store, 'c')), '"CRW2CRW2"');
    assert.equal(textOf(await read(store, 'CRW2')), '4');
  });

  test('keeps the times of expiry', async () => {
    const expiresAtMs = Date.now() + 60_000;
    const {directory} = await leaveWal([[{...putOf(3, 'a', '1'), expiresAtMs}], [putOf(4, 'b', '2')]]);
    const store = await openStore(directory);
    assert.equal((await read(store, 'a'))?.expiresAtMs, expiresAtMs);
    assert.ok(((await store.sweep()) ?? 0) > 50_000);
    const [expired] = await changesOf(await openLater(store, directory, expiresAtMs), 4);
    assert.deepEqual(expired, {kind: 'expire', key: 'a', revision: 5});
  });

  test('lets the clock of the store continue from its time', async () => {
    const {directory} = await leaveWal([[{...putOf(3, 'a', '1'), expiresAtMs: WRITTEN_AT_MS + 10}]]);
    const store = await openStore(directory, {nowMs: () => 0});
    await write(store, {...put('later'), expiry: {kind: 'after', ttlSeconds: 60}});
    assert.ok(((await read(store, 'later'))?.expiresAtMs ?? 0) >= WRITTEN_AT_MS + 60_000);
  });
});

describe('a store with more writes than its write-ahead log holds', () => {
  test('has all of them after its process was killed', async () => {
    const directory = await makeDirectory();
    const process = await startProcess();
    await process.call('open', {directory});
    const value = JSON.stringify('x'.repeat(60_000));
    const count = Math.ceil((2.5 * WAL_FILES.length * WAL_FILE_BYTES) / value.length);
    for (let index = 0; index < count; index++) await process.call('put', {key: `key ${index}`, json: value});
    await process.kill();
    const store = await openStore(directory);
    assert.equal(store.revision, count);
    assert.equal((await store.list(range({limit: 1000}))).length, count);
  });

  test('accepts writes that are too large for a record, between others that are not checkpointed', async () => {
    const directory = await makeDirectory();
    const large = JSON.stringify('x'.repeat(2 * WAL_RECORD_BYTES_MAX));
    const store = await openStore(directory);
    await write(store, put('a', '1'));
    await write(store, put('a', large), put('b', '2'));
    await write(store, remove('b'), put('c', '3'));
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'c']);
    assert.equal(textOf(await read(store, 'a')), large);
    assert.deepEqual(
      (await changesOf(store, 0)).map(({kind, key, revision}) => [kind, key, revision]),
      [
        ['put', 'a', 1],
        ['put', 'a', 2],
        ['put', 'b', 2],
        ['delete', 'b', 3],
        ['put', 'c', 3],
      ],
    );
  });
});

describe('the write-ahead log of a store that is open', () => {
  test('keeps the last writes, however often changes are read: reading them starts no checkpoint', async () => {
    const {store, readTree} = await openFirst();
    await write(store, put('c', '3'));
    const before = readTree();
    // Nothing waits in between, so that the time of the tree does not come.
    for (let time = 0; time < 50; time++) assert.deepEqual(keysOfChanges(await store.changes(2, {limit: 10})), ['c']);
    assert.ok(readTree().equals(before));
  });

  test('is checkpointed before changes are read, if the change log is short', async () => {
    const {store, readTree} = await openFirst({logChangesMax: 8});
    await write(store, put('c', '3'));
    const before = readTree();
    assert.deepEqual(keysOfChanges(await store.changes(2, {limit: 10})), ['c']);
    assert.ok(!readTree().equals(before));
  });

  test('is deleted once the store is closed, and the tree has the last writes', async () => {
    const {store, directory, storePath} = await openFirst();
    const writing = [write(store, put('c', '3')), write(store, remove('a')), write(store, put('d', '4'))];
    await writing[0];
    assert.deepEqual((await readdir(storePath)).filter(isWalFile), [...WAL_FILES]);
    await Promise.all([...writing, store[Symbol.asyncDispose]()]);
    assert.deepEqual((await readdir(storePath)).filter(isWalFile), []);
    const again = await openStore(directory);
    assert.deepEqual(keysOf(await again.list(range())), ['b', 'c', 'd']);
    assert.equal(again.revision, 5);
  });
});

/** A store with the entries a and b, opened for the first time after they were written: it has no write-ahead log yet, and nothing is under way. */
async function openFirst(options: Parameters<typeof openStore>[1] = {}) {
  const {directory, storePath} = await leaveWal([]);
  for (const name of WAL_FILES) await rm(join(storePath, name), {force: true});
  const store = await openStore(directory, options);
  return {store, directory, storePath, readTree: () => readFileSync(join(storePath, 'data.mdb'))};
}

function keysOfChanges(changes: Changes): readonly string[] {
  return changes.kind === 'changes' ? changes.changes.map(({key}) => key) : assert.fail('the log has forgotten them');
}

const WRITTEN_AT_MS = Date.parse('2026-01-02T03:04:05Z');

/** A closed store with the entries a and b of revisions 1 and 2, and a write-ahead log beside it as a process leaves it that is killed. */
async function leaveWal(groups: readonly (readonly Change[])[]) {
  const directory = await makeDirectory();
  const store = await openStore(directory);
  await write(store, put('a', '1'));
  await write(store, put('b', '2'));
  await store[Symbol.asyncDispose]();
  const storePath = join(directory, 'store');
  const ends = await writeWal(storePath, groups, WRITTEN_AT_MS);
  return {directory, storePath, ends};
}

/** Moves what is behind the first records into the other file. */
async function moveRecords(storePath: string, count: number): Promise<void> {
  const file = join(storePath, FIRST_FILE);
  const bytes = await readFile(file);
  const {content} = unseal(bytes, 0, WAL_FILE_BYTES);
  let at = 0;
  for (let record = 0; record < count; record++) at = content.indexOf('CRW2', at + 1);
  const sealed = Buffer.alloc(WAL_FILE_BYTES);
  new SectorWriter(1).seal(content.subarray(0, at), sealed, 0);
  await overwrite(join(storePath, SECOND_FILE), 0, sealed.subarray(0, sealedPosition(at)));
  new SectorWriter(0).seal(content.subarray(at), sealed, 0);
  await overwrite(file, 0, sealed.subarray(0, bytes.length - sealedPosition(at)));
}

/** Writes an unused sector, as it is there before a record. */
async function writeUnused(storePath: string, at: number): Promise<void> {
  await overwrite(join(storePath, FIRST_FILE), at, new SectorWriter(0).empty(at, SECTOR_BYTES));
}

async function overwrite(path: string, at: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, at);
  await file.close();
}

/** Flips a bit of a file. @returns Flips it back. */
async function flipBit(path: string, at: number): Promise<() => Promise<unknown>> {
  const byte = (await readFile(path))[at] ?? 0;
  await overwrite(path, at, Buffer.from([byte ^ 4]));
  return () => overwrite(path, at, Buffer.from([byte]));
}

/** Positions of sectors of a file: all up to two blocks behind a position, the last ones, and some between them. */
function sectorsToTry(end: number): readonly number[] {
  const sectors = Array.from({length: WAL_FILE_BYTES / SECTOR_BYTES}, (_, sector) => sector * SECTOR_BYTES);
  return sectors.filter(
    (at, sector) => at < end + 2 * BLOCK_BYTES || sector % 97 === 0 || at >= WAL_FILE_BYTES - BLOCK_BYTES,
  );
}

/** Opens a store, and keeps the errors that it logs. */
async function openLogged(directory: string) {
  const errors: string[] = [];
  const store = await openStore(directory, {log: {...SILENT_LOG, error: message => errors.push(message)}});
  return {store, errors};
}

/** Changes one byte of the first place where a text stands. */
async function damage(path: string, text: string, at: number): Promise<void> {
  const place = (await readFile(path)).indexOf(text) + at;
  const file = await open(path, 'r+');
  await file.write(Buffer.from('!'), 0, 1, place);
  await file.close();
}

/** The same store once an entry has expired and was swept. */
async function openLater(store: Store, directory: string, expiresAtMs: number): Promise<Store> {
  await store[Symbol.asyncDispose]();
  const later = await openStore(directory, {nowMs: () => expiresAtMs});
  await later.sweep();
  return later;
}

function isWalFile(name: string): boolean {
  return name.startsWith('wal-');
}
