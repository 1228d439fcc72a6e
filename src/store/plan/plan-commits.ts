import type {Principal} from '../../domain/access.ts';
import {AppError} from '../../domain/app-error.ts';
import type {Change, PutChange, RemovalChange} from '../../domain/change.ts';
import type {CommitResult, Outcome, PutOperation} from '../../domain/commit.ts';
import type {Key} from '../../domain/key.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {Revision} from '../../domain/revision.ts';
import type {Steps} from '../../domain/steps.ts';
import {expiryTime, hasExpired} from '../../domain/time-to-live.ts';
import type {EntryState} from '../format/entry-state.ts';
import {findConflicts} from './conflicts.ts';
import type {ExpireOperation, GroupedCommit, GroupPlan, GroupStart, PlannedWrite} from './group-plan.ts';
import {type FoundEntry, resolveOperations} from './resolved-operations.ts';

/**
 * Applies commits in their order without writing anything; each one sees those before it. Nothing may be written to the store
 * between the steps. For authors of stores: the rules of checks, patches, expiry and revisions are in it.
 *
 * @returns Steps, each of which yields the approximate number of bytes that it processed, and at last the plan.
 * @throws {unknown} What `stateOf` and `jsonOf` throw, unless it is an `AppError`: that is the result of its commit.
 * @example
 * ```ts
 * import {createStoreId, encodeJsonText, parseKey, planGroup} from 'crewroom';
 *
 * const put = {kind: 'put', key: parseKey('greeting'), json: encodeJsonText('"hello"')} as const;
 * const steps = planGroup([{checks: [], operations: [put]}], {
 *   storeId: createStoreId(new Uint8Array(8)),
 *   revision: 41,
 *   nowMs: Date.now(),
 *   updatedAtMs: Date.now(),
 *   stateOf: () => undefined,
 *   jsonOf: () => undefined,
 * });
 * let step = steps.next();
 * while (!step.done) step = steps.next();
 * const {revision, changes, results} = step.value;
 * console.log(revision, changes.length, results); // 42 1 [ { revision: 42, outcomes: [ 'created' ] } ]
 * ```
 */
export function* planGroup<P extends PutOperation>(
  commits: readonly GroupedCommit<P>[],
  start: GroupStart,
): Steps<GroupPlan<P>> {
  const planner = new GroupPlanner<P>(start);
  const results: (CommitResult | Error)[] = [];
  for (const commit of commits) {
    try {
      results.push(planner.applySinglePut(commit) ?? (yield* planner.apply(commit)));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results.push(error);
    }
  }
  return {
    writes: planner.writes,
    changes: planner.changes,
    stale: planner.stale,
    seenExpiryMs: planner.seenExpiryMs,
    revision: planner.revision,
    nowMs: start.nowMs,
    updatedAtMs: start.updatedAtMs,
    results,
  };
}

class GroupPlanner<P extends PutOperation> {
  readonly #start: GroupStart;
  /** States of keys before the group. */
  readonly #found = new Map<Key, EntryState | undefined>();
  readonly writes = new Map<Key, PlannedWrite<P>>();
  readonly changes: Change[] = [];
  readonly stale: ExpireOperation[] = [];
  seenExpiryMs = 0;
  revision: Revision;
  /** The caller of the commit that is applied. */
  #writtenBy: Principal | undefined;

  constructor(start: GroupStart) {
    this.#start = start;
    this.revision = start.revision;
  }

  /** Fast path for the most common commit: one put, no checks. @returns Undefined for other commits. */
  applySinglePut({operations, checks, writtenBy}: GroupedCommit<P>): CommitResult | undefined {
    const [only] = operations;
    this.#writtenBy = writtenBy;
    if (only?.kind !== 'put' || operations.length > 1 || checks.length > 0) return undefined;
    const found = this.#state(only.key);
    const isPresent = this.#isPresent(found);
    if (found !== undefined && !isPresent) this.#remove('expire', only.key, ++this.revision);
    this.revision++;
    this.#put(only);
    return {revision: this.revision, outcomes: [isPresent ? 'replaced' : 'created']};
  }

  *apply(commit: GroupedCommit<P>): Steps<CommitResult> {
    const conflicts = findConflicts(commit.checks, {
      storeId: this.#start.storeId,
      revisionOf: key => this.#presentState(key)?.revision,
    });
    if (conflicts.length > 0) throw new AppError({code: 'revision-conflict', conflicts});
    // Everything that may throw comes first, so that a commit is planned whole or not at all.
    const given = commit.operations.filter(operation => operation.kind !== 'expire');
    const operations = yield* resolveOperations({...commit, operations: given}, key => this.#findEntry(key));
    const found = operations.map(({key}) => this.#state(key));
    const outcomes = operations.map(({kind}, index) => describeOutcome(kind, this.#isPresent(found[index])));
    const effective = operations.filter((_, index) => outcomes[index] !== 'absent');
    const expired = operations.filter(
      ({kind}, index) => kind === 'put' && found[index] !== undefined && outcomes[index] === 'created',
    );
    for (const operation of commit.operations) if (operation.kind === 'expire') this.#expireDue(operation);
    // An expiry comes before the new entry of the same key.
    for (const {key} of expired) this.#remove('expire', key, ++this.revision);
    if (effective.length > 0) this.revision++;
    for (const operation of effective) {
      if (operation.kind === 'put') this.#put(operation);
      else this.#remove('delete', operation.key, this.revision);
    }
    return {revision: this.revision, outcomes};
  }

  #expireDue(operation: ExpireOperation): void {
    const {key, expiresAtMs} = operation;
    if (this.#sweptState(key)?.expiresAtMs !== expiresAtMs) this.stale.push(operation);
    else if (expiresAtMs <= this.#start.nowMs) this.#remove('expire', key, ++this.revision);
  }

  #put(operation: P | PutOperation): void {
    const {key, json, expiry} = operation;
    const {revision} = this;
    const expiresAtMs = expiryTime(expiry, this.#start.nowMs);
    this.#plan(key, revision, operation, expiresAtMs);
    // Assigned field by field: this runs once per write, and object spread dominated the profile.
    const change: {-readonly [M in keyof PutChange]: PutChange[M]} = {
      kind: 'put',
      key,
      revision,
      sizeBytes: json.length,
    };
    if (expiresAtMs !== undefined) change.expiresAtMs = expiresAtMs;
    if (this.#writtenBy !== undefined) change.writtenBy = this.#writtenBy;
    if (json.length <= DEFAULT_LIMITS.logValueBytesMax) change.json = json;
    this.changes.push(change);
  }

  #remove(kind: 'delete' | 'expire', key: Key, revision: Revision): void {
    this.#plan(key, revision, undefined, undefined);
    const removal: RemovalChange = {kind, key, revision};
    // Time ends an entry, not the caller whose commit finds that out.
    this.changes.push(
      kind === 'delete' && this.#writtenBy !== undefined ? {...removal, writtenBy: this.#writtenBy} : removal,
    );
  }

  #plan(key: Key, revision: Revision, put: P | PutOperation | undefined, expiresAtMs: number | undefined): void {
    const {updatedAtMs} = this.#start;
    this.writes.set(key, {
      revision,
      updatedAtMs,
      put,
      expiresAtMs,
      writtenBy: this.#writtenBy,
      expiredAtMs: this.#found.get(key)?.expiresAtMs,
    });
  }

  /** Finds the entry of a key as the next operation sees it. */
  #findEntry(key: Key): FoundEntry | undefined {
    const state = this.#presentState(key);
    const json = state === undefined ? undefined : (this.writes.get(key)?.put?.json ?? this.#start.jsonOf(key));
    return json === undefined ? undefined : {json, expiresAtMs: state?.expiresAtMs};
  }

  #presentState(key: Key): EntryState | undefined {
    const state = this.#state(key);
    return this.#isPresent(state) ? state : undefined;
  }

  #isPresent(state: EntryState | undefined): boolean {
    if (state === undefined) return false;
    if (!hasExpired(state, this.#start.nowMs)) return true;
    this.seenExpiryMs = Math.max(this.seenExpiryMs, state.expiresAtMs);
    return false;
  }

  #state(key: Key): EntryState | undefined {
    const planned = this.writes.get(key);
    if (planned !== undefined) return planned.put === undefined ? undefined : planned;
    if (this.#found.has(key)) return this.#found.get(key);
    const found = this.#start.stateOf(key);
    this.#found.set(key, found);
    return found;
  }

  /** Returns {@link #state}, or undefined if it cannot be read: a damaged entry must not stop the sweep of the others. */
  #sweptState(key: Key): EntryState | undefined {
    try {
      return this.#state(key);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return undefined;
    }
  }
}

function describeOutcome(kind: 'put' | 'delete', present: boolean): Outcome {
  if (kind === 'delete') return present ? 'deleted' : 'absent';
  return present ? 'replaced' : 'created';
}
