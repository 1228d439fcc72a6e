import assert from 'node:assert/strict';
import {readFile, rm, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {keysOf, range, textOf} from '../contracts/shared/assertions.ts';
import {makeDamaged} from '../support/damaged-store.ts';
import {assertRemoved, nameTracer, readTrace} from '../support/name-trace.ts';
import {CAN_TRACE, changeMetadata, makeDirectory, openStore} from '../support/store-fixture.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

describe('crewroom recover', () => {
  test('is what a start that is refused advises', async () => {
    const {directory} = await makeDamaged();
    const {exitCode, stderr} = await machine.run(['start', '--port', '0', '--data-dir', directory]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /lacks the commits 10 to 10.*"?crewroom recover FILE/s);
    const {stdout} = await machine.run(['doctor', '--deep', '--port', '0', '--data-dir', directory]);
    assert.match(stdout, /"crewroom recover FILE"/);
  });

  test('shows what would be lost, and changes nothing without a confirmation', async () => {
    const {directory, rest} = await makeDamaged();
    const before = await readFile(join(directory, 'store', 'wal-0'));
    const {exitCode, stderr} = await machine.run(['recover', rest, '--data-dir', directory]);
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /^Damaged: its write-ahead log lacks the commits 10 to 10\nKept: everything before that, with 8 changes of the log\nBehind it: the commits 11 to 21 can be read, and are given up\nTo ".*rest\.ndjson": the 9 entries that they wrote, for "crewroom import"\nDeleted by them, and perhaps back: "a"\n/,
    );
    assert.deepEqual(await readFile(join(directory, 'store', 'wal-0')), before);
    await assert.rejects(stat(rest));
  });

  test('reports a log that is missing, and a store without its file', async () => {
    const {directory, rest} = await makeDamaged();
    for (const name of ['wal-0', 'wal-1']) await rm(join(directory, 'store', name), {force: true});
    const missing = await machine.run(['recover', rest, '--yes', '--data-dir', directory]);
    assert.match(missing.stderr, /the write-ahead log is missing; commits that were only in it are lost/);
    await rm(join(directory, 'store', 'data.mdb'));
    const gone = await machine.run(['recover', rest, '--yes', '--data-dir', directory]);
    assert.equal(gone.exitCode, 1);
    assert.match(gone.stderr, /data\.mdb is missing/);
  });

  test('keeps every commit before the damage, saves those behind it, and gives the store a new id', async () => {
    const {directory, rest, id} = await makeDamaged();
    const {exitCode, stdout, stderr} = await machine.run(['recover', rest, '--yes', '--json', '--data-dir', directory]);
    assert.equal(exitCode, 0, stderr);
    const store = await openStore(directory);
    assert.deepEqual(JSON.parse(stdout), {
      dryRun: false,
      recovered: true,
      problem: 'its write-ahead log lacks the commits 10 to 10',
      revision: '9',
      storeId: store.id,
      file: rest,
      entries: 9,
      deletedKeys: ['a'],
    });
    assert.notEqual(store.id, id);
    assert.equal(store.revision, 9);
    assert.deepEqual(keysOf(await store.list(range())), [
      'a',
      ...Array.from({length: 8}, (_, index) => `late/${index + 2}`),
    ]);
    await store[Symbol.asyncDispose]();

    const service = await machine.start(['--data-dir', directory]);
    const imported = await machine.run([
      'import',
      rest,
      '--yes',
      '--port',
      String(service.port),
      '--data-dir',
      directory,
    ]);
    assert.equal(imported.exitCode, 0, imported.stderr);
    await service.stop();
    const again = await openStore(directory);
    const entries = await again.list({...range(), values: true});
    // All of them but that of the damaged commit, which was the tenth.
    assert.equal(entries.length, 1 + 20 - 1 - 2);
    assert.equal(entries.map(textOf).filter(text => text === '"again"').length, 1);
  });

  test.skipIf(!CAN_TRACE)('does not let the log come back after a loss of power (needs strace)', async () => {
    const {directory, rest} = await makeDamaged();
    const output = join(machine.home, 'trace');
    const args = ['recover', rest, '--yes', '--json', '--data-dir', directory];
    const {exitCode, stderr} = await machine.runProcess(args, {under: nameTracer(output)});
    assert.equal(exitCode, 0, stderr);
    const steps = await readTrace(output);
    for (const name of ['wal-0', 'wal-1']) assertRemoved(steps, join(directory, 'store', name));
  });

  test('saves all that the log has if the store has lost the name of its log', async () => {
    const {directory, rest} = await makeDamaged();
    await changeMetadata(join(directory, 'store'), () => undefined);
    const {exitCode, stdout} = await machine.run(['recover', rest, '--yes', '--json', '--data-dir', directory]);
    assert.equal(exitCode, 0);
    const {entries, deletedKeys, revision} = JSON.parse(stdout);
    // All but that of the damaged commit, and one that was written twice.
    assert.deepEqual([entries, deletedKeys, revision], [17, ['a'], '1']);
    assert.equal((await readFile(rest, 'utf8')).trimEnd().split('\n').length, 1 + entries + 1);
  });

  test('says so if nothing is damaged, and takes no file that exists', async () => {
    const directory = await makeDirectory();
    const {exitCode, stdout} = await machine.run(['recover', 'rest', '--json', '--data-dir', directory]);
    assert.deepEqual([exitCode, stdout], [0, '{"dryRun":false,"recovered":false}\n']);
    await writeFile(join(directory, 'taken'), '');
    const taken = await machine.run(['recover', join(directory, 'taken'), '--data-dir', directory]);
    assert.equal(taken.exitCode, 4);
    assert.match(taken.stderr, /exists already/);
  });
});
