import {type Effect, effectsOf, type Present} from './effects.ts';
import {type Attempt, describeText, type Ledger} from './ledger.ts';
import {judgeReading, type Version} from './readings.ts';

/** A change as the service tells it, from its change log. */
export interface Told {
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
  readonly value?: unknown;
  readonly expiresAt?: string;
}

/** An entry as it is read back. */
export interface ReadEntry {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  readonly expiresAtMs?: number | undefined;
}

/** What a history is judged by. */
export type Attempts = Pick<Ledger, 'open' | 'settle' | 'takeReadings'>;

/** The service did not keep what it promised. */
export class LossError extends Error {
  override readonly name = 'LossError';
}

const NOTHING = {revision: 0, entries: []} as const;

/** How far the clocks of those who write and of the service may be apart, in milliseconds: both are the machine's. */
const CLOCK_SLACK_MS = 1000;

/**
 * Judges what a service tells of its past by the ledger of those who wrote. The change log has to be one sequence of commits
 * without gaps; each is a whole attempt that was sent, or the end of entries that were to expire; every acknowledged
 * attempt is in it, once, under the revision that was told, after everything that was known when it was sent. What is read
 * back has to be what comes of it, to the byte.
 */
export class History {
  readonly #ledger: Attempts;
  readonly #present = new Map<string, Present>();
  /** What became of the entries that changed since {@link settle}, the state before first. */
  readonly #versions = new Map<string, Version[]>();
  #revision = 0;
  #unanswered = 0;

  /** @param start What is there already. @default {nothing} */
  constructor(ledger: Attempts, start: {readonly revision: number; readonly entries: readonly ReadEntry[]} = NOTHING) {
    this.#ledger = ledger;
    this.#revision = start.revision;
    for (const {key, ...entry} of start.entries) this.#present.set(key, entry);
  }

  /** The last commit that was judged. */
  get revision(): number {
    return this.#revision;
  }

  /** How many entries there have to be, those included that expire and were not told to have. */
  get size(): number {
    return this.#present.size;
  }

  /** How many attempts happened and were never answered. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** The keys whose entries changed since {@link settle}. */
  get changedKeys(): readonly string[] {
    return [...this.#versions.keys()];
  }

  /**
   * Takes the changes that followed, whole commits, from a service at which nothing is under way.
   *
   * @throws {LossError}
   */
  follow(changes: readonly Told[]): void {
    const open = indexByKey(this.#ledger.open);
    for (const commit of splitCommits(changes)) this.#followCommit(commit, open);
  }

  /**
   * Nothing is under way any more, and all changes were told: what was not in them did not happen, and never will.
   *
   * @throws {LossError} When something was acknowledged and did not happen, or read and never was.
   */
  settle(): void {
    for (const attempt of [...this.#ledger.open]) {
      if (attempt.state === 'acknowledged') throw new LossError(`Acknowledged and lost: ${describeAttempt(attempt)}`);
      this.#ledger.settle(attempt);
    }
    for (const reading of this.#ledger.takeReadings()) judgeReading(reading, this.#versionsOf(reading.key));
    this.#versions.clear();
  }

  /**
   * Compares entries that are read with those that have to be there.
   *
   * @throws {LossError}
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
        throw new LossError(`Lost: "${key}" of revision ${revision} is not there`);
    }
  }

  #compareEntry({key, revision, text, expiresAtMs}: ReadEntry, beganMs: number): void {
    const present = this.#present.get(key);
    if (present === undefined) throw new LossError(`Deleted or never written: "${key}" of revision ${revision}`);
    if (revision !== present.revision)
      throw new LossError(`Wrong revision: "${key}" has ${revision}, and the log says ${present.revision}`);
    if (text !== present.text)
      throw new LossError(`Torn: "${key}" is ${describeText(text)}, and written was ${describeText(present.text)}`);
    if (expiresAtMs !== present.expiresAtMs)
      throw new LossError(`Wrong expiry: "${key}" has ${expiresAtMs}, and the log says ${present.expiresAtMs}`);
    if (expiresAtMs !== undefined && expiresAtMs <= beganMs)
      throw new LossError(`Expired and still there: "${key}", since ${new Date(expiresAtMs).toISOString()}`);
  }

  #followCommit(commit: readonly Told[], open: ReadonlyMap<string, Set<Attempt>>): void {
    const [first] = commit as [Told, ...Told[]];
    const revision = Number(first.revision);
    if (revision !== this.#revision + 1)
      throw new LossError(`Out of order: revision ${revision} follows ${this.#revision} in the change log`);
    this.#revision = revision;
    if (commit.every(({kind}) => kind === 'entry-expired')) {
      for (const told of commit) this.#expire(told);
      return;
    }
    const {attempt, effects} = this.#findAttempt(commit, candidatesFor(first.key, open));
    if (attempt.state === 'unknown') this.#unanswered++;
    for (const {key} of attempt.changes) open.get(key)?.delete(attempt);
    if (attempt.clears !== undefined) open.get('')?.delete(attempt);
    this.#ledger.settle(attempt);
    for (const told of commit) this.#set(told.key, revision, toPresent(told, effects.get(told.key)));
  }

  #expire({key, revision}: Told): void {
    const present = this.#present.get(key);
    if (present?.expiresAtMs === undefined)
      throw new LossError(`Expired without being asked to: "${key}" in revision ${revision}`);
    if (present.expiresAtMs > Date.now() + CLOCK_SLACK_MS)
      throw new LossError(`Expired ${present.expiresAtMs - Date.now()} ms too early: "${key}" in revision ${revision}`);
    this.#set(key, Number(revision), undefined);
  }

  /** The attempt whose whole effect this commit is. */
  #findAttempt(commit: readonly Told[], candidates: Iterable<Attempt>): Found {
    const revision = Number(commit[0]?.revision);
    for (const attempt of candidates) {
      if (attempt.revision !== undefined && attempt.revision !== revision) continue;
      if (attempt.floor >= revision || revision > (attempt.ceiling ?? Infinity)) continue;
      if (attempt.state === 'refused') continue;
      const effects = effectsOf(attempt, this.#present);
      if (effects?.size !== commit.length) continue;
      if (commit.every(told => isTold(told, effects.get(told.key), attempt))) return {attempt, effects};
    }
    const told = commit.map(({kind, key}) => `${kind} "${key}"`).slice(0, 5);
    throw new LossError(`Nobody did this, or not like this: revision ${revision}, ${told.join(', ')}`);
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

/** When entries were read, and which. */
export interface CompareOptions {
  readonly beganMs: number;
  readonly endedMs: number;
  /** Only these keys were read. @default {all} */
  readonly among?: readonly string[];
}

interface Found {
  readonly attempt: Attempt;
  readonly effects: ReadonlyMap<string, Effect>;
}

function isTold(told: Told, effect: Effect | undefined, attempt: Attempt): boolean {
  if (effect?.kind !== told.kind) return false;
  if (effect.kind === 'entry-deleted') return true;
  const expiresAtMs = told.expiresAt === undefined ? undefined : Date.parse(told.expiresAt);
  return isExpiry(expiresAtMs, effect.expiry, attempt) && isValue(told.value, effect.text);
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

/** Large values do not come with their event; they are compared when they are read. */
function isValue(value: unknown, text: string): boolean {
  return value === undefined || JSON.stringify(value) === JSON.stringify(JSON.parse(text));
}

function toPresent({revision, expiresAt}: Told, effect: Effect | undefined): Present | undefined {
  if (effect?.kind !== 'entry-written') return undefined;
  const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  return {revision: Number(revision), text: effect.text, expiresAtMs};
}

function* splitCommits(changes: readonly Told[]): Generator<readonly Told[]> {
  let commit: Told[] = [];
  for (const change of changes) {
    if (commit.length > 0 && commit[0]?.revision !== change.revision) {
      yield commit;
      commit = [];
    }
    commit.push(change);
  }
  if (commit.length > 0) yield commit;
}

/** Attempts by each key they name; those that clear a prefix under the empty key as well, which no entry has. */
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
