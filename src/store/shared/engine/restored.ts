import {createStoreId, STORE_ID_BYTES} from '../../../domain/entries/store-id.ts';
import {AppError} from '../../../failures/app-error.ts';
import {readDeferred, writeCheckpoint} from './checkpoint.ts';
import type {Driver, StoredValue} from './driver.ts';
import {logKey, logUpTo} from './engine-keys.ts';
import {decodeHead, type Head, type KnownHead, replaceHead, writtenHead} from './head.ts';
import {keyAfter} from './range-pages.ts';
import {HEAD_ONLY, moveStaged} from './staging.ts';

/**
 * How a running process notices that its engine was restored from a backup. Commits are missing then, and others may have got their
 * revisions since, so numbers that clients have must match nothing: the store gets a new id, and its revisions go on after all that any
 * process has known.
 */

/** Returns whether a value is a known head, unchanged. */
export function isSame({version, value}: StoredValue, known: KnownHead): boolean {
  return version === known.version && value.equals(known.value);
}

/** Returns whether a value cannot have been read after a head was known, unless the engine was restored. */
export function isOlder(found: StoredValue, since: KnownHead): boolean {
  return found.version < since.version || (found.version === since.version && !found.value.equals(since.value));
}

/** Reads a head. @throws {AppError} `store-unavailable` if it is none. */
export function assertHead(found: StoredValue | undefined): KnownHead {
  const known = found === undefined ? undefined : decodeHead(found);
  if (known !== undefined) return known;
  const what = found === undefined ? 'were removed' : 'cannot be read';
  const problem = `the data of this store ${what} in the engine; restore them, or restart the service to begin with an empty store`;
  throw new AppError({code: 'store-unavailable', problem});
}

/** Returns whether a head follows a known one: no commit is missing that was known. Assumes so if the log does not reach back. */
export async function continues(
  {head, version, at}: KnownHead,
  {head: known, version: knownVersion}: KnownHead,
  driver: Driver,
): Promise<boolean> {
  if (version < knownVersion || head.id !== known.id || head.end.revision < known.end.revision) return false;
  if (head.end.revision === known.end.revision) return head.end.group === known.end.group;
  if (head.trimmed.revision >= known.end.revision) return true;
  const last = logKey(known.end);
  const [part] = await driver.range({from: last, to: keyAfter(last), limit: 1, keysOnly: true}, {at});
  return part !== undefined;
}

/**
 * Gives a restored store a new id, unless another process has done so, and a log that begins after all known revisions. Before that, what
 * is only in the log, or in parts of a large group, is written into records.
 *
 * @returns The head to continue with.
 * @throws {EngineFailure} `denied` if this process may not write: then it has to wait for one that may.
 * @throws {AppError} `store-corrupt` if a part of the log or of a group is damaged.
 */
export async function continueRestored(
  found: KnownHead,
  known: Head,
  {driver, randomBytes}: {readonly driver: Driver; readonly randomBytes: (sizeBytes: number) => Uint8Array},
): Promise<KnownHead> {
  for (let present = found; ; ) {
    const {head} = present;
    const isNamed = head.id !== known.id;
    if (isNamed && head.trimmed.revision > known.end.revision) return present;
    // The log, which is removed below, may have the only values of some entries.
    if (head.staged !== undefined || head.checkpoint.revision < head.end.revision) {
      const moved =
        head.staged === undefined
          ? await writeCheckpoint(driver, present, await readDeferred(driver, present))
          : await moveStaged(driver, present);
      present = moved !== undefined && 'head' in moved ? moved : assertHead(moved);
      continue;
    }
    const revision = Math.max(head.end.revision, known.end.revision) + 1;
    const end = {...head.end, revision, group: undefined};
    const id = isNamed ? head.id : createStoreId(randomBytes(STORE_ID_BYTES));
    const next: Head = {...head, id, end, trimmed: end, checkpoint: end};
    const writes = {...HEAD_ONLY, removedRanges: [logUpTo(revision)]};
    const answer = await driver.compareAndWrite({...replaceHead(present, next), ...writes});
    if (answer.kind === 'written') return writtenHead(next, answer.version);
    present = assertHead(answer.found);
  }
}
