import {createHash} from 'node:crypto';
import {closeSync, openSync, writeSync} from 'node:fs';

/** The effect of a write on one entry. */
export type Change =
  | {readonly kind: 'put'; readonly key: string; readonly text: string; readonly ttlSeconds?: number}
  /** Sets one member of the value to this number. */
  | {readonly kind: 'patch'; readonly key: string; readonly mark: number}
  | {readonly kind: 'delete'; readonly key: string}
  | {readonly kind: 'touch'; readonly key: string; readonly ttlSeconds: number | null};

/** State of an attempt: sent; certainly done; certainly not done; or lost, so that both are possible. */
export type AttemptState = 'sent' | 'acknowledged' | 'refused' | 'unknown';

/** A write that was sent. It happens as a whole or not at all. */
export interface Attempt {
  readonly id: number;
  /** Effect on each entry, at most one per entry. */
  readonly changes: readonly Change[];
  /** Deletes every entry with this prefix that is not in `changes`. */
  readonly clears?: string | undefined;
  /** Highest revision known to any client when it was sent: its own revision must be higher. */
  readonly floor: number;
  readonly state: AttemptState;
  /** Its revision, if the answer contained it. */
  readonly revision?: number;
  /** Upper bound of its revision, if the answer contained only the revision of the store. */
  readonly ceiling?: number;
  /**
   * Times at which it was sent and at which its outcome became known or was given up, in milliseconds since the Unix
   * epoch.
   */
  readonly sentMs: number;
  readonly endedMs?: number;
}

/** An entry, or its absence, read by a client during writes. */
export interface Reading {
  readonly key: string;
  /** Highest revision known to any client when the read was sent. */
  readonly floor: number;
  readonly seen: {readonly revision: number; readonly text: string} | undefined;
}

/**
 * Longest text, in characters, that the ledger's file contains in full; longer ones are replaced by size and digest.
 */
const TEXT_LENGTH_MAX = 200;

/**
 * Record of all requests and answers, kept by the process that survives. Also written to a file, line by line, for the
 * analysis of failures.
 */
export class Ledger implements Disposable {
  readonly #file: number;
  readonly #open = new Set<Recorded>();
  #readings: Reading[] = [];
  #count = 0;
  #marks = 0;
  #floor = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** Highest revision known to any client. */
  get floor(): number {
    return this.#floor;
  }

  /** Attempts without a final outcome, in the order in which they were sent. */
  get open(): Iterable<Attempt> {
    return this.#open;
  }

  /** Returns a number that makes a value unique. */
  nextMark(): number {
    return ++this.#marks;
  }

  /** Call before the request is sent. */
  send(changes: readonly Change[], clears?: string): Attempt {
    const id = ++this.#count;
    const attempt: Recorded = {id, changes, clears, floor: this.#floor, state: 'sent', sentMs: Date.now()};
    this.#open.add(attempt);
    this.#write({attempt: id, floor: attempt.floor, clears, changes: changes.map(shorten)});
    return attempt;
  }

  /** Records an answer. An answer that nothing had to be done is recorded by {@link refuse}. */
  acknowledge(attempt: Attempt, place: AnsweredPlace = {}): void {
    this.#set(attempt, 'acknowledged', place);
    this.see(place.revision ?? place.ceiling ?? 0);
  }

  /** Records a failure which promises that nothing happened. */
  refuse(attempt: Attempt, code: string): void {
    this.#set(attempt, 'refused');
    this.#write({attempt: attempt.id, code});
  }

  /** Records that no answer came. */
  lose(attempt: Attempt): void {
    this.#set(attempt, 'unknown');
  }

  /** Records the read of an entry. */
  read(reading: Reading): void {
    this.#readings.push(reading);
    if (reading.seen !== undefined) this.see(reading.seen.revision);
  }

  /** Returns the reads recorded since the last call, and removes them. */
  takeReadings(): readonly Reading[] {
    const taken = this.#readings;
    this.#readings = [];
    return taken;
  }

  /** Records that a client knows this revision: requests from now on come after it. */
  see(revision: number): void {
    this.#floor = Math.max(this.#floor, revision);
  }

  /** Switches to another store whose last revision is this one. */
  restart(revision: number): void {
    this.#floor = revision;
  }

  /** Removes an attempt whose outcome is known and checked. */
  close(attempt: Attempt): void {
    this.#open.delete(attempt as Recorded);
  }

  /** Records another event, such as a kill. */
  note(what: Readonly<Record<string, unknown>>): void {
    this.#write(what);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #set(attempt: Attempt, state: AttemptState, place: AnsweredPlace = {}): void {
    Object.assign(attempt, {state, endedMs: Date.now(), ...place});
    this.#write({attempt: attempt.id, state, ...place});
  }

  #write(line: object): void {
    writeSync(this.#file, `${JSON.stringify({at: new Date().toISOString(), ...line})}\n`);
  }
}

/** Position of a write among all others, as far as its answer contained it. */
export type AnsweredPlace = Partial<Pick<Attempt, 'revision' | 'ceiling'>>;

type Recorded = {-readonly [Name in keyof Attempt]: Attempt[Name]};

function shorten(change: Change): object {
  if (change.kind !== 'put' || change.text.length <= TEXT_LENGTH_MAX) return change;
  return {...change, text: describeText(change.text)};
}

/** A text; a long one by size and digest. */
export function describeText(text: string): string {
  if (text.length <= TEXT_LENGTH_MAX) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${text.slice(0, 60)}… (${Buffer.byteLength(text)} bytes, sha256 ${digest}…)`;
}
