import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {Change, PutChange, Store} from '../../src/core/domain/commits/store.ts';
import {parseKey} from '../../src/core/domain/entries/identifiers.ts';
import {SILENT_LOG} from '../../src/core/domain/log.ts';
import {encodeJsonText} from '../../src/core/json/json-text.ts';
import {describeDataDirectory} from '../../src/store/disk/data-directory.ts';
import {encodeMetadata, METADATA_KEY, type StoreMetadata} from '../../src/store/format/store-metadata.ts';
import {openEnvironment} from '../../src/store/lmdb/environment.ts';
import {type LmdbStoreDeps, openLmdbStore} from '../../src/store/lmdb-store.ts';
import {readMetadata} from '../../src/store/tree/store-tables.ts';
import {encodeWalRecord} from '../../src/store/wal/wal-format.ts';
import {WAL_RECORD_BYTES_MAX, WriteAheadLog} from '../../src/store/wal/write-ahead-log.ts';
import {type StartOptions, type StoreProcess, startStoreProcess} from '../store/store-process.ts';

/** Creates a directory that is deleted after the test. */
export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  onTestFinished(() => rm(directory, {recursive: true, force: true}));
  return directory;
}

/** Opens an LMDB store that is closed after the test, unless it was before. */
export async function openStore(directory: string, options: Partial<LmdbStoreDeps> = {}): Promise<Store> {
  const store = await openLmdbStore({directory, nowMs: Date.now, log: SILENT_LOG, ...options});
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

/** Starts a process that is ended with the test, unless it ended before. */
export async function startProcess(options?: StartOptions): Promise<StoreProcess> {
  const started = await startStoreProcess(options);
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

/** True if this machine has strace and the right to trace. */
export const CAN_TRACE = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** True if this machine can set limits of a process. */
export const CAN_LIMIT = spawnSync('prlimit', ['--version']).status === 0;

/**
 * Writes a write-ahead log as a killed process leaves it.
 *
 * @param atMs Time at which everything in it was written.
 * @returns The end of each record, as long as they are all in the first file.
 */
export async function writeWal(
  storePath: string,
  groups: readonly (readonly Change[])[],
  atMs: number,
): Promise<readonly number[]> {
  const ends: number[] = [];
  if (groups.length === 0) return ends;
  const log = new WriteAheadLog(describeDataDirectory(dirname(storePath)), 0);
  await log.create();
  const storeId = await nameWal(storePath);
  for (const changes of groups) {
    const group = {changes, updatedAtMs: atMs, nowMs: atMs, storeId};
    const record = encodeWalRecord(group, Buffer.alloc(WAL_RECORD_BYTES_MAX));
    log.ensureSpace(record.length, 0);
    await log.append(record, changes.at(-1)?.revision ?? 0);
    ends.push(log.sizeBytes);
  }
  await log.close();
  return ends;
}

/** Writes into the tree of a closed store that it has a log. @returns The id of the store. */
async function nameWal(storePath: string): Promise<string> {
  let id = '';
  await changeMetadata(storePath, metadata => {
    ({id} = metadata);
    return {...metadata, walId: id};
  });
  return id;
}

/** Changes the metadata of a closed store, or removes them. */
export async function changeMetadata(
  storePath: string,
  change: (metadata: StoreMetadata) => StoreMetadata | undefined,
): Promise<void> {
  await using environment = await openEnvironment({directory: storePath});
  const table = environment.table('metadata');
  const changed = change(readMetadata(table) ?? assert.fail('there are none'));
  await environment.write(() => {
    if (changed === undefined) table.remove(METADATA_KEY);
    else table.put(METADATA_KEY, encodeMetadata(changed));
  });
}

/** Returns a put as it is in a log. */
export function putOf(revision: number, key: string, text: string): PutChange {
  const json = encodeJsonText(text);
  return {kind: 'put', key: parseKey(key), revision, sizeBytes: json.length, json};
}
