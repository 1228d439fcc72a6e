import type {Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import type {JsonText} from '../domain/json-text.ts';
import type {Key} from '../domain/key.ts';
import {
  type Change,
  type Check,
  type CommitResult,
  findConflicts,
  type Outcome,
  type PatchLimits,
  type PatchOperation,
  type PutOperation,
  resolvePatches,
  type WriteOperation,
} from '../domain/store.ts';

/** A commit whose operations may carry more than the port asks for. */
export interface GroupedCommit<W extends WriteOperation> {
  readonly checks: readonly Check[];
  readonly operations: readonly (W | PatchOperation)[];
  readonly limits?: PatchLimits | undefined;
}

/** What a group of commits comes to when they are applied one after the other. */
export interface GroupPlan<W extends WriteOperation> {
  /** For each key the operation that is the last one on it, and its revision. */
  readonly writes: ReadonlyMap<Key, PlannedWrite<W>>;
  /** Every change of every commit, in their order. */
  readonly changes: readonly Change[];
  /** The revision of the last commit that changed something. */
  readonly revision: Revision;
  /** For each commit its result, or why it does not happen. */
  readonly results: readonly (CommitResult | Error)[];
}

/** The last write of a key in a group; of a patch, what came of it. */
export interface PlannedWrite<W extends WriteOperation> {
  readonly revision: Revision;
  readonly operation: W | PutOperation;
}

/** What a group finds before its first commit. */
export interface GroupStart {
  readonly revision: Revision;
  /** May throw: then only the commit that asked does not happen. */
  readonly revisionOf: (key: Key) => Revision | undefined;
  /** Likewise; asked only for what is patched. */
  readonly jsonOf: (key: Key) => JsonText | undefined;
}

/** Applies commits in their order without writing anything: each one sees those before it. */
export function planGroup<W extends WriteOperation>(
  commits: readonly GroupedCommit<W>[],
  start: GroupStart,
): GroupPlan<W> {
  const planner = new GroupPlanner<W>(start);
  const results = commits.map(commit => {
    try {
      return planner.apply(commit);
    } catch (error) {
      return error as Error;
    }
  });
  return {writes: planner.writes, changes: planner.changes, revision: planner.revision, results};
}

class GroupPlanner<W extends WriteOperation> {
  readonly #start: GroupStart;
  readonly writes = new Map<Key, PlannedWrite<W>>();
  readonly changes: Change[] = [];
  revision: Revision;

  constructor(start: GroupStart) {
    this.#start = start;
    this.revision = start.revision;
  }

  apply(commit: GroupedCommit<W>): CommitResult {
    const conflicts = findConflicts(commit.checks, key => this.#revisionOf(key));
    if (conflicts.length > 0) throw new AppError({code: 'revision-conflict', conflicts});
    // Everything that may throw comes first: what is planned below is a whole commit or nothing.
    const operations = resolvePatches(commit, key => this.#jsonOf(key));
    const outcomes = operations.map(({kind, key}) => describeOutcome(kind, this.#revisionOf(key) !== undefined));
    const effective = operations.filter((_, index) => outcomes[index] !== 'absent');
    if (effective.length > 0) this.revision++;
    for (const operation of effective) {
      this.writes.set(operation.key, {revision: this.revision, operation});
      this.changes.push(describeChange(operation, this.revision));
    }
    return {revision: this.revision, outcomes};
  }

  #revisionOf(key: Key): Revision | undefined {
    const planned = this.writes.get(key);
    if (planned === undefined) return this.#start.revisionOf(key);
    return planned.operation.kind === 'delete' ? undefined : planned.revision;
  }

  #jsonOf(key: Key): JsonText | undefined {
    const planned = this.writes.get(key);
    if (planned === undefined) return this.#start.jsonOf(key);
    return planned.operation.kind === 'delete' ? undefined : planned.operation.json;
  }
}

/** What an operation does to a key that is present or not. */
export function describeOutcome(kind: WriteOperation['kind'], present: boolean): Outcome {
  if (kind === 'delete') return present ? 'deleted' : 'absent';
  return present ? 'replaced' : 'created';
}

/** The change that an operation makes under a revision. */
export function describeChange(operation: WriteOperation, revision: Revision): Change {
  const {kind, key} = operation;
  return kind === 'put' ? {kind, key, revision, sizeBytes: operation.json.length} : {kind, key, revision};
}
