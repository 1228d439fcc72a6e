import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, test} from 'vitest';
import {createClient} from '../src/client/client.ts';
import {createService} from '../src/client/service/service.ts';
import {createTransfer} from '../src/client/transfer/http-transfer.ts';
import type {Store} from '../src/core/domain/commits/store.ts';
import {SILENT_LOG} from '../src/core/domain/log.ts';
import {EntryService} from '../src/service/entries/entry-service.ts';
import {ValueEntries} from '../src/service/entries/typed-entries.ts';
import {openLmdbStore} from '../src/store/lmdb-store.ts';
import {openMemoryStore} from '../src/store/memory/memory-store.ts';
import {testComposedEntries, testEntries} from './contracts/entries/entries-contract.ts';
import type {OpenedEntries} from './contracts/entries/opened-entries.ts';
import {type OpenedEvents, testEvents} from './contracts/events/events-contract.ts';
import {testSessions} from './contracts/sessions/sessions-contract.ts';
import type {OpenedSessions} from './contracts/sessions/subject.ts';
import type {ClockedStore} from './contracts/store/expiry.ts';
import type {ReopenableStore} from './contracts/store/identity.ts';
import type {SharedStores} from './contracts/store/sharing.ts';
import {testStore} from './contracts/store/store-contract.ts';
import {type OpenedTransfer, testTransfer} from './contracts/transfer/transfer-contract.ts';
import {openTestService} from './support/service.ts';
import {openHandle} from './support/shared-store.ts';

const LOG_CHANGES_MAX = 20;
const NOON_MS = Date.UTC(2026, 0, 1, 12);
// Concurrent, since most of their time they wait for the disk.
const runner = {describe, test: test.concurrent};
const directories: string[] = [];

afterAll(async () => {
  for (const directory of directories) await rm(directory, {recursive: true});
});

testStore({
  name: 'a store in memory',
  open: openMemory,
  openClocked: () => openClocked(openMemory),
  openShared,
  logChangesMax: LOG_CHANGES_MAX,
  ...runner,
});
testStore({
  name: 'a store in LMDB',
  open: openLmdb,
  openClocked: () => openClocked(openLmdb),
  openReopenable,
  logChangesMax: LOG_CHANGES_MAX,
  ...runner,
});

testEntries({name: 'entries over memory', open: () => openService(openMemory), ...runner});
testComposedEntries({name: 'entries over LMDB', open: () => openService(openLmdb), ...runner});
testEntries({name: 'entries over HTTP', open: openOverHttp, ...runner});
testComposedEntries({name: 'entries over HTTP in one process', open: openInProcess, ...runner});

testEvents({name: 'events of the embedded service', open: openEmbedded, ...runner});
testEvents({name: 'events over HTTP', open: openClient, ...runner});

testTransfer({name: 'exports and imports of the embedded service', open: openEmbedded, ...runner});
testTransfer({name: 'exports and imports over HTTP', open: openClient, ...runner});
testTransfer({name: 'exports and imports over HTTP in one process', open: openInProcess, ...runner});

testSessions({name: 'sessions of the embedded service', open: openEmbedded, ...runner});
testSessions({name: 'sessions over HTTP', open: openClient, ...runner});
testSessions({name: 'sessions over HTTP in one process', open: openInProcess, ...runner});

async function openMemory(nowMs = Date.now, elapsedMs?: () => number): Promise<Store> {
  return openMemoryStore({nowMs, elapsedMs, logChangesMax: LOG_CHANGES_MAX});
}

async function openLmdb(nowMs = Date.now, elapsedMs?: () => number): Promise<Store> {
  const directory = await makeDirectory();
  return openLmdbStore({directory, nowMs, elapsedMs, log: SILENT_LOG, logChangesMax: LOG_CHANGES_MAX});
}

async function openReopenable(): Promise<ReopenableStore> {
  const directory = await makeDirectory();
  const open = (): Promise<Store> => openLmdbStore({directory, nowMs: Date.now, log: SILENT_LOG});
  let store = await open();
  return {
    get store() {
      return store;
    },
    reopen: async () => {
      await store[Symbol.asyncDispose]();
      store = await open();
      return store;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Two handles on one store in memory. */
async function openShared(): Promise<SharedStores> {
  const {store, advanceMs, ...opened} = await openClocked(openMemory);
  return {first: openHandle(store), second: openHandle(store), advanceMs, ...opened};
}

/** Time stands still but for what a test lets pass. */
async function openClocked(openStore: typeof openLmdb): Promise<ClockedStore> {
  let passedMs = 0;
  const store = await openStore(
    () => NOON_MS + passedMs,
    () => passedMs,
  );
  return {
    store,
    advanceMs: durationMs => {
      passedMs += durationMs;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** A clock that a test moves forward. */
function createClock(): {readonly nowMs: () => number; readonly advanceMs: (durationMs: number) => void} {
  let aheadMs = 0;
  return {
    nowMs: () => Date.now() + aheadMs,
    advanceMs: durationMs => {
      aheadMs += durationMs;
    },
  };
}

async function openService(openStore: (nowMs: () => number) => Promise<Store>): Promise<OpenedEntries> {
  const {nowMs, advanceMs} = createClock();
  const store = await openStore(nowMs);
  return {
    entries: new ValueEntries(new EntryService({store}), store.id),
    advanceMs,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function openOverHttp(): Promise<OpenedEntries> {
  const {nowMs, advanceMs} = createClock();
  const crewroom = await openTestService({ephemeral: true, host: '127.0.0.1', port: 0}, {nowMs});
  const {port} = await crewroom.listen();
  const {entries} = createClient({baseUrl: `http://127.0.0.1:${port}`});
  return {entries, advanceMs, [Symbol.asyncDispose]: () => crewroom[Symbol.asyncDispose]()};
}

async function openInProcess(): Promise<OpenedEntries & OpenedTransfer & OpenedSessions> {
  const {nowMs, advanceMs} = createClock();
  const crewroom = await openTestService({ephemeral: true, profile: 'none'}, {nowMs});
  const {entries, events, identity} = createClient({fetch: crewroom.fetch});
  const {sessions} = createService({fetch: crewroom.fetch});
  const transfer = createTransfer({fetch: crewroom.fetch});
  const dispose = (): Promise<void> => crewroom[Symbol.asyncDispose]();
  return {entries, events, transfer, identity, sessions, advanceMs, [Symbol.asyncDispose]: dispose};
}

async function openEmbedded(): Promise<OpenedEvents & OpenedTransfer & OpenedSessions> {
  const crewroom = await openTestService({ephemeral: true, profile: 'none'});
  const {entries, transfer, events, identity, sessions} = crewroom;
  return {entries, transfer, events, identity, sessions, [Symbol.asyncDispose]: () => crewroom[Symbol.asyncDispose]()};
}

async function openClient(): Promise<OpenedEvents & OpenedTransfer & OpenedSessions> {
  const crewroom = await openTestService({ephemeral: true, profile: 'none', host: '127.0.0.1', port: 0});
  const {port} = await crewroom.listen();
  const baseUrl = `http://127.0.0.1:${port}`;
  const {entries, events, identity} = createClient({baseUrl});
  const {sessions} = createService({baseUrl});
  const transfer = createTransfer({baseUrl});
  return {entries, events, transfer, identity, sessions, [Symbol.asyncDispose]: () => crewroom[Symbol.asyncDispose]()};
}

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  directories.push(directory);
  return directory;
}
