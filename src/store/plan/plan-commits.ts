import type {Principal} from '../../core/domain/access/access.ts';
import type {Commit, CommitResult, Outcome, PatchOperation, TouchOperation} from '../../core/domain/commits/commit.ts';
import type {PutChange, RemovalChange} from '../../core/domain/commits/store.ts';
import {expiryTime, hasExpired} from '../../core/domain/commits/time-to-live.ts';
import type {Key, Revision} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {type AppliedCommit, type LoggedChange, markKeyOf} from '../format/change-encoding.ts';
import type {EntryState} from '../format/entry-record.ts';
import {findConflicts} from './conflicts.ts';
import {
  type BoundId,
  type ExpireOperation,
  type FoundEntry,
  type GroupStart,
  type Plan,
  type PlannedCommit,
  type PlannedWrite,
  resolveOperations,
  type StoreOperation,
  type StorePut,
} from './plan.ts';
import {otherTransaction} from './prepare-commit.ts';

/**
 * A plan ends with the commit whose patches, and the values that they patch, bring those of the plan to this size, in bytes: with the
 * largest transaction after it, that is some 50 ms of the event loop for the slowest texts.
 */
const PATCHED_BYTES_MAX = 256 * 1024;

/**
 * Applies the first commits of a group in their order without writing anything; each one sees those before it. The rules of checks,
 * patches, expiry, revisions and ids are in it.
 *
 * @returns A plan of at least one commit, if there is any.
 * @throws {unknown} What `stateOf` and `jsonOf` throw, unless it is an `AppError`: that is the result of its commit.
 */
export function planGroup(commits: readonly PlannedCommit[], start: GroupStart): Plan {
  const planner = new GroupPlanner(start);
  const results: (CommitResult | Error)[] = [];
  for (const commit of commits) {
    if (planner.patchedBytes >= PATCHED_BYTES_MAX) break;
    try {
      results.push(planner.applyOnce(commit));
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

/** The parts of a write that its operation decides, and the state that it found. */
interface WriteDetails {
  readonly revision: Revision;
  readonly expiresAtMs?: number | undefined;
  /** State of the entry that its operation found. */
  readonly found: EntryState | undefined;
}

class GroupPlanner {
  readonly #start: GroupStart;
  /** For keys that a check, a patch or a touch read: their states before the group, which an operation reads again. */
  readonly #found = new Map<Key, EntryState | undefined>();
  readonly writes = new Map<Key, PlannedWrite>();
  readonly changes: LoggedChange[] = [];
  /** The commits with an id that were applied in this group, by their bound ids. */
  readonly #applied = new Map<string, AppliedCommit>();
  readonly stale: ExpireOperation[] = [];
  seenExpiryMs = 0;
  /** Size of the patches and touches so far, and of the values that they found, in bytes. */
  patchedBytes = 0;
  revision: Revision;
  /** The caller of the commit that is applied. */
  #writtenBy: Principal | undefined;

  constructor(start: GroupStart) {
    this.#start = start;
    this.revision = start.revision;
  }

  /** Applies a commit, unless one with its id was applied before: then returns the result of that. */
  applyOnce(commit: PlannedCommit): CommitResult {
    const {bound} = commit;
    if (bound === undefined) return this.#applySinglePut(commit) ?? this.#apply(commit);
    const before = this.#applied.get(bound.id) ?? this.#start.appliedOf?.(bound.id);
    if (before === undefined) return this.#mark(bound, this.#applySinglePut(commit) ?? this.#apply(commit));
    if (before.digest !== bound.digest) throw otherTransaction();
    return before.result;
  }

  /** Logs the mark of a commit. One that changed nothing takes a revision for it: sent again, it could change what was written since. */
  #mark({id, digest}: BoundId, {outcomes}: CommitResult): CommitResult {
    if (outcomes.every(outcome => outcome === 'absent')) this.revision++;
    const {revision} = this;
    const applied = {digest, result: {revision, outcomes}};
    this.#applied.set(id, applied);
    const {updatedAtMs: committedAtMs} = this.#start;
    this.changes.push({kind: 'commit', key: markKeyOf(id, applied), revision, committedAtMs});
    return applied.result;
  }

  /** Fast path for the most common commit: one put, no checks. @returns Undefined for other commits. */
  #applySinglePut({operations, checks, writtenBy}: Commit<StoreOperation>): CommitResult | undefined {
    const [only] = operations;
    this.#writtenBy = writtenBy;
    if (only?.kind !== 'put' || operations.length > 1 || checks.length > 0) return undefined;
    const found = this.#state(only.key);
    const isPresent = this.#isPresent(found);
    if (found !== undefined && !isPresent) this.#remove('expire', only.key, {revision: ++this.revision, found});
    this.revision++;
    this.#put(only, found);
    return {revision: this.revision, outcomes: [isPresent ? 'replaced' : 'created']};
  }

  #apply(commit: Commit<StoreOperation>): CommitResult {
    const conflicts = findConflicts(commit.checks, {
      storeId: this.#start.storeId,
      revisionOf: key => this.#presentState(key)?.revision,
    });
    if (conflicts.length > 0) throw new AppError({code: 'revision-conflict', conflicts});
    // Everything that may throw comes first, so that a commit is planned whole or not at all.
    const given = commit.operations.filter(operation => operation.kind !== 'expire');
    const operations = resolveOperations({...commit, operations: given}, operation => this.#findEntry(operation));
    const found = operations.map(({key}) => this.#state(key));
    const outcomes = operations.map(({kind}, index) => describeOutcome(kind, this.#isPresent(found[index])));
    for (const operation of commit.operations) if (operation.kind === 'expire') this.#expireDue(operation);
    // An expiry comes before the new entry of the same key.
    operations.forEach(({key}, index) => {
      if (outcomes[index] === 'created' && found[index] !== undefined)
        this.#remove('expire', key, {revision: ++this.revision, found: found[index]});
    });
    if (outcomes.some(outcome => outcome !== 'absent')) this.revision++;
    const {revision} = this;
    operations.forEach((operation, index) => {
      if (operation.kind === 'put') this.#put(operation, found[index]);
      else if (outcomes[index] === 'deleted') this.#remove('delete', operation.key, {revision, found: found[index]});
    });
    return {revision: this.revision, outcomes};
  }

  #expireDue(operation: ExpireOperation): void {
    const {key, expiresAtMs} = operation;
    const found = this.#sweptState(key);
    if (found?.expiresAtMs !== expiresAtMs) this.stale.push(operation);
    else if (expiresAtMs <= this.#start.nowMs) this.#remove('expire', key, {revision: ++this.revision, found});
  }

  /** @param found State of the entry before this operation. */
  #put(operation: StorePut, found: EntryState | undefined): void {
    const {key, json, expiry} = operation;
    const {revision} = this;
    const {updatedAtMs: committedAtMs} = this.#start;
    const expiresAtMs = expiryTime(expiry, this.#start.nowMs);
    this.#plan(key, operation, {revision, expiresAtMs, found});
    const sizeBytes = json.length;
    // Assigned field by field: this runs once per write, and object spread dominated the profile. What nearly every put has is in the
    // literal: V8 keeps later members in an object of their own.
    const change: {-readonly [M in keyof PutChange]: PutChange[M]} =
      sizeBytes <= DEFAULT_LIMITS.logValueBytesMax
        ? {kind: 'put', key, revision, sizeBytes, committedAtMs, json}
        : {kind: 'put', key, revision, sizeBytes, committedAtMs};
    if (expiresAtMs !== undefined) change.expiresAtMs = expiresAtMs;
    if (this.#writtenBy !== undefined) change.writtenBy = this.#writtenBy;
    this.changes.push(change);
  }

  #remove(kind: 'delete' | 'expire', key: Key, {revision, found}: WriteDetails): void {
    this.#plan(key, undefined, {revision, found});
    const removal: RemovalChange = {kind, key, revision, committedAtMs: this.#start.updatedAtMs};
    // Time ends an entry, not the caller whose commit finds that out.
    this.changes.push(
      kind === 'delete' && this.#writtenBy !== undefined ? {...removal, writtenBy: this.#writtenBy} : removal,
    );
  }

  #plan(key: Key, put: StorePut | undefined, {revision, expiresAtMs, found}: WriteDetails): void {
    const {updatedAtMs} = this.#start;
    // The state that an operation finds is that before the group, unless the group wrote the key already.
    const before = this.writes.get(key);
    this.writes.set(key, {
      revision,
      updatedAtMs,
      put,
      expiresAtMs,
      writtenBy: this.#writtenBy,
      expiredAtMs: before === undefined ? found?.expiresAtMs : before.expiredAtMs,
    });
  }

  /** Finds the entry that an operation changes, as it sees it. */
  #findEntry(operation: PatchOperation | TouchOperation): FoundEntry | undefined {
    const {key} = operation;
    const state = this.#presentState(key);
    const json = state === undefined ? undefined : (this.writes.get(key)?.put?.json ?? this.#start.jsonOf(key));
    this.patchedBytes += (json?.length ?? 0) + (operation.kind === 'patch' ? operation.patch.length : 0);
    return json === undefined ? undefined : {json, expiresAtMs: state?.expiresAtMs};
  }

  #presentState(key: Key): EntryState | undefined {
    const state = this.#state(key);
    if (!this.writes.has(key)) this.#found.set(key, state);
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
    return this.#found.has(key) ? this.#found.get(key) : this.#start.stateOf(key);
  }

  /** Returns {@link #state}, or undefined if it cannot be read: a damaged entry must not stop the sweep of others. */
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
