import {readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {SNAPSHOT_AGE_MAX_MS, type Store} from '../../core/domain/commits/store.ts';
import type {Transfer} from '../../core/domain/commits/transfer.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {AppError, messageOf} from '../../core/failures/app-error.ts';
import {freeBytes, SPACE_LOW_BYTES} from '../../core/files/directory.ts';
import {wait} from '../../core/time/wait.ts';
import {nameAt, removeSnapshot, type SnapshotPlace, saveAutomatic} from './automatic-snapshots.ts';
import {assertOwnDirectory, listSnapshots, type SavedSnapshot} from './snapshot-directory.ts';

/** Maximum size of all daily snapshots, in bytes: a week of a large store. The newest one stays even if it alone is larger. */
export const DAILY_BYTES_MAX = 1024 * 1024 * 1024;

/** Time without a change after which a store counts as idle, in milliseconds, and number of such times with changes that are waited for: an hour. */
const IDLE_MS = 5 * 60_000;
const BUSY_MAX = 12;
const DAY_MS = 24 * 60 * 60_000;

export interface DailyDeps extends Pick<CommonDeps, 'log' | 'timers' | 'elapsedMs'> {
  readonly store: Pick<Store, 'revision'>;
  readonly transfer: Pick<Transfer, 'export'>;
  readonly place: SnapshotPlace;
  /** Number of days for which one is kept, from 1. */
  readonly days: number;
  /** Ends it; of a snapshot that is being made nothing stays. */
  readonly signal: AbortSignal;
}

/**
 * Saves all entries, at an idle moment, whenever the last daily snapshot is a day old and something changed since. Never rejects. Only the process
 * that holds the data directory may call it.
 */
export async function saveEachDay(deps: DailyDeps): Promise<void> {
  const {store, timers, signal} = deps;
  let delayMs = IDLE_MS;
  let busy = 0;
  for (;;) {
    const {revision} = store;
    await wait(delayMs, {timers, signals: [signal]});
    if (signal.aborted) return;
    busy = revision === store.revision ? 0 : (busy + 1) % BUSY_MAX;
    delayMs = busy === 0 ? await saveIfDue(deps) : IDLE_MS;
  }
}

/** @returns The time until the next call, in milliseconds. */
async function saveIfDue(deps: DailyDeps): Promise<number> {
  const {store, place, log, signal} = deps;
  try {
    const {name = '', revision = '0'} = (await tidy(deps)) ?? {};
    if (name > nameAt('daily', place.nowMs() - DAY_MS) || revision === String(store.revision)) return IDLE_MS;
    log.info('a daily snapshot was made', {snapshot: await saveAutomatic('daily', exportAll(deps), place)});
    return IDLE_MS;
  } catch (error) {
    if (!signal.aborted) log.error('no daily snapshot was made', {problem: messageOf(error)});
    // A disk that fills up fails late: not to be repeated all day.
    return DAY_MS;
  }
}

/**
 * Removes what a process that was killed left, and snapshots that are followed by one of `days` less one: if there is one each day, after `days`, but not
 * at once if the entries were the same for weeks. Those of a time to come, made when the clock was wrong, count from then on. @returns The last one.
 */
async function tidy({days, place, place: {directory, nowMs}}: DailyDeps): Promise<SavedSnapshot | undefined> {
  await assertOwnDirectory(directory, place);
  const files = await readdir(directory).catch((): string[] => []);
  for (const file of files) if (file.startsWith('.daily-')) await rm(join(directory, file));
  const now = nameAt('daily', nowMs());
  const found = (await listSnapshots(directory)).filter(({name}) => /^daily-\d{8}t\d{9}z$/.test(name) && name <= now);
  const daily = found.reverse();
  const followed = nameAt('daily', nowMs() - (days - 1) * DAY_MS);
  let bytes = 0;
  for (const [index, {name, sizeBytes}] of daily.entries()) {
    bytes += sizeBytes;
    const next = daily[index - 1]?.name;
    if (next !== undefined && (next <= followed || index >= days || bytes > DAILY_BYTES_MAX))
      await removeSnapshot(directory, name);
  }
  return daily[0];
}

/** Exports all entries as long as there is time and space for them. @throws {AppError} `snapshot-failed`. */
async function* exportAll({transfer, elapsedMs, place: {directory}, signal}: DailyDeps): AsyncGenerator<Uint8Array> {
  const endMs = elapsedMs() + SNAPSHOT_AGE_MAX_MS;
  for await (const chunk of await transfer.export()) {
    signal.throwIfAborted();
    const isFull = (await freeBytes(directory)) < SPACE_LOW_BYTES + chunk.length;
    const problem = isFull ? 'its disk is nearly full' : 'it took too long';
    if (isFull || elapsedMs() > endMs) throw new AppError({code: 'snapshot-failed', directory, problem});
    yield chunk;
  }
}
