import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'vitest';
import {parseKey} from '../../src/core/domain/entries/identifiers.ts';
import {EntryService} from '../../src/service/entries/entry-service.ts';
import {encodeChangeLogKey} from '../../src/store/format/change-log-record.ts';
import {openEnvironment} from '../../src/store/lmdb/environment.ts';
import {createMachine} from '../cli/crewroom.ts';
import {startInTest} from '../support/service.ts';
import {makeDirectory, openStore} from '../support/store-fixture.ts';

const KEY = parseKey('a');
const machine = await createMachine();

/** Makes a data directory whose entry was written three times; the log record of the second time is damaged. */
async function makeDamaged(): Promise<string> {
  const directory = await makeDirectory();
  // Each run of the store ends with a record of its own.
  for (const value of ['behind the damage', 'damaged', 'newer']) {
    const store = await openStore(directory);
    await new EntryService({store}).put(KEY, value);
    await store[Symbol.asyncDispose]();
  }
  const environment = await openEnvironment({directory: join(directory, 'store')});
  const changes = environment.table('changes');
  await environment.write(() => changes.put(encodeChangeLogKey(2), Buffer.alloc(100, 1)));
  await environment[Symbol.asyncDispose]();
  return directory;
}

test('a history goes on to a damaged record of the log, and no further; other entries are readable', async () => {
  const entries = new EntryService({store: await openStore(await makeDamaged())});
  const page = await entries.history(KEY);
  assert.deepEqual(
    page.changes.map(({revision}) => revision),
    [3],
  );
  await assert.rejects(entries.history(KEY, {after: page.cursor}), {
    failure: {code: 'entry-corrupt', key: KEY, before: '3'},
  });
  assert.equal((await entries.get(KEY))?.revision, 3);
});

test('crewroom history prints what is left behind the damage of the log, then what cannot be read', async () => {
  const {port} = await startInTest({dataDir: await makeDamaged()});
  const history = ['history', KEY, '--port', String(port)];
  const {exitCode, stdout, stderr} = await machine.run(history);
  assert.equal(exitCode, 1);
  assert.match(stdout, /^REVISION .*\n3 +written .*\n$/);
  assert.match(stderr, /^crewroom: Cannot read values of "a" before revision 3: the change log is damaged there\nSnap/);
  const json = await machine.run([...history, '--json']);
  assert.match(json.stdout, /^\{"kind":"written","revision":"3",.*\}\n$/);
  assert.match(json.stderr, /^\{.*"code":"entry-corrupt",.*"before":"3"/);
  const restored = await machine.run(['restore', KEY, '--at', '2', '--port', String(port)]);
  assert.deepEqual([restored.exitCode, restored.stdout], [1, '']);
  assert.match(restored.stderr, /before revision 3: the change log is damaged there/);
});
