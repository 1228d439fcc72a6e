import {createHash} from 'node:crypto';
import {closeSync, openSync, writeSync} from 'node:fs';

/** What a write does to one entry. */
export type Change =
  | {readonly kind: 'put'; readonly key: string; readonly text: string; readonly ttlSeconds?: number}
  | {readonly kind: 'delete'; readonly key: string}
  | {readonly kind: 'touch'; readonly key: string; readonly ttlSeconds: number | null};

/** What is known of an attempt: sent; done for sure; not done for sure; or lost on the way, and either done or not. */
export type AttemptState = 'sent' | 'acknowledged' | 'refused' | 'unknown';

/** A write that was sent: everything it asks for happens, or nothing. */
export interface Attempt {
  readonly id: number;
  readonly changes: readonly Change[];
  /** The highest revision that anybody had been told when it was sent: its own has to be higher. */
  readonly floor: number;
  readonly state: AttemptState;
  /** Where the answer told it. */
  readonly revision?: number;
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
  #count = 0;
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

  /** Before it is sent. */
  send(changes: readonly Change[]): Attempt {
    const attempt: Recorded = {id: ++this.#count, changes, floor: this.#floor, state: 'sent'};
    this.#open.add(attempt);
    this.#write({attempt: attempt.id, floor: attempt.floor, changes: changes.map(shorten)});
    return attempt;
  }

  /** After it was answered. */
  acknowledge(attempt: Attempt, revision?: number): void {
    this.#set(attempt, 'acknowledged', revision);
    if (revision !== undefined) this.see(revision);
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

  /** Somebody was told of this revision: whatever is sent from now on comes after it. */
  see(revision: number): void {
    this.#floor = Math.max(this.#floor, revision);
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

  #set(attempt: Attempt, state: AttemptState, revision?: number): void {
    Object.assign(attempt, {state, ...(revision === undefined ? {} : {revision})});
    this.#write({attempt: attempt.id, state, revision});
  }

  #write(line: object): void {
    writeSync(this.#file, `${JSON.stringify({at: new Date().toISOString(), ...line})}\n`);
  }
}

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
