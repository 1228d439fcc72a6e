import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {FakeTime, type Opened} from '../../test/support/opened-store.ts';
import {LOG_CHANGES_MAX, testAgainstModel} from '../../test/support/store-model.ts';
import {SILENT_LOG} from '../core/domain/log.ts';
import {openLmdbStore} from './lmdb-store.ts';
import {openMemoryStore} from './memory/memory-store.ts';

testAgainstModel({name: 'memory', open: openMemory, runs: 200});
testAgainstModel({name: 'LMDB', open: openLmdb, runs: 30});

async function openMemory(): Promise<Opened> {
  const time = new FakeTime();
  const store = openMemoryStore({...time, logChangesMax: LOG_CHANGES_MAX});
  const end = (): Promise<void> => store[Symbol.asyncDispose]();
  const opened: Opened = {store, time, reopen: async () => opened, end};
  return opened;
}

async function openLmdb(existing?: string, time = new FakeTime()): Promise<Opened> {
  const directory = existing ?? (await mkdtemp(join(tmpdir(), 'crewroom-test-')));
  const store = await openLmdbStore({directory, ...time, log: SILENT_LOG, logChangesMax: LOG_CHANGES_MAX});
  return {
    store,
    time,
    async reopen() {
      await store[Symbol.asyncDispose]();
      return openLmdb(directory, time);
    },
    async end() {
      await store[Symbol.asyncDispose]();
      await rm(directory, {recursive: true});
    },
  };
}
