import {setTimeout as delay} from 'node:timers/promises';
import {AppError, type ClientEntries, createClient} from 'crewroom/client';
import {type ClientTransfer, createTransfer} from 'crewroom/client/transfer';
import {formatPatch} from './effects.ts';
import type {AnsweredPlace, Attempt, Change, Ledger} from './ledger.ts';
import type {Random} from './random.ts';
import {formatValue, makeValue} from './values.ts';

/** Parameters of the writers. */
export interface LoadOptions {
  readonly url: string;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly writers: number;
  /** Number of the first writer: writers with other numbers have other entries of their own. @default {0} */
  readonly firstWriter?: number;
  /** Ends the writers when aborted, each after its answer or a broken connection. */
  readonly signal: AbortSignal;
  readonly onAcknowledged: () => void;
  /** Codes of failures that the service may return, and which promise that nothing happened. @default {[]} */
  readonly mayFailWith?: readonly string[];
  /** Pause of each writer between two requests, in milliseconds. @default {0} */
  readonly pauseMs?: number;
}

/**
 * Runs this many concurrent writers that use every kind of write, each one request after the other, until they are
 * stopped or the service is gone. Each writer has entries of its own, and all share some.
 */
export async function runLoad(options: LoadOptions): Promise<void> {
  const {writers: length, firstWriter = 0} = options;
  const writers = Array.from({length}, (_, index) => new Writer(firstWriter + index, options));
  await Promise.all(writers.map(writer => writer.run()));
}

/** An action of a writer, and its weight in percent. */
const ACTIONS = [
  {name: 'put', share: 30},
  {name: 'patch', share: 14},
  {name: 'read', share: 16},
  {name: 'transact', share: 13},
  {name: 'put-expiring', share: 9},
  {name: 'touch', share: 6},
  {name: 'delete', share: 8},
  {name: 'import', share: 3},
  {name: 'delete-range', share: 1},
] as const;

type Action = (typeof ACTIONS)[number]['name'];

const ACTION_NAMES: readonly Action[] = ACTIONS.flatMap(({name, share}) => Array<Action>(share).fill(name));

/** Number of entries that each writer owns, and number of shared ones. */
const OWN_ENTRIES = 3000;
const SHARED_ENTRIES = 40;
/** Number of entries with a time to live per writer, and their longest time, in seconds. */
const EXPIRING_ENTRIES = 20;
const TTL_SECONDS_MAX = 5;
/** Maximum number of entries of an import: with its deletions they fit into one commit. */
const IMPORTED_ENTRIES = 300;

/** Failures of the client if the outcome is unknown. */
const UNKNOWN_CODES: ReadonlySet<string> = new Set(['service-unreachable', 'service-timeout', 'unexpected-answer']);

/** Failure that a write may meet at any time: the entry does not exist. */
const EXPECTED_CODE = 'no-entry';

/** A write about to be sent: its request, and how to read its revision from the answer. */
interface Write {
  readonly changes: readonly Change[];
  readonly clears?: string;
  /** @returns The position that the answer contains; `nothing` if the write changed nothing. */
  readonly send: () => Promise<AnsweredPlace | 'nothing'>;
}

class Writer {
  readonly #options: LoadOptions;
  readonly #entries: ClientEntries;
  readonly #transfer: ClientTransfer;
  readonly #random: Random;
  readonly #name: string;
  #gone = false;

  constructor(index: number, options: LoadOptions) {
    this.#options = options;
    this.#name = `writer-${index}`;
    this.#random = options.random.fork(this.#name);
    // Without retries: a retried write may happen twice, and the ledger records each attempt.
    const sending = {baseUrl: options.url, attemptsMax: 1};
    this.#entries = createClient(sending).entries;
    this.#transfer = createTransfer(sending);
  }

  async run(): Promise<void> {
    const {signal, pauseMs} = this.#options;
    while (!this.#gone && !signal.aborted) {
      const action = this.#random.pick(ACTION_NAMES);
      if (action === 'read') await this.#read(this.#random.chance(0.5) ? this.#ownKey() : this.#sharedKey());
      else await this.#write(this.#prepare(action));
      if (pauseMs !== undefined) await delay(pauseMs);
    }
  }

  #prepare(action: Exclude<Action, 'read'>): Write {
    switch (action) {
      case 'put':
        return this.#put(this.#random.chance(0.8) ? this.#ownKey() : this.#sharedKey());
      case 'put-expiring':
        return this.#put(this.#expiringKey(), this.#random.integer(1, TTL_SECONDS_MAX));
      case 'patch':
        return this.#patch(this.#random.chance(0.5) ? this.#ownKey() : this.#sharedKey());
      case 'touch':
        return this.#touch(this.#expiringKey(), this.#random.integer(1, TTL_SECONDS_MAX));
      case 'delete':
        return this.#delete(this.#random.chance(0.5) ? this.#ownKey() : this.#sharedKey());
      case 'transact':
        return this.#transact();
      case 'import':
        return this.#import(this.#random.chance(0.5));
      case 'delete-range':
        return this.#deleteRange();
    }
  }

  #put(key: string, ttlSeconds?: number): Write {
    const change = this.#makePut(key, ttlSeconds);
    return {
      changes: [change],
      send: async () => placeOf(await this.#entries.put(key, Buffer.from(change.text), {ttlSeconds})),
    };
  }

  #patch(key: string): Write {
    const mark = this.#mark();
    const send = async () => placeOf(await this.#entries.patch(key, Buffer.from(formatPatch(mark))));
    return {changes: [{kind: 'patch', key, mark}], send};
  }

  #touch(key: string, ttlSeconds: number): Write {
    const send = async () => placeOf(await this.#entries.touch(key, ttlSeconds));
    return {changes: [{kind: 'touch', key, ttlSeconds}], send};
  }

  #delete(key: string): Write {
    const send = async () => {
      const {deleted} = await this.#entries.delete(key);
      return deleted === 0 ? 'nothing' : {};
    };
    return {changes: [{kind: 'delete', key}], send};
  }

  #transact(): Write {
    const keys = new Set(Array.from({length: this.#random.integer(1, 9)}, () => this.#anyKey()));
    const changes = Array.from(keys, (key, index): Change => {
      // At least one write, so that there is always a commit.
      const kind = index === 0 ? 'put' : this.#random.pick(['put', 'patch', 'delete'] as const);
      if (kind === 'put') return this.#makePut(key);
      return kind === 'patch' ? {kind, key, mark: this.#mark()} : {kind, key};
    });
    const operations = changes.map(change => {
      if (change.kind === 'put') return {kind: change.kind, key: change.key, value: Buffer.from(change.text)};
      if (change.kind === 'patch')
        return {kind: change.kind, key: change.key, patch: Buffer.from(formatPatch(change.mark))};
      return {kind: 'delete', key: change.key} as const;
    });
    return {changes, send: async () => placeOf(await this.#entries.transact({operations}))};
  }

  #import(replaces: boolean): Write {
    const prefix = this.#importPrefix;
    const first = this.#random.integer(0, IMPORTED_ENTRIES);
    const length = this.#random.integer(1, IMPORTED_ENTRIES);
    const changes = Array.from({length}, (_, index) => this.#makePut(`${prefix}${first + index}`));
    const lines = [
      JSON.stringify({format: 'crewroom-export', version: 1, revision: '0', prefix}),
      ...changes.map(({key, text}) => `{"key":${JSON.stringify(key)},"value":${text}}`),
      JSON.stringify({end: true, entries: length}),
    ];
    const mode = replaces ? 'replace' : 'merge';
    const send = async () => ({
      ceiling: (await this.#transfer.import([Buffer.from(lines.join('\n'))], {mode})).revision,
    });
    return {changes, send, ...(replaces ? {clears: prefix} : {})};
  }

  #deleteRange(): Write {
    const prefix = this.#importPrefix;
    const send = async () => ((await this.#entries.deleteRange({prefix})) === 0 ? 'nothing' : {});
    return {changes: [], clears: prefix, send};
  }

  async #write({changes, clears, send}: Write): Promise<void> {
    const {ledger, onAcknowledged} = this.#options;
    const attempt = ledger.send(changes, clears);
    try {
      const place = await send();
      if (place === 'nothing') return ledger.refuse(attempt, place);
      ledger.acknowledge(attempt, place);
    } catch (error) {
      return this.#fail(error, attempt);
    }
    onAcknowledged();
  }

  async #read(key: string): Promise<void> {
    const {ledger} = this.#options;
    const {floor} = ledger;
    try {
      const entry = await this.#entries.get(key);
      ledger.read({key, floor, seen: entry && {revision: entry.revision, text: entry.text}});
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown, attempt?: Attempt): void {
    if (!(error instanceof AppError)) throw error;
    const {code} = error;
    const {ledger, mayFailWith = []} = this.#options;
    this.#gone = UNKNOWN_CODES.has(code);
    if (!this.#gone && code !== EXPECTED_CODE && !mayFailWith.includes(code)) throw error;
    if (attempt === undefined) return;
    if (this.#gone) ledger.lose(attempt);
    else ledger.refuse(attempt, code);
  }

  #makePut(key: string, ttlSeconds?: number): Extract<Change, {kind: 'put'}> {
    const mark = this.#mark();
    // Transactions of many writes use small values, so that they fit into one commit.
    const isSmall = key.startsWith(this.#importPrefix);
    const text = isSmall ? formatValue(mark, this.#random.integer(0, 300)) : makeValue(mark, this.#random);
    return {kind: 'put', key, text, ...(ttlSeconds === undefined ? {} : {ttlSeconds})};
  }

  /** Returns a unique number. */
  #mark(): number {
    return this.#options.ledger.nextMark();
  }

  #anyKey(): string {
    return this.#random.chance(0.4) ? this.#sharedKey() : this.#ownKey();
  }

  #ownKey(): string {
    return `${this.#name}/own/${this.#random.integer(1, OWN_ENTRIES)}`;
  }

  #sharedKey(): string {
    return `shared/${this.#random.integer(1, SHARED_ENTRIES)}`;
  }

  #expiringKey(): string {
    return `${this.#name}/expiring/${this.#random.integer(1, EXPIRING_ENTRIES)}`;
  }

  get #importPrefix(): string {
    return `${this.#name}/import/`;
  }
}

function placeOf({revision}: {readonly revision: number}): AnsweredPlace {
  return {revision};
}
