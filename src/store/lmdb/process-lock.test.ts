import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {assertFailsWith, put, write} from '../../../test/contracts/shared/assertions.ts';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {makeDirectory, openStore, startProcess} from '../../../test/support/store-fixture.ts';
import {describeDataDirectory} from '../disk/data-directory.ts';
import {findHolder} from './process-lock.ts';

const RACERS = 6;

/** Number of races: two processes that open the lock within the same microseconds are rare. */
const ROUNDS = 10;

/** Runs a program as process 1 of its own, as a container does; it ends with the program that runs it. */
const IN_CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

const CAN_UNSHARE = spawnSync('unshare', [...IN_CONTAINER.slice(1), 'true']).status === 0;

describe('a data directory', () => {
  test('refuses a second process and names the one that has it', async () => {
    const directory = await makeDirectory();
    const [first, second] = await Promise.all([startProcess(), startProcess()]);
    await first.call('open', {directory});
    await assert.rejects(second.call('open', {directory}), {failure: inUse(directory, first.processId)});
    await first.call('put', {key: 'a', json: '1'});
    await first.call('close');
    await second.call('open', {directory});
    assert.equal(await second.call('get', {key: 'a'}), '1');
  });

  test('opens at once after its process was killed', async () => {
    const directory = await makeDirectory();
    const first = await startProcess();
    await first.call('open', {directory});
    await first.call('put', {key: 'a', json: '1'});
    await first.kill();
    const store = await openStore(directory);
    assert.equal(store.revision, 1);
  });

  test('has no holder if the file of its lock is empty, as after an interrupted start', async () => {
    const directory = await makeDirectory();
    await mkdir(join(directory, 'lock'));
    await writeFile(join(directory, 'lock', 'data.mdb'), '');
    assert.equal(await findHolder(describeDataDirectory(directory)), undefined);
    await openStore(directory);
    assert.equal(await findHolder(describeDataDirectory(directory)), process.pid);
  });

  test('refuses the same process too, and then still all others', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory);
    await assert.rejects(openStore(directory), {failure: inUse(directory, process.pid)});
    assert.equal(await findHolder(describeDataDirectory(directory)), process.pid);
    // What was opened to find that out is closed again; that must not give the lock up.
    const other = await startProcess();
    assert.equal(await other.call('findHolder', {directory}), process.pid);
    await assert.rejects(other.call('open', {directory}), {failure: inUse(directory, process.pid)});
    assert.equal(await store.changes(0, {limit: 1}).then(({kind}) => kind), 'changes');
    await store[Symbol.asyncDispose]();
    await other.call('open', {directory});
  });

  // Windows removes no open file.
  test.skipIf(IS_WINDOWS)(
    'refuses a second process although the lock was deleted, also after a snapshot of the store was released',
    async () => {
      const directory = await makeDirectory();
      const store = await openStore(directory);
      await write(store, put('a'));
      await (await store.snapshot())[Symbol.asyncDispose]();
      for (let round = 0; round < 2; round++) {
        await rm(join(directory, 'lock'), {recursive: true});
        const second = await startProcess();
        await assert.rejects(second.call('open', {directory}), {failure: inUse(directory, process.pid)});
      }
      assert.equal((await write(store, put('b'))).revision, 2);
      await store[Symbol.asyncDispose]();
      assert.equal((await openStore(directory)).revision, 2);
    },
  );

  const unfinished = [
    {part: 'store', content: Buffer.alloc(8192)},
    {part: 'store', content: Buffer.alloc(100, 'x')},
    {part: 'lock', content: Buffer.alloc(8192)},
    {part: 'lock', content: Buffer.alloc(100, 'x')},
  ];
  for (const {part, content} of unfinished) {
    test(`opens if its first start left ${content.length} unsound bytes in ${part}/, since nothing is in them without a format`, async () => {
      const directory = await makeDirectory();
      await mkdir(join(directory, part));
      await writeFile(join(directory, part, 'data.mdb'), content);
      assert.equal((await write(await openStore(directory), put('a'))).revision, 1);
    });
  }

  test('is refused as damaged if a larger store in it is unsound, with or without a format', async () => {
    const directory = await makeDirectory();
    await (await openStore(directory))[Symbol.asyncDispose]();
    const file = join(directory, 'store', 'data.mdb');
    await writeFile(file, (await readFile(file)).fill(0, 0, 4096));
    await rm(join(directory, 'format.json'));
    const before = await readFile(file);
    await assertFailsWith(openStore(directory), 'store-corrupt');
    assert.deepEqual(await readFile(file), before);
  });

  test('has one winner when six processes open it at once', async () => {
    const processes = await Promise.all(Array.from({length: RACERS}, () => startProcess()));
    for (let round = 0; round < ROUNDS; round++) {
      const directory = await makeDirectory();
      const results = await Promise.allSettled(processes.map(each => each.call('open', {directory})));
      const [winner, ...others] = processes.filter((_, index) => results[index]?.status === 'fulfilled');
      assert.ok(winner);
      assert.equal(others.length, 0);
      const reasons = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
      assert.equal(reasons.length, RACERS - 1);
      for (const {failure, message} of reasons) assert.deepEqual(failure, inUse(directory, winner.processId), message);
      await winner.call('close');
    }
  });

  test.skipIf(!CAN_UNSHARE)('refuses a process of another container that has the same id (needs unshare)', async () => {
    const directory = await makeDirectory();
    const [first, second] = await Promise.all([
      startProcess({under: IN_CONTAINER}),
      startProcess({under: IN_CONTAINER}),
    ]);
    // Either of them may be quicker.
    const results = await Promise.allSettled([first, second].map(each => each.call('open', {directory})));
    const refused = results.filter(result => result.status === 'rejected');
    assert.deepEqual(
      refused.map(({reason}) => reason.failure),
      [inUse(directory, 1)],
    );
    const [holder, other] = results[0]?.status === 'fulfilled' ? [first, second] : [second, first];
    await assert.rejects(other.call('open', {directory}), {failure: inUse(directory, 1)});
    const outside = await startProcess();
    await assert.rejects(outside.call('open', {directory}), {failure: inUse(directory, 1)});
    assert.equal(await other.call('findHolder', {directory}), 1);
    assert.equal(await holder.call('put', {key: 'a', json: '1'}), 1);
    await holder.call('close');
    await other.call('open', {directory});
    assert.equal(await other.call('put', {key: 'a', json: '1'}), 2);
  });

  test.skipIf(!CAN_UNSHARE)('opens in a container that starts again with the same id after a kill', async () => {
    const directory = await makeDirectory();
    const first = await startProcess({under: IN_CONTAINER});
    await first.call('open', {directory});
    await first.kill();
    const second = await startProcess({under: IN_CONTAINER});
    await second.call('open', {directory});
    assert.equal(await second.call('put', {key: 'a', json: '1'}), 1);
  });

  test('can be opened by one process after another', async () => {
    const directory = await makeDirectory();
    const processes = await Promise.all(Array.from({length: 3}, () => startProcess()));
    for (const [index, each] of processes.entries()) {
      await each.call('open', {directory});
      assert.equal(await each.call('put', {key: 'a', json: '1'}), index + 1);
      await each.call('close');
    }
  });
});

function inUse(directory: string, processId: number): object {
  return {code: 'data-directory-in-use', directory, processId};
}
