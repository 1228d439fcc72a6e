import {spawnSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {SILENT_LOG} from '../../src/domain/log.ts';
import type {Store} from '../../src/domain/store.ts';
import {type LmdbStoreDeps, openLmdbStore} from '../../src/store/lmdb-store.ts';
import {type StartOptions, type StoreProcess, startStoreProcess} from './store-process.ts';

/** A new directory that is gone after the test. */
export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  onTestFinished(() => rm(directory, {recursive: true, force: true}));
  return directory;
}

/** Opens an LMDB store that is closed after the test, if it was not before. */
export async function openStore(directory: string, options: Partial<LmdbStoreDeps> = {}): Promise<Store> {
  const store = await openLmdbStore({directory, nowMs: Date.now, log: SILENT_LOG, ...options});
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

/** Starts a process that ends with the test, if it did not before. */
export async function startProcess(options?: StartOptions): Promise<StoreProcess> {
  const started = await startStoreProcess(options);
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

/** Whether programs can be traced here, which takes strace and the right to trace. */
export const CAN_TRACE = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
