import {type Effect, effectsOf, type Present} from './effects.ts';
import {type Attempt, describeText, type Ledger} from './ledger.ts';
import {LossError} from './loss-error.ts';
import {checkReading, type Version} from './readings.ts';

/** A change of the service's change log. */
export interface LoggedChange {
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
  /** Absent in a history that a test writes. */
  readonly cursor?: string;
  readonly value?: unknown;
  readonly expiresAt?: string;
}

/** An entry that is read back. */
export interface ReadEntry {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  readonly expiresAtMs?: number | undefined;
}

/** The sources against which a history is checked. */
export type Attempts = Pick<Ledger, 'open' | 'close' | 'takeReadings'>;

const NOTHING = {revision: 0, entries: []} as const;

/** Maximum difference between the clocks of writers and service, in milliseconds: both use the clock of the machine. */
const CLOCK_SLACK_MS = 1000;

/**
 * Checks the history of a service against the ledger of its writers. The change log must be one sequence of commits
 * without gaps. Each commit is one whole attempt that was sent, or the expiry of entries with a time to live. Each
 * acknowledged attempt is in the log once, under the revision in its answer, after every revision that was known when
 * it was sent. Entries that are read back must match the log byte for byte.
 */
export class History {
  readonly #ledger: Attempts;
  readonly #present = new Map<string, Present>();
  /** Versions of the entries that changed since {@link endAttempts}, the earlier state first. */
  readonly #versions = new Map<string, Version[]>();
  #revision = 0;
  #unanswered = 0;

  /** Entries that exist at the start. @default {none} */
  constructor(ledger: Attempts, start: {readonly revision: number; readonly entries: readonly ReadEntry[]} = NOTHING) {
    this.#ledger = ledger;
    this.#revision = start.revision;
    for (const {key, ...entry} of start.entries) this.#present.set(key, entry);
  }

  /** Revision of the last commit checked. */
  get revision(): number {
    return this.#revision;
  }

  /** Number of entries that must exist, expired ones included as long as the log does not contain their expiry. */
  get size(): number {
    return this.#present.size;
  }

  /** Number of attempts that happened and were never answered. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Keys of the entries that changed since {@link endAttempts}. */
  get changedKeys(): readonly string[] {
    return [...this.#versions.keys()];
  }

  /**
   * Checks the next changes, whole commits, of a service without requests in progress.
   *
   * @throws {LossError} If they contradict the ledger.
   */
  follow(changes: readonly LoggedChange[]): void {
    const open = indexByKey(this.#ledger.open);
    for (const commit of splitCommits(changes)) this.#followCommit(commit, open);
  }

  /**
   * Ends all attempts: no request is in progress and all changes were added, so attempts that are not among them never
   * happened.
   *
   * @throws {LossError} If an acknowledged write did not happen, or a read returned a value that never existed.
   */
  endAttempts(): void {
    for (const attempt of [...this.#ledger.open]) {
      if (attempt.state === 'acknowledged') throw new LossError(`Acknowledged and lost: ${describeAttempt(attempt)}`);
      this.#ledger.close(attempt);
    }
    for (const reading of this.#ledger.takeReadings()) checkReading(reading, this.#versionsOf(reading.key));
    this.#versions.clear();
  }

  /**
   * Compares entries that were read with the expected ones.
   *
   * @throws {LossError} On a difference.
   */
  compare(entries: readonly ReadEntry[], {beganMs, endedMs, among}: CompareOptions): void {
    const read = new Set<string>();
    for (const entry of entries) {
      read.add(entry.key);
      this.#compareEntry(entry, beganMs);
    }
    for (const key of among ?? this.#present.keys()) {
      const {revision, expiresAtMs = Infinity} = this.#present.get(key) ?? {expiresAtMs: 0};
      if (!read.has(key) && expiresAtMs > endedMs)
        throw new LossError(`Lost: entry "${key}" of revision ${revision} does not exist`);
    }
  }

  #compareEntry({key, revision, text, expiresAtMs}: ReadEntry, beganMs: number): void {
    const present = this.#present.get(key);
    if (present === undefined) throw new LossError(`Deleted or never written: "${key}" of revision ${revision}`);
    if (revision !== present.revision)
      throw new LossError(`Wrong revision: "${key}" has ${revision}, and the log has ${present.revision}`);
    if (text !== present.text)
      throw new LossError(`Torn: "${key}" is ${describeText(text)}, and ${describeText(present.text)} was written`);
    if (expiresAtMs !== present.expiresAtMs)
      throw new LossError(`Wrong expiry: "${key}" has ${expiresAtMs}, and the log has ${present.expiresAtMs}`);
    if (expiresAtMs !== undefined && expiresAtMs <= beganMs)
      throw new LossError(`Expired and still present: "${key}", since ${new Date(expiresAtMs).toISOString()}`);
  }

  #followCommit(commit: readonly LoggedChange[], open: ReadonlyMap<string, Set<Attempt>>): void {
    const [first] = commit as [LoggedChange, ...LoggedChange[]];
    const revision = Number(first.revision);
    if (revision !== this.#revision + 1)
      throw new LossError(`Out of order: revision ${revision} follows ${this.#revision} in the change log`);
    this.#revision = revision;
    if (commit.every(({kind}) => kind === 'entry-expired')) {
      for (const change of commit) this.#expire(change);
      return;
    }
    const {attempt, effects} = this.#findAttempt(commit, candidatesFor(first.key, open));
    if (attempt.state === 'unknown') this.#unanswered++;
    for (const {key} of attempt.changes) open.get(key)?.delete(attempt);
    if (attempt.clears !== undefined) open.get('')?.delete(attempt);
    this.#ledger.close(attempt);
    for (const change of commit) this.#set(change.key, revision, toPresent(change, effects.get(change.key)));
  }

  #expire({key, revision}: LoggedChange): void {
    const present = this.#present.get(key);
    if (present?.expiresAtMs === undefined)
      throw new LossError(`Expired without a time to live: "${key}" in revision ${revision}`);
    if (present.expiresAtMs > Date.now() + CLOCK_SLACK_MS)
      throw new LossError(`Expired ${present.expiresAtMs - Date.now()} ms too early: "${key}" in revision ${revision}`);
    this.#set(key, Number(revision), undefined);
  }

  /** Finds the attempt whose complete effect is this commit. */
  #findAttempt(commit: readonly LoggedChange[], candidates: Iterable<Attempt>): Found {
    const revision = Number(commit[0]?.revision);
    for (const attempt of candidates) {
      if (attempt.revision !== undefined && attempt.revision !== revision) continue;
      if (attempt.floor >= revision || revision > (attempt.ceiling ?? Infinity)) continue;
      if (attempt.state === 'refused') continue;
      const effects = effectsOf(attempt, this.#present);
      if (effects?.size !== commit.length) continue;
      if (commit.every(change => isChangeOf(change, effects.get(change.key), attempt))) return {attempt, effects};
    }
    const kinds = commit.map(({kind, key}) => `${kind} "${key}"`).slice(0, 5);
    throw new LossError(`Unexplained commit: revision ${revision}, ${kinds.join(', ')}`);
  }

  #set(key: string, revision: number, entry: Present | undefined): void {
    const versions = this.#versionsOf(key);
    this.#versions.set(key, versions);
    versions.push({since: revision, entry});
    if (entry === undefined) this.#present.delete(key);
    else this.#present.set(key, entry);
  }

  #versionsOf(key: string): Version[] {
    return this.#versions.get(key) ?? [{since: 0, entry: this.#present.get(key)}];
  }
}

/** Time and keys of a read. */
export interface CompareOptions {
  readonly beganMs: number;
  readonly endedMs: number;
  /** Keys that were read. @default {all} */
  readonly among?: readonly string[];
}

interface Found {
  readonly attempt: Attempt;
  readonly effects: ReadonlyMap<string, Effect>;
}

function isChangeOf(change: LoggedChange, effect: Effect | undefined, attempt: Attempt): boolean {
  if (effect?.kind !== change.kind) return false;
  if (effect.kind === 'entry-deleted') return true;
  const expiresAtMs = change.expiresAt === undefined ? undefined : Date.parse(change.expiresAt);
  return isExpiry(expiresAtMs, effect.expiry, attempt) && isValue(change.value, effect.text);
}

function isExpiry(
  expiresAtMs: number | undefined,
  expiry: Extract<Effect, {kind: 'entry-written'}>['expiry'],
  {sentMs, endedMs = Infinity}: Attempt,
): boolean {
  switch (expiry.kind) {
    case 'never':
      return expiresAtMs === undefined;
    case 'at':
      return expiresAtMs === expiry.atMs;
    case 'after': {
      if (expiresAtMs === undefined) return false;
      const writtenMs = expiresAtMs - expiry.ttlSeconds * 1000;
      return writtenMs >= sentMs - CLOCK_SLACK_MS && writtenMs <= endedMs + CLOCK_SLACK_MS;
    }
  }
}

/** Events do not contain large values; those are compared when they are read. */
function isValue(value: unknown, text: string): boolean {
  return value === undefined || JSON.stringify(value) === JSON.stringify(JSON.parse(text));
}

function toPresent({revision, expiresAt}: LoggedChange, effect: Effect | undefined): Present | undefined {
  if (effect?.kind !== 'entry-written') return undefined;
  const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  return {revision: Number(revision), text: effect.text, expiresAtMs};
}

function* splitCommits(changes: readonly LoggedChange[]): Generator<readonly LoggedChange[]> {
  let commit: LoggedChange[] = [];
  for (const change of changes) {
    if (commit.length > 0 && commit[0]?.revision !== change.revision) {
      yield commit;
      commit = [];
    }
    commit.push(change);
  }
  if (commit.length > 0) yield commit;
}

/** Attempts by each key they name; attempts that clear a prefix also under the empty key, which no entry has. */
function indexByKey(attempts: Iterable<Attempt>): ReadonlyMap<string, Set<Attempt>> {
  const index = new Map<string, Set<Attempt>>();
  for (const attempt of attempts) {
    const keys = attempt.changes.map(({key}) => key);
    for (const key of attempt.clears === undefined ? keys : [...keys, '']) {
      const known = index.get(key);
      if (known === undefined) index.set(key, new Set([attempt]));
      else known.add(attempt);
    }
  }
  return index;
}

function candidatesFor(key: string, open: ReadonlyMap<string, Set<Attempt>>): readonly Attempt[] {
  return [...(open.get(key) ?? []), ...(open.get('') ?? [])];
}

function describeAttempt({id, floor, revision, changes, clears}: Attempt): string {
  const what = changes.map(({kind, key}) => `${kind} "${key}"`).slice(0, 5);
  if (clears !== undefined) what.push(`clear "${clears}"`);
  return `attempt ${id} (${what.join(', ')}), revision ${revision ?? `above ${floor}`}`;
}
