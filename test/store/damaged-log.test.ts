import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'vitest';
import {parseKey} from '../../src/core/domain/entries/identifiers.ts';
import {EntryService} from '../../src/service/entries/entry-service.ts';
import {encodeChangeLogKey} from '../../src/store/format/change-log-record.ts';
import {openEnvironment} from '../../src/store/lmdb/environment.ts';
import {makeDirectory, openStore} from '../support/store-fixture.ts';

const KEY = parseKey('a');

test('a history goes on to a damaged record of the log, and no further; other entries are readable', async () => {
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

  const entries = new EntryService({store: await openStore(directory)});
  const page = await entries.history(KEY);
  assert.deepEqual(
    page.changes.map(({revision}) => revision),
    [3],
  );
  await assert.rejects(entries.history(KEY, {after: page.cursor}), {failure: {code: 'entry-corrupt', key: KEY}});
  assert.equal((await entries.get(KEY))?.revision, 3);
});
