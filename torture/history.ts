import {type Attempt, type Change, describeText, type Ledger} from './ledger.ts';

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

/** The service did not keep what it promised. */
export class LossError extends Error {
  override readonly name = 'LossError';
}

interface Present {
  readonly revision: number;
  readonly text: string;
  readonly expiresAtMs?: number | undefined;
}

/**
 * Judges what a service tells of its past by the ledger of those who wrote. The change log has to be one sequence of commits
 * without gaps; each is a whole attempt that was sent, or the end of entries that were to expire; every acknowledged
 * attempt is in it, once, under the revision that was told, after everything that was known when it was sent. What is read
 * back has to be what comes of it, to the byte.
 */
export class History {
  readonly #ledger: Ledger;
  readonly #present = new Map<string, Present>();
  #revision = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The last commit that was judged. */
  get revision(): number {
    return this.#revision;
  }

  /** How many entries there have to be, those that expire included. */
  get size(): number {
    return this.#present.size;
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
   * @throws {LossError} When something was acknowledged and did not happen.
   */
  settle(): void {
    for (const attempt of [...this.#ledger.open]) {
      if (attempt.state === 'acknowledged' && !changesNothing(attempt))
        throw new LossError(`Acknowledged and lost: ${describeAttempt(attempt)}`);
      this.#ledger.settle(attempt);
    }
  }

  /**
   * Compares all entries that are read with those that have to be there.
   *
   * @throws {LossError}
   */
  compare(
    entries: readonly ReadEntry[],
    {beganMs, endedMs}: {readonly beganMs: number; readonly endedMs: number},
  ): void {
    const read = new Set<string>();
    for (const entry of entries) {
      read.add(entry.key);
      this.#compareEntry(entry, beganMs);
    }
    for (const [key, {revision, expiresAtMs}] of this.#present) {
      if (!read.has(key) && (expiresAtMs ?? Infinity) > endedMs)
        throw new LossError(`Lost: "${key}" of revision ${revision} is not there`);
    }
  }

  #compareEntry({key, revision, text, expiresAtMs}: ReadEntry, beganMs: number): void {
    const present = this.#present.get(key);
    if (present === undefined) throw new LossError(`Not deleted, or never written: "${key}" of revision ${revision}`);
    if (revision !== present.revision)
      throw new LossError(`Wrong revision: "${key}" has ${revision}, and the log says ${present.revision}`);
    if (text !== present.text)
      throw new LossError(`Torn: "${key}" is ${describeText(text)}, and written was ${describeText(present.text)}`);
    if (expiresAtMs !== present.expiresAtMs)
      throw new LossError(`Wrong expiry: "${key}" has ${expiresAtMs}, and the log says ${present.expiresAtMs}`);
    if (expiresAtMs !== undefined && expiresAtMs <= beganMs)
      throw new LossError(`Expired and still there: "${key}", since ${new Date(expiresAtMs).toISOString()}`);
  }

  #followCommit(commit: readonly Told[], open: Map<string, Set<Attempt>>): void {
    const [first] = commit as [Told, ...Told[]];
    const revision = Number(first.revision);
    if (revision !== this.#revision + 1)
      throw new LossError(`Out of order: revision ${revision} follows ${this.#revision} in the change log`);
    this.#revision = revision;
    if (commit.every(({kind}) => kind === 'entry-expired')) {
      for (const told of commit) this.#expire(told);
      return;
    }
    const attempt = this.#findAttempt(commit, open.get(first.key) ?? []);
    for (const {key} of attempt.changes) open.get(key)?.delete(attempt);
    this.#ledger.settle(attempt);
    for (const told of commit) this.#apply(told, attempt);
  }

  #expire({key, revision}: Told): void {
    const present = this.#present.get(key);
    if (present?.expiresAtMs === undefined)
      throw new LossError(`Expired without being asked to: "${key}" in revision ${revision}`);
    if (present.expiresAtMs > Date.now())
      throw new LossError(`Expired too early: "${key}", ${present.expiresAtMs - Date.now()} ms ahead`);
    this.#present.delete(key);
  }

  /** The attempt whose whole effect this commit is. */
  #findAttempt(commit: readonly Told[], candidates: Iterable<Attempt>): Attempt {
    const revision = Number(commit[0]?.revision);
    for (const attempt of candidates) {
      if (attempt.revision !== undefined && attempt.revision !== revision) continue;
      if (attempt.floor >= revision || attempt.state === 'refused') continue;
      if (this.#isEffect(commit, attempt)) return attempt;
    }
    const told = commit.map(({kind, key}) => `${kind} "${key}"`).slice(0, 5);
    throw new LossError(`Nobody did this, or not like this: revision ${revision}, ${told.join(', ')}`);
  }

  #isEffect(commit: readonly Told[], {changes}: Attempt): boolean {
    const effective = changes.filter(change => change.kind !== 'delete' || this.#present.has(change.key));
    if (effective.length !== commit.length) return false;
    const byKey = new Map(effective.map(change => [change.key, change]));
    return commit.every(told => {
      const change = byKey.get(told.key);
      return change !== undefined && isTold(told, change, this.#present.get(told.key));
    });
  }

  #apply(told: Told, attempt: Attempt): void {
    if (told.kind === 'entry-deleted') {
      this.#present.delete(told.key);
      return;
    }
    const change = attempt.changes.find(({key}) => key === told.key);
    const text = change?.kind === 'put' ? change.text : (this.#present.get(told.key)?.text ?? '');
    const expiresAtMs = told.expiresAt === undefined ? undefined : Date.parse(told.expiresAt);
    this.#present.set(told.key, {revision: Number(told.revision), text, expiresAtMs});
  }
}

function isTold(told: Told, change: Change, present: Present | undefined): boolean {
  switch (change.kind) {
    case 'delete':
      return told.kind === 'entry-deleted';
    case 'put':
      return (
        told.kind === 'entry-written' &&
        (told.expiresAt !== undefined) === (change.ttlSeconds !== undefined) &&
        isValue(told.value, change.text)
      );
    case 'touch':
      return (
        told.kind === 'entry-written' &&
        (told.expiresAt !== undefined) === (change.ttlSeconds !== null) &&
        present !== undefined &&
        isValue(told.value, present.text)
      );
  }
}

/** Large values do not come with their event; they are compared when they are read. */
function isValue(value: unknown, text: string): boolean {
  return value === undefined || JSON.stringify(value) === JSON.stringify(JSON.parse(text));
}

/** Whether it may be acknowledged without a commit: deletions, in a transaction, of what was not there. */
function changesNothing({changes}: Attempt): boolean {
  return changes.every(({kind}) => kind === 'delete');
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

function indexByKey(attempts: Iterable<Attempt>): Map<string, Set<Attempt>> {
  const index = new Map<string, Set<Attempt>>();
  for (const attempt of attempts) {
    for (const {key} of attempt.changes) {
      const known = index.get(key);
      if (known === undefined) index.set(key, new Set([attempt]));
      else known.add(attempt);
    }
  }
  return index;
}

function describeAttempt({id, floor, revision, changes}: Attempt): string {
  const what = changes.map(({kind, key}) => `${kind} "${key}"`).slice(0, 5);
  return `attempt ${id} (${what.join(', ')}), revision ${revision ?? `above ${floor}`}`;
}
