import assert from 'node:assert/strict';
import {copyFile, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {keysOf, put, putIf, range, write} from '../../../test/contracts/shared/assertions.ts';
import {makeDirectory, openStore, startProcess} from '../../../test/support/store-fixture.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {Log, LogFields} from '../../core/domain/log.ts';
import {verifyStore} from '../verify-store.ts';
import {WAL_FILES} from '../wal/write-ahead-log.ts';

describe('the id of a store in a directory', () => {
  test('comes with its files: those of another store bring their own', async () => {
    const [one, other] = [await makeStore('a'), await makeStore('b')];
    await copyFile(dataFileOf(other.directory), dataFileOf(one.directory));
    const store = await openStore(one.directory);
    assert.equal(store.id, other.id);
    assert.notEqual(store.id, one.id);
  });

  test('stays after the process was killed, and its log is replayed', async () => {
    const {directory, id} = await makeKilledStore();
    const store = await openStore(directory);
    assert.equal(store.id, id);
    assert.deepEqual(keysOf(await store.list(range())), ['acknowledged', 'before']);
  });

  test('changes if the write-ahead log was deleted, which is logged', async () => {
    const {directory, id, storePath} = await makeKilledStore();
    for (const name of WAL_FILES) await rm(join(storePath, name));
    assert.ok((await verifyStore(directory)).walMissing);
    const errors: (readonly [string, LogFields | undefined])[] = [];
    const log: Log = {error: (text, fields) => errors.push([text, fields]), info: () => {}, debug: () => {}};
    const store = await openStore(directory, {log});
    assert.notEqual(store.id, id);
    assert.deepEqual(
      errors.map(([text, fields]) => [text.includes('write-ahead log is missing'), fields]),
      [[true, {storeId: store.id}]],
    );
    // The revision of the lost commit is given again; that of the other history does not match.
    await write(store, put('acknowledged', '"another"'));
    const {revision} = store;
    await assert.rejects(putIf(store, 'acknowledged', '1', {storeId: id, revision}), {
      failure: {
        code: 'revision-conflict',
        conflicts: [
          {
            key: 'acknowledged',
            expected: `${id}-${revision}`,
            actual: String(revision),
            etag: `"${store.id}-${revision}"`,
          },
        ],
      },
    });
    await assertKept(store, directory);
  });

  test('stays when the process is killed again and again, also before anything was written', async () => {
    const {directory, id} = await makeKilledStore();
    for (let round = 0; round < 3; round++) {
      const service = await startProcess();
      await service.call('open', {directory});
      if (round === 1) await service.call('put', {key: 'x', json: '1'});
      await service.kill();
    }
    assert.equal((await openStore(directory)).id, id);
  });

  test('is replaced if requested at opening, and the commits in the log are still replayed', async () => {
    const {directory, id} = await makeKilledStore();
    const store = await openStore(directory, {newStoreId: true});
    assert.notEqual(store.id, id);
    assert.deepEqual(keysOf(await store.list(range())), ['acknowledged', 'before']);
    await write(store, put('after'));
    await assertKept(store, directory);
  });

  test('is replaced if requested at opening, also by a process that is killed before it writes', async () => {
    const {directory, id} = await makeKilledStore();
    const service = await startProcess();
    await service.call('open', {directory, newStoreId: true});
    await service.kill();
    const store = await openStore(directory);
    assert.notEqual(store.id, id);
    assert.deepEqual(keysOf(await store.list(range())), ['acknowledged', 'before']);
  });

  test('is made of the random bytes that the store is given', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory, {randomBytes: sizeBytes => new Uint8Array(sizeBytes).fill(0xab)});
    assert.equal(store.id, 'abababababababab');
  });

  test('is replaced if its record is damaged, which a verification reports', async () => {
    const {directory, id} = await makeStore('a');
    await damageId(directory, id);
    assert.equal((await verifyStore(directory)).storeIdDamaged, true);
    const store = await openStore(directory);
    assert.notEqual(store.id, id);
    assert.deepEqual(keysOf(await store.list(range())), ['a']);
  });
});

describe('a write-ahead log that does not belong to the files beside it', () => {
  const beside = [
    {name: 'another store', make: async () => (await makeStore('other')).directory},
    {name: 'another store that was not closed', make: async () => (await makeKilledStore()).directory},
  ];
  for (const {name, make} of beside) {
    test(`is not replayed by ${name}, even if its revisions fit, and is reported and not changed`, async () => {
      const {directory, storePath} = await makeKilledStore();
      await copyFile(dataFileOf(await make()), dataFileOf(directory));
      const before = await readFile(join(storePath, WAL_FILES[0]));
      await assertForeignLog(directory);
      assert.deepEqual(await readFile(join(storePath, WAL_FILES[0])), before);
      // As the failure says.
      for (const file of WAL_FILES) await rm(join(storePath, file));
      const store = await openStore(directory, {newStoreId: true});
      await assertKept(store, directory);
    });
  }

  test('is not replayed by an earlier state of the same store', async () => {
    const {directory, storePath} = await makeStore('before');
    const backup = join(await makeDirectory(), 'data.mdb');
    await copyFile(dataFileOf(directory), backup);
    await writeAndKill(directory);
    await copyFile(backup, join(storePath, 'data.mdb'));
    await assertForeignLog(directory);
  });

  test('is not replayed by a store whose own id is damaged', async () => {
    const {directory, id} = await makeKilledStore();
    await damageId(directory, id);
    await assertForeignLog(directory);
  });
});

test('a write-ahead log is named of which the file is missing that had the commits', async () => {
  const {directory, storePath} = await makeKilledStore();
  await rm(join(storePath, WAL_FILES[0]));
  await assert.rejects(openStore(directory), (error: {readonly failure: {readonly problem: string}}) => {
    assert.match(error.failure.problem, /^its file wal-0 is missing, where commits after 1 /);
    return true;
  });
});

/** A closed store with one entry. */
async function makeStore(key: string) {
  const directory = await makeDirectory();
  const store = await openStore(directory);
  await write(store, put(key));
  await store[Symbol.asyncDispose]();
  return {directory, id: store.id, storePath: join(directory, 'store')};
}

/** A store with one entry in its tree, and another one in its log only. */
async function makeKilledStore() {
  const made = await makeStore('before');
  await writeAndKill(made.directory);
  return made;
}

async function writeAndKill(directory: string): Promise<void> {
  const service = await startProcess();
  await service.call('open', {directory});
  await service.call('put', {key: 'acknowledged', json: '1'});
  await service.kill();
}

/** The id is the same when the store is opened again. */
async function assertKept(store: Store, directory: string): Promise<void> {
  await store[Symbol.asyncDispose]();
  const again = await openStore(directory);
  assert.equal(again.id, store.id);
  await again[Symbol.asyncDispose]();
}

async function assertForeignLog(directory: string): Promise<void> {
  const problem = /^its write-ahead log \(wal-0, wal-1\) has the commits \d+ to \d+ of another data.mdb/;
  await assert.rejects(openStore(directory), (error: {readonly failure: {readonly problem: string}}) => {
    assert.match(error.failure.problem, problem);
    return true;
  });
  assert.match((await verifyStore(directory)).walDamage ?? '', problem);
}

function dataFileOf(directory: string): string {
  return join(directory, 'store', 'data.mdb');
}

/** Damages the record with the id, on every page that ever had it. */
async function damageId(directory: string, id: string): Promise<void> {
  const file = dataFileOf(directory);
  const bytes = await readFile(file);
  for (let at = bytes.indexOf(id); at !== -1; at = bytes.indexOf(id, at + 1)) bytes[at] = 0x21;
  await writeFile(file, bytes);
}
