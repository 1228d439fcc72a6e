import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, statfsSync, statSync} from 'node:fs';
import {appendFile, chmod, readdir, rm, statfs} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {
  changesOf,
  keysOf,
  patch,
  put,
  range,
  read,
  remove,
  textOf,
  write,
} from '../../../test/contracts/shared/assertions.ts';
import {startStoreProcess} from '../../../test/store/store-process.ts';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {CAN_LIMIT, makeDirectory, openStore, putOf, writeWal} from '../../../test/support/store-fixture.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';

const CAN_MOUNT = canMount();
const DISK_BYTES = 4 * 1024 * 1024;
/** Size of a disk with enough free space for the write-ahead log. It takes no memory until it is written to. */
const AMPLE_BYTES = 2 * 1024 * 1024 * 1024;

describe.skipIf(!CAN_MOUNT)('a store on a full disk (needs the right to mount)', () => {
  test('refuses writes that do not fit, keeps existing entries, and accepts writes again once there is free space', async () => {
    const directory = await mountDisk();
    const store = await openStore(join(directory, 'data'));
    const value = `"${'x'.repeat(60_000)}"`;
    await write(store, put('a', '"before"'), put('large', value));
    await fill(directory);
    const revision = store.revision;

    const full = {failure: {code: 'disk-full'}};
    const refused = await Promise.allSettled([
      write(store, put('a', value), put('b', value)),
      write(store, put('c', value)),
      write(store, patch('a', '{"a":1}')),
    ]);
    for (const result of refused) assert.deepEqual(result.status === 'rejected' && result.reason.failure, full.failure);
    assert.deepEqual([store.revision, store.readOnlyBecause], [revision, undefined]);
    assert.equal(textOf(await read(store, 'a')), '"before"');
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'large']);

    assert.deepEqual((await write(store, remove('large'))).outcomes, ['deleted']);
    await rm(join(directory, 'filling'));
    await write(store, put('a', value), put('b', value));
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'b']);
    assert.equal(store.revision, revision + 2);
  });

  test('notices before it writes that values and their copies in the change log do not fit', async () => {
    const directory = await mountDisk();
    const {log, failed} = recordErrors();
    const store = await openStore(join(directory, 'data'), {log});
    await write(store, put('kept'));
    const values = Array.from({length: 10}, (_, index) => put(`key ${index}`, `"${'x'.repeat(60_000)}"`));
    await fill(directory, 1_100_000);
    await assert.rejects(write(store, ...values), {failure: {code: 'disk-full'}});
    // A write that fails on the way can end the process.
    assert.deepEqual(failed, []);
    assert.deepEqual(keysOf(await store.list(range())), ['kept']);
    await write(store, ...values.slice(1, 3));
  });

  test('can be closed and opened while the disk is full, and deletes then too', async () => {
    const directory = await mountDisk();
    let store = await openStore(join(directory, 'data'));
    for (let index = 0; index < 5; index++) await write(store, put(`key ${index}`, `"${index}"`));
    await fill(directory);
    for (let round = 0; round < 3; round++) {
      await store[Symbol.asyncDispose]();
      store = await openStore(join(directory, 'data'));
      assert.equal(textOf(await read(store, 'key 4')), '"4"');
      await assert.rejects(write(store, put('new')), {failure: {code: 'disk-full'}});
      await write(store, remove(`key ${round}`));
    }
    await rm(join(directory, 'filling'));
    await write(store, put('new'));
    assert.deepEqual(keysOf(await store.list(range())), ['key 3', 'key 4', 'new']);
  });

  test('reports a disk that was full from the beginning', async () => {
    const directory = await mountDisk();
    await fill(directory);
    await assert.rejects(openStore(join(directory, 'data')), {
      failure: {code: 'data-directory-unusable', directory: join(directory, 'data'), problem: 'its disk is full'},
    });
  });

  test('is refused on a disk that is read-only', async () => {
    const directory = await mountDisk();
    await (await openStore(join(directory, 'data')))[Symbol.asyncDispose]();
    run('mount', '-o', 'remount,ro', directory);
    await assertUnusable(openStore(join(directory, 'data')));
    await assertUnusable(openStore(join(directory, 'new')));
  });
});

describe.skipIf(!CAN_MOUNT)('a group that does not fit into the tree (needs the right to mount)', () => {
  const value = `"${'x'.repeat(60_000)}"`;

  test('stays readable, leaves space for deletions, and is not lost', async () => {
    const directory = await mountDisk(AMPLE_BYTES);
    const dataDirectory = join(directory, 'data');
    let store = await openStore(dataDirectory);
    await write(store, put('gone'), put('kept'));
    await write(store, put('a', value), put('b', value), put('c', value), remove('gone'));
    // At once, while it is only in the write-ahead log.
    shrink(directory);
    await expect.poll(() => statSync(join(dataDirectory, 'store', 'reserve')).size).toBe(0);

    const assertThere = async (keys: readonly string[]): Promise<void> => {
      assert.equal(store.readOnlyBecause, undefined);
      assert.deepEqual(keysOf(await store.list(range())), keys);
      for (const key of keys) assert.equal(textOf(await read(store, key)), key === 'kept' ? '1' : value);
      assert.equal(await read(store, 'gone'), undefined);
    };
    await assertThere(['a', 'b', 'c', 'kept']);
    assert.deepEqual(
      (await changesOf(store, 1)).map(({kind, key}) => [kind, key]),
      [
        ['put', 'a'],
        ['put', 'b'],
        ['put', 'c'],
        ['delete', 'gone'],
      ],
    );
    await assert.rejects(write(store, put('new', value)), {failure: {code: 'disk-full'}});
    assert.deepEqual((await write(store, remove('a'))).outcomes, ['deleted']);
    await assertThere(['b', 'c', 'kept']);
    await store[Symbol.asyncDispose]();

    store = await openStore(dataDirectory);
    await assertThere(['b', 'c', 'kept']);
    resize(directory, AMPLE_BYTES);
    await write(store, put('new', value));
    await assertThere(['b', 'c', 'kept', 'new']);
    await store[Symbol.asyncDispose]();
    store = await openStore(dataDirectory);
    await assertThere(['b', 'c', 'kept', 'new']);
  });

  test('stays in the write-ahead log while it is larger than the reserve for deletions', async () => {
    const directory = await mountDisk(2 * DISK_BYTES);
    const dataDirectory = join(directory, 'data');
    let store = await openStore(dataDirectory);
    await write(store, put('kept'));
    await store[Symbol.asyncDispose]();
    const groups = Array.from({length: 8}, (_, index) =>
      ['a', 'b', 'c'].map(name => putOf(2 + index, `${name}${index}`, value)),
    );
    await writeWal(join(dataDirectory, 'store'), groups, Date.now());
    const keys = [...groups.flat().map(({key}) => key), 'kept'].sort();
    await fill(directory);

    const {log, failed} = recordErrors();
    for (let round = 0; round < 2; round++) {
      store = await openStore(dataDirectory, {log});
      for (const operation of [put('new'), remove('a0')])
        await assert.rejects(write(store, operation), {failure: {code: 'disk-full'}});
      assert.equal(store.readOnlyBecause, undefined);
      assert.deepEqual(keysOf(await store.list(range())), keys);
      assert.equal(textOf(await read(store, 'c7')), value);
      if (round === 0) await store[Symbol.asyncDispose]();
    }
    // Nor was it tried: a write that fails on the way can end the process.
    assert.deepEqual(failed, []);
    await rm(join(directory, 'filling'));
    await write(store, put('new'), remove('a0'));
    await store[Symbol.asyncDispose]();
    assert.deepEqual((await readdir(join(dataDirectory, 'store'))).filter(isWalFile), []);
    store = await openStore(dataDirectory);
    assert.deepEqual(keysOf(await store.list(range())), [...keys.slice(1), 'new'].sort());
    assert.equal(store.revision, 10);
  });
});

test.skipIf(!CAN_LIMIT)(
  'a store that reached the file size limit of its process refuses writes, and accepts deletions (needs prlimit)',
  async () => {
    const directory = join(await makeDirectory(), 'data');
    const free = await openStore(directory);
    await write(free, put('a'), put('b'));
    await free[Symbol.asyncDispose]();
    await rm(join(directory, 'store', 'reserve'));
    // Less than the reserve needs, while the disk has plenty: as with a quota.
    await using limited = await startStoreProcess({under: ['prlimit', `--fsize=${512 * 1024}`]});
    await limited.call('open', {directory});
    await assert.rejects(limited.call('put', {key: 'c', json: '1'}), {failure: {code: 'disk-full'}});
    assert.equal(await limited.call('delete', {key: 'a'}), 'deleted');
    assert.deepEqual(await limited.call('keys'), ['b']);
  },
);

test.skipIf(!CAN_LIMIT)(
  'a store whose file may not grow refuses to write, deletes, and goes on once it may (needs prlimit)',
  async () => {
    const directory = join(await makeDirectory(), 'data');
    const limitBytes = 4 * 1024 * 1024;
    await using store = await startStoreProcess({under: ['prlimit', `--fsize=${limitBytes}:unlimited`]});
    await store.call('open', {directory});
    let written = 0;
    const fillUp = async (): Promise<void> => {
      for (; written < 200; written++)
        await store.call('put', {key: `key ${written}`, json: `"${String(written).padEnd(50_000, 'x')}"`});
    };
    await assert.rejects(fillUp(), {failure: {code: 'disk-full'}});
    assert.ok(written > 10, `only ${written} values fitted`);
    assert.equal(await store.call('readOnlyBecause'), undefined);
    assert.equal(await store.call('delete', {key: 'key 0'}), 'deleted');
    assert.equal(String(await store.call('get', {key: 'key 1'})).slice(0, 3), '"1x');
    run('prlimit', '--pid', String(store.processId), '--fsize=unlimited');
    await fillUp();
  },
);

test.skipIf(IS_WINDOWS || process.getuid?.() === 0)(
  'a store in a directory that may not be written to is refused',
  async () => {
    const directory = await makeDirectory();
    await chmod(directory, 0o500);
    await assertUnusable(openStore(join(directory, 'data')));
  },
);

async function assertUnusable(opening: Promise<unknown>): Promise<void> {
  await assert.rejects(opening, (error: {readonly failure?: {readonly code: string}}) => {
    assert.equal(error.failure?.code, 'data-directory-unusable', String(error));
    return true;
  });
}

/** Returns a log that records errors, such as a failed write of the engine. */
function recordErrors() {
  const failed: string[] = [];
  return {failed, log: {...SILENT_LOG, error: (message: string) => failed.push(message)}};
}

/** Fills a disk, except for some bytes. */
async function fill(directory: string, leftBytes = 0): Promise<void> {
  const {bavail, bsize} = await statfs(directory);
  const left = Math.ceil(leftBytes / bsize);
  await appendFile(join(directory, 'filling'), Buffer.alloc((bavail - left) * bsize));
  assert.equal((await statfs(directory)).bavail, left);
}

/** Shrinks a disk to the space in use. */
function shrink(directory: string): void {
  const {bsize, blocks, bfree} = statfsSync(directory);
  resize(directory, (blocks - bfree) * bsize);
  assert.equal(statfsSync(directory).bavail, 0);
}

function resize(directory: string, sizeBytes: number): void {
  run('mount', '-o', `remount,size=${sizeBytes}`, directory);
}

async function mountDisk(sizeBytes = DISK_BYTES): Promise<string> {
  const directory = await makeDirectory();
  run('mount', '-t', 'tmpfs', '-o', `size=${sizeBytes},mode=0700`, 'crewroom-test', directory);
  onTestFinished(() => run('umount', '-l', directory));
  return directory;
}

function run(program: string, ...options: readonly string[]): void {
  const {status, stderr} = spawnSync(program, options);
  assert.equal(status, 0, String(stderr));
}

function isWalFile(name: string): boolean {
  return name.startsWith('wal-');
}

function canMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-test-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'crewroom-test', directory]).status === 0;
  if (mounted) spawnSync('umount', [directory]);
  rmSync(directory, {recursive: true});
  return mounted;
}
