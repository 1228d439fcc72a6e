import {LossError} from '../history.ts';
import type {Attempt} from '../ledger.ts';
import type {Operation} from './operations.ts';

/** A revision that somebody was told, and when its bytes began to leave. */
export interface ToldRevision {
  readonly revision: number;
  readonly begin: number;
}

const REVISIONS = /ETag: "[0-9a-z]+-(\d+)"|"revision":"(\d+)"|^id: [0-9a-z]+-(\d+)$/gim;

/** Every revision that was told to anybody, in answers and in events: whoever knows of it relies on it. */
export function toldRevisions(operations: readonly Operation[]): readonly ToldRevision[] {
  return operations.flatMap(operation => {
    if (operation.kind !== 'tell') return [];
    const revisions = Array.from(operation.text.matchAll(REVISIONS), ([, ...found]) => Number(found.find(Boolean)));
    return revisions.length === 0 ? [] : [{revision: Math.max(...revisions), begin: operation.begin}];
  });
}

/**
 * Judges the order of system calls: before the bytes of an answer leave, the value it speaks of was written to a file, and after
 * that a sync of that file began and ended.
 *
 * @param marks What each value has in it and no other has, by the revision it was written under.
 * @returns How many answers were judged.
 * @throws {LossError}
 */
export function judgeSyncOrder(operations: readonly Operation[], marks: ReadonlyMap<number, string>): number {
  const told = new Set<number>();
  for (const {revision, begin} of toldRevisions(operations)) {
    const mark = marks.get(revision);
    if (mark === undefined || told.has(revision)) continue;
    told.add(revision);
    if (!isSynced(mark, operations, begin))
      throw new LossError(`Answered before it was synced: revision ${revision}, whose value has ${mark}`);
  }
  return told.size;
}

function isSynced(mark: string, operations: readonly Operation[], before: number): boolean {
  const earlier = operations.filter(({end}) => end < before);
  return earlier.some(written => {
    if (written.kind !== 'write' || !written.bytes.includes(mark)) return false;
    if (written.isSync) return true;
    return earlier.some(sync => sync.kind === 'sync' && sync.path === written.path && sync.begin > written.end);
  });
}

/** The marks of those attempts that put a value, by their revisions. */
export function marksOf(attempts: Iterable<Attempt>): ReadonlyMap<number, string> {
  const marks = new Map<number, string>();
  for (const {state, revision, changes} of attempts) {
    const text = changes.find(change => change.kind === 'put')?.text;
    const mark = text === undefined ? undefined : /"mark":\d+,/.exec(text)?.[0];
    if (state === 'acknowledged' && revision !== undefined && mark !== undefined) marks.set(revision, mark);
  }
  return marks;
}
