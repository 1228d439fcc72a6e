import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {assertFailsWith, put, remove, write} from '../../../test/contracts/shared/assertions.ts';
import {makeDirectory} from '../../../test/support/store-fixture.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {openEnvironment} from '../lmdb/environment.ts';
import type {Table} from '../lmdb/table.ts';
import {openLmdbStore} from '../lmdb-store.ts';
import {verifyStore} from '../verify-store.ts';

const LOG_CHANGES_MAX = 20;
const COMMIT = {checks: [], operations: [put('a')], id: 'an id'};

function open(directory: string): Promise<Store> {
  return openLmdbStore({directory, nowMs: Date.now, log: SILENT_LOG, logChangesMax: LOG_CHANGES_MAX});
}

/** Reads or changes the rows of a store that is closed. */
async function withRows(directory: string, change: (table: Table) => void): Promise<void> {
  await using environment = await openEnvironment({directory: join(directory, 'store')});
  const table = environment.table('commits');
  await environment.write(() => change(table));
}

describe('the rows of commits with an id', () => {
  test('are removed with their part of the change log; then the commit is applied anew', async () => {
    const directory = await makeDirectory();
    {
      await using store = await open(directory);
      await store.commit(COMMIT);
      await store.commit({checks: [], operations: [remove('absent')], id: 'of nothing'});
      for (let count = 0; count < 3 * LOG_CHANGES_MAX; count++) await write(store, put('b'));
      await store.changes(0, {limit: 1});
      const {revision} = await store.commit(COMMIT);
      assert.equal(revision, 3 * LOG_CHANGES_MAX + 3);
      assert.equal((await store.commit(COMMIT)).revision, revision);
    }
    await withRows(directory, table => {
      assert.deepEqual(
        [...table.keys({})].map(key => key.toString('latin1', 0, 1)),
        ['i', 'r'],
      );
    });
    await using store = await open(directory);
    assert.equal((await store.commit(COMMIT)).revision, 3 * LOG_CHANGES_MAX + 3);
  });

  test('fail the commit if they are damaged, so that it is not applied twice, and are found by a verification', async () => {
    const directory = await makeDirectory();
    {
      await using store = await open(directory);
      await store.commit(COMMIT);
    }
    assert.equal((await verifyStore(directory)).damagedChanges, 0);
    await withRows(directory, table => {
      for (const key of [...table.keys({})]) {
        const row = table.get(key) ?? assert.fail();
        row[row.length - 1] = (row.at(-1) ?? 0) ^ 1;
        table.put(key, row);
      }
    });
    assert.equal((await verifyStore(directory)).damagedChanges, 1);
    await using store = await open(directory);
    await assertFailsWith(store.commit(COMMIT), 'store-corrupt');
    await write(store, put('b'));
    assert.equal(store.revision, 2);
  });
});
