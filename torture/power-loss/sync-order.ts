import type {Attempt} from '../ledger.ts';
import {LossError} from '../loss-error.ts';
import type {Operation} from './operations.ts';

/** A revision that left the service, and the time at which its bytes began to leave. */
export interface SentRevision {
  readonly revision: number;
  readonly begin: number;
}

const REVISIONS = /ETag: "[0-9a-z]+-(\d+)"|"revision":"(\d+)"|^id: [0-9a-z]+-(\d+)$/gim;

/** Returns every revision in answers and events: clients rely on those. */
export function sentRevisions(operations: readonly Operation[]): readonly SentRevision[] {
  return operations.flatMap(operation => {
    if (operation.kind !== 'tell') return [];
    const revisions = Array.from(operation.text.matchAll(REVISIONS), ([, ...found]) => Number(found.find(Boolean)));
    return revisions.length === 0 ? [] : [{revision: Math.max(...revisions), begin: operation.begin}];
  });
}

/**
 * Checks the order of system calls: before the bytes of an answer leave, its value was written to a file, and after
 * that a sync of that file began and ended.
 *
 * @param marks Unique mark of each value, by the revision under which it was written.
 * @returns Number of answers checked.
 * @throws {LossError} On an answer before its sync.
 */
export function checkSyncOrder(operations: readonly Operation[], marks: ReadonlyMap<number, string>): number {
  const sent = new Set<number>();
  const contents = new Map(operations.map(operation => [operation, contentOf(operation)]));
  for (const {revision, begin} of sentRevisions(operations)) {
    const mark = marks.get(revision);
    if (mark === undefined || sent.has(revision)) continue;
    sent.add(revision);
    if (!isSynced(mark, contents, begin))
      throw new LossError(`Answered before it was synced: revision ${revision}, whose value has ${mark}`);
  }
  return sent.size;
}

function isSynced(mark: string, contents: ReadonlyMap<Operation, Buffer | undefined>, before: number): boolean {
  const earlier = [...contents.keys()].filter(({end}) => end < before);
  return earlier.some(written => {
    if (written.kind !== 'write' || contents.get(written)?.includes(mark) !== true) return false;
    if (written.isSync) return true;
    return earlier.some(sync => sync.kind === 'sync' && sync.path === written.path && sync.begin > written.end);
  });
}

/** Size of a sector, and of the checksum at its beginning in files of the write-ahead log, in bytes. */
const SECTOR_BYTES = 512;
const CHECKSUM_BYTES = 4;

/** Returns the bytes that an operation wrote; those of the write-ahead log without the checksums between them. */
function contentOf(operation: Operation): Buffer | undefined {
  if (operation.kind !== 'write') return undefined;
  const {bytes, path} = operation;
  if (!/\/wal-\d$/.test(path)) return bytes;
  const sectors = Array.from({length: Math.ceil(bytes.length / SECTOR_BYTES)}, (_, sector) =>
    bytes.subarray(sector * SECTOR_BYTES + CHECKSUM_BYTES, (sector + 1) * SECTOR_BYTES),
  );
  return Buffer.concat(sectors);
}

/** Returns the marks of the attempts that put a value, by revision. */
export function marksOf(attempts: Iterable<Attempt>): ReadonlyMap<number, string> {
  const marks = new Map<number, string>();
  for (const {state, revision, changes} of attempts) {
    const text = changes.find(change => change.kind === 'put')?.text;
    const mark = text === undefined ? undefined : /"mark":\d+,/.exec(text)?.[0];
    if (state === 'acknowledged' && revision !== undefined && mark !== undefined) marks.set(revision, mark);
  }
  return marks;
}
