import type {Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import type {JsonText} from '../domain/json-text.ts';
import type {Key} from '../domain/key.ts';
import {
  type Change,
  type Commit,
  type CommitResult,
  findConflicts,
  type Operation,
  type Outcome,
} from '../domain/store.ts';

/** What a group of commits comes to when they are applied one after the other. */
export interface GroupPlan {
  /** For each key what stands under it in the end; without a value it is deleted. */
  readonly writes: ReadonlyMap<Key, PlannedWrite>;
  /** Every change of every commit, in their order. */
  readonly changes: readonly Change[];
  /** The revision of the last commit that changed something. */
  readonly revision: Revision;
  /** For each commit its result, or the failure of its checks. */
  readonly results: readonly (CommitResult | AppError)[];
}

/** The last write of a key in a group. */
export interface PlannedWrite {
  readonly revision: Revision;
  readonly json: JsonText | undefined;
}

/** What a group finds before its first commit. */
export interface GroupStart {
  readonly revision: Revision;
  readonly revisionOf: (key: Key) => Revision | undefined;
}

/** Applies commits in their order without writing anything: each one sees those before it. */
export function planGroup(commits: readonly Commit[], start: GroupStart): GroupPlan {
  const writes = new Map<Key, PlannedWrite>();
  const changes: Change[] = [];
  let {revision} = start;
  const revisionOf = (key: Key): Revision | undefined => {
    const planned = writes.get(key);
    if (planned === undefined) return start.revisionOf(key);
    return planned.json === undefined ? undefined : planned.revision;
  };
  const results = commits.map(({checks, operations}): CommitResult | AppError => {
    const conflicts = findConflicts(checks, revisionOf);
    if (conflicts.length > 0) return new AppError({code: 'revision-conflict', conflicts});
    const before = changes.length;
    const outcomes = operations.map((operation): Outcome => {
      const present = revisionOf(operation.key) !== undefined;
      if (operation.kind === 'delete' && !present) return 'absent';
      writes.set(operation.key, {revision: revision + 1, json: operation.kind === 'put' ? operation.json : undefined});
      changes.push(describeChange(operation, revision + 1));
      if (operation.kind === 'delete') return 'deleted';
      return present ? 'replaced' : 'created';
    });
    if (changes.length > before) revision++;
    return {revision, outcomes};
  });
  return {writes, changes, revision, results};
}

/** The change that an operation makes under a revision. */
export function describeChange(operation: Operation, revision: Revision): Change {
  const {kind, key} = operation;
  return kind === 'put' ? {kind, key, revision, sizeBytes: operation.json.length} : {kind, key, revision};
}
