import type {Revision} from '../../domain/entry.ts';
import {AppError} from '../../domain/failure.ts';
import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {Steps} from '../../domain/steps.ts';
import {
  type Change,
  type Check,
  type CommitResult,
  type DeleteOperation,
  type FoundEntry,
  findConflicts,
  type Outcome,
  type PatchLimits,
  type PatchOperation,
  type PutChange,
  type PutOperation,
  resolveOperations,
  type TouchOperation,
} from '../../domain/store.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {expiryTime, hasExpired} from '../../domain/time-to-live.ts';
import type {EntryState} from '../format/entry-record.ts';

/** Removes an entry whose time of expiry is this and has come. Only a store itself commits such operations. */
export interface ExpireOperation {
  readonly kind: 'expire';
  readonly key: Key;
  readonly expiresAtMs: number;
}

/** A commit whose puts may carry more than the port asks for. */
export interface GroupedCommit<P extends PutOperation> {
  readonly checks: readonly Check[];
  readonly operations: readonly GroupedOperation<P>[];
  readonly limits?: PatchLimits | undefined;
}

/** One operation of a {@link GroupedCommit}. */
export type GroupedOperation<P extends PutOperation> =
  | P
  | DeleteOperation
  | PatchOperation
  | TouchOperation
  | ExpireOperation;

/** What a group of commits comes to when they are applied one after the other. */
export interface GroupPlan<P extends PutOperation> {
  /** For each key its last write. */
  readonly writes: ReadonlyMap<Key, PlannedWrite<P>>;
  /** Every change of every commit, in their order. */
  readonly changes: readonly Change[];
  /** What was to expire at a time at which nothing does. */
  readonly stale: readonly ExpireOperation[];
  /** The latest time of expiry of an entry that a commit was told has expired, in milliseconds since the Unix epoch; 0 for none. */
  readonly missedMs: number;
  /** The revision of the last commit that changed something. */
  readonly revision: Revision;
  /** The time by the clock of the store, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The time by the clock of the machine, likewise. */
  readonly updatedAtMs: number;
  /** For each commit its result, or why it does not happen. */
  readonly results: readonly (CommitResult | Error)[];
}

/** The last write of a key in a group. */
export interface PlannedWrite<P extends PutOperation> {
  readonly revision: Revision;
  /** The time of the write by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** What is put; of a patch or a touch, what came of it. Undefined where the entry is removed. */
  readonly put: P | PutOperation | undefined;
  /** When what is put expires. */
  readonly expiresAtMs: number | undefined;
  /** When the entry before the group expires, so that what is known of it can be taken back. */
  readonly expiredAtMs: number | undefined;
}

/** What a group finds before its first commit, whether or not it has expired. */
export interface GroupStart {
  readonly storeId: StoreId;
  readonly revision: Revision;
  /** The time by the clock of the store, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The time by the clock of the machine, likewise. */
  readonly updatedAtMs: number;
  /** May throw an `AppError`: then only the commit that asked does not happen. Whatever else it throws, the group throws. */
  readonly stateOf: (key: Key) => EntryState | undefined;
  /** Likewise; asked only for what is patched or touched. */
  readonly jsonOf: (key: Key) => JsonText | undefined;
}

/**
 * Applies commits in their order without writing anything: each one sees those before it. In steps, between which nothing may be
 * written to the store.
 */
export function* planGroup<P extends PutOperation>(
  commits: readonly GroupedCommit<P>[],
  start: GroupStart,
): Steps<GroupPlan<P>> {
  const planner = new GroupPlanner<P>(start);
  const results: (CommitResult | Error)[] = [];
  for (const commit of commits) {
    try {
      results.push(planner.applySimply(commit) ?? (yield* planner.apply(commit)));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results.push(error);
    }
  }
  return {
    writes: planner.writes,
    changes: planner.changes,
    stale: planner.stale,
    missedMs: planner.missedMs,
    revision: planner.revision,
    nowMs: start.nowMs,
    updatedAtMs: start.updatedAtMs,
    results,
  };
}

class GroupPlanner<P extends PutOperation> {
  readonly #start: GroupStart;
  /** What was found of keys before the group. */
  readonly #found = new Map<Key, EntryState | undefined>();
  readonly writes = new Map<Key, PlannedWrite<P>>();
  readonly changes: Change[] = [];
  readonly stale: ExpireOperation[] = [];
  missedMs = 0;
  revision: Revision;

  constructor(start: GroupStart) {
    this.#start = start;
    this.revision = start.revision;
  }

  /** Applies a commit of one put, as most are, with nothing made for it that others need. @returns Undefined for any other. */
  applySimply({operations, checks}: GroupedCommit<P>): CommitResult | undefined {
    const [only] = operations;
    return only?.kind === 'put' && operations.length === 1 && checks.length === 0 ? this.#applyPut(only) : undefined;
  }

  *apply(commit: GroupedCommit<P>): Steps<CommitResult> {
    const conflicts = findConflicts(commit.checks, {
      storeId: this.#start.storeId,
      revisionOf: key => this.#presentState(key)?.revision,
    });
    if (conflicts.length > 0) throw new AppError({code: 'revision-conflict', conflicts});
    // Everything that may throw comes first: what is planned below is a whole commit or nothing.
    const given = commit.operations.filter(operation => operation.kind !== 'expire');
    const operations = yield* resolveOperations({...commit, operations: given}, key => this.#findEntry(key));
    const found = operations.map(({key}) => this.#state(key));
    const outcomes = operations.map(({kind}, index) => describeOutcome(kind, this.#isPresent(found[index])));
    const effective = operations.filter((_, index) => outcomes[index] !== 'absent');
    const expired = operations.filter(
      ({kind}, index) => kind === 'put' && found[index] !== undefined && outcomes[index] === 'created',
    );
    for (const operation of commit.operations) if (operation.kind === 'expire') this.#expireDue(operation);
    // What was there before is known to have ended before something else begins under the same key.
    for (const {key} of expired) this.#remove('expire', key, ++this.revision);
    if (effective.length > 0) this.revision++;
    for (const operation of effective) {
      if (operation.kind === 'put') this.#put(operation);
      else this.#remove('delete', operation.key, this.revision);
    }
    return {revision: this.revision, outcomes};
  }

  #applyPut(operation: P | PutOperation): CommitResult {
    const found = this.#state(operation.key);
    const isPresent = this.#isPresent(found);
    if (found !== undefined && !isPresent) this.#remove('expire', operation.key, ++this.revision);
    this.revision++;
    this.#put(operation);
    return {revision: this.revision, outcomes: [isPresent ? 'replaced' : 'created']};
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
    // One after the other, since there is one for each write: merging objects costs more than all the rest here.
    const change: {-readonly [M in keyof PutChange]: PutChange[M]} = {
      kind: 'put',
      key,
      revision,
      sizeBytes: json.length,
    };
    if (expiresAtMs !== undefined) change.expiresAtMs = expiresAtMs;
    if (json.length <= DEFAULT_LIMITS.logValueBytesMax) change.json = json;
    this.changes.push(change);
  }

  #remove(kind: 'delete' | 'expire', key: Key, revision: Revision): void {
    this.#plan(key, revision, undefined, undefined);
    this.changes.push({kind, key, revision});
  }

  #plan(key: Key, revision: Revision, put: P | PutOperation | undefined, expiresAtMs: number | undefined): void {
    const {updatedAtMs} = this.#start;
    this.writes.set(key, {revision, updatedAtMs, put, expiresAtMs, expiredAtMs: this.#found.get(key)?.expiresAtMs});
  }

  /** What a commit finds under a key now, for its operations. */
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
    this.missedMs = Math.max(this.missedMs, state.expiresAtMs);
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

  /** As {@link #state}, and nothing where it cannot be read: one damaged entry must not keep the others. */
  #sweptState(key: Key): EntryState | undefined {
    try {
      return this.#state(key);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return undefined;
    }
  }
}

/** What an operation does to a key that is present or not. */
function describeOutcome(kind: 'put' | 'delete', present: boolean): Outcome {
  if (kind === 'delete') return present ? 'deleted' : 'absent';
  return present ? 'replaced' : 'created';
}
