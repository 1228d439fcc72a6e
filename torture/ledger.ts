import {createHash} from 'node:crypto';
import {closeSync, openSync, writeSync} from 'node:fs';

/** What a write does to one entry. */
export type Change =
  | {readonly kind: 'put'; readonly key: string; readonly text: string; readonly ttlSeconds?: number}
  /** Sets one member of the value to this number. */
  | {readonly kind: 'patch'; readonly key: string; readonly mark: number}
  | {readonly kind: 'delete'; readonly key: string}
  | {readonly kind: 'touch'; readonly key: string; readonly ttlSeconds: number | null};

/** What is known of an attempt: sent; done for sure; not done for sure; or lost on the way, and either done or not. */
export type AttemptState = 'sent' | 'acknowledged' | 'refused' | 'unknown';

/** A write that was sent: everything it asks for happens, or nothing. */
export interface Attempt {
  readonly id: number;
  /** What it does to each entry, each at most once. */
  readonly changes: readonly Change[];
  /** Deletes every entry with this prefix that is not in `changes`. */
  readonly clears?: string | undefined;
  /** The highest revision that anybody had been told when it was sent: its own has to be higher. */
  readonly floor: number;
  readonly state: AttemptState;
  /** Where the answer told it. */
  readonly revision?: number;
  /** Where the answer told only how far the store had come by then: it was no later. */
  readonly ceiling?: number;
  /** When it was sent, and when it was known what became of it or that nobody will tell, in milliseconds since the Unix epoch. */
  readonly sentMs: number;
  readonly endedMs?: number;
}

/** An entry, or that there was none, as somebody read it while others wrote. */
export interface Reading {
  readonly key: string;
  /** The highest revision that anybody had been told when it was asked for. */
  readonly floor: number;
  readonly seen: {readonly revision: number; readonly text: string} | undefined;
}

/** Texts longer than this, in characters, stand in the ledger's file by their size and digest. */
const TEXT_LENGTH_MAX = 200;

/**
 * What was sent and what was answered, kept by the process that survives. It is written to a file as well, line by
 * line, for whoever wants to know what happened to a scenario that failed.
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

  /** The highest revision that anybody was told. */
  get floor(): number {
    return this.#floor;
  }

  /** Attempts of which nobody has settled yet what became of them, in the order in which they were sent. */
  get open(): Iterable<Attempt> {
    return this.#open;
  }

  /** A number for a value, so that no two are alike. */
  nextMark(): number {
    return ++this.#marks;
  }

  /** Before it is sent. */
  send(changes: readonly Change[], clears?: string): Attempt {
    const id = ++this.#count;
    const attempt: Recorded = {id, changes, clears, floor: this.#floor, state: 'sent', sentMs: Date.now()};
    this.#open.add(attempt);
    this.#write({attempt: id, floor: attempt.floor, clears, changes: changes.map(shorten)});
    return attempt;
  }

  /** After it was answered. What answers that there was nothing to do is {@link refuse}d. */
  acknowledge(attempt: Attempt, told: AnsweredPlace = {}): void {
    this.#set(attempt, 'acknowledged', told);
    this.see(told.revision ?? told.ceiling ?? 0);
  }

  /** It was answered with a failure that promises that nothing happened. */
  refuse(attempt: Attempt, code: string): void {
    this.#set(attempt, 'refused');
    this.#write({attempt: attempt.id, code});
  }

  /** No answer came. */
  lose(attempt: Attempt): void {
    this.#set(attempt, 'unknown');
  }

  /** Somebody read an entry. */
  read(reading: Reading): void {
    this.#readings.push(reading);
    if (reading.seen !== undefined) this.see(reading.seen.revision);
  }

  /** What was read since it was last asked for. */
  takeReadings(): readonly Reading[] {
    const taken = this.#readings;
    this.#readings = [];
    return taken;
  }

  /** Somebody was told of this revision: whatever is sent from now on comes after it. */
  see(revision: number): void {
    this.#floor = Math.max(this.#floor, revision);
  }

  /** What is sent from now on goes to another store, whose last revision is this one. */
  restart(revision: number): void {
    this.#floor = revision;
  }

  /** It is known what became of it, and checked. */
  settle(attempt: Attempt): void {
    this.#open.delete(attempt as Recorded);
  }

  /** Notes what else happened, such as a kill. */
  note(what: Readonly<Record<string, unknown>>): void {
    this.#write(what);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #set(attempt: Attempt, state: AttemptState, told: AnsweredPlace = {}): void {
    Object.assign(attempt, {state, endedMs: Date.now(), ...told});
    this.#write({attempt: attempt.id, state, ...told});
  }

  #write(line: object): void {
    writeSync(this.#file, `${JSON.stringify({at: new Date().toISOString(), ...line})}\n`);
  }
}

/** What an answer told of the place of a write among all others. */
export type AnsweredPlace = Partial<Pick<Attempt, 'revision' | 'ceiling'>>;

type Recorded = {-readonly [Name in keyof Attempt]: Attempt[Name]};

function shorten(change: Change): object {
  if (change.kind !== 'put' || change.text.length <= TEXT_LENGTH_MAX) return change;
  return {...change, text: describeText(change.text)};
}

/** A text, or what tells it from others where it is long. */
export function describeText(text: string): string {
  if (text.length <= TEXT_LENGTH_MAX) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${text.slice(0, 60)}… (${Buffer.byteLength(text)} bytes, sha256 ${digest}…)`;
}
