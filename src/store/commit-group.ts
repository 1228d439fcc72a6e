import type {Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import type {Key} from '../domain/key.ts';
import {
  type Change,
  type Check,
  type CommitResult,
  findConflicts,
  type Operation,
  type Outcome,
} from '../domain/store.ts';

/** A commit whose operations may carry more than the port asks for. */
export interface GroupedCommit<O extends Operation> {
  readonly checks: readonly Check[];
  readonly operations: readonly O[];
}

/** What a group of commits comes to when they are applied one after the other. */
export interface GroupPlan<O extends Operation> {
  /** For each key the operation that is the last one on it, and its revision. */
  readonly writes: ReadonlyMap<Key, PlannedWrite<O>>;
  /** Every change of every commit, in their order. */
  readonly changes: readonly Change[];
  /** The revision of the last commit that changed something. */
  readonly revision: Revision;
  /** For each commit its result, or why it does not happen. */
  readonly results: readonly (CommitResult | Error)[];
}

/** The last write of a key in a group. */
export interface PlannedWrite<O extends Operation> {
  readonly revision: Revision;
  readonly operation: O;
}

/** What a group finds before its first commit. */
export interface GroupStart {
  readonly revision: Revision;
  /** May throw: then only the commit that asked does not happen. */
  readonly revisionOf: (key: Key) => Revision | undefined;
}

/** Applies commits in their order without writing anything: each one sees those before it. */
export function planGroup<O extends Operation>(commits: readonly GroupedCommit<O>[], start: GroupStart): GroupPlan<O> {
  const planner = new GroupPlanner<O>(start);
  const results = commits.map(commit => {
    try {
      return planner.apply(commit);
    } catch (error) {
      return error as Error;
    }
  });
  return {writes: planner.writes, changes: planner.changes, revision: planner.revision, results};
}

class GroupPlanner<O extends Operation> {
  readonly #start: GroupStart;
  readonly writes = new Map<Key, PlannedWrite<O>>();
  readonly changes: Change[] = [];
  revision: Revision;

  constructor(start: GroupStart) {
    this.#start = start;
    this.revision = start.revision;
  }

  apply({checks, operations}: GroupedCommit<O>): CommitResult {
    const conflicts = findConflicts(checks, key => this.#revisionOf(key));
    if (conflicts.length > 0) throw new AppError({code: 'revision-conflict', conflicts});
    // Everything that may throw comes first: what is planned below is a whole commit or nothing.
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
}

/** What an operation does to a key that is present or not. */
export function describeOutcome(kind: Operation['kind'], present: boolean): Outcome {
  if (kind === 'delete') return present ? 'deleted' : 'absent';
  return present ? 'replaced' : 'created';
}

/** The change that an operation makes under a revision. */
export function describeChange(operation: Operation, revision: Revision): Change {
  const {kind, key} = operation;
  return kind === 'put' ? {kind, key, revision, sizeBytes: operation.json.length} : {kind, key, revision};
}
