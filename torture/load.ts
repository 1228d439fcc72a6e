import {AppError, type ClientEntries, createClient} from 'crewroom/client';
import {formatPatch} from './effects.ts';
import type {AnsweredPlace, Attempt, Change, Ledger} from './ledger.ts';
import type {Random} from './random.ts';
import {formatValue, makeValue} from './values.ts';

/** What writers need. */
export interface LoadOptions {
  readonly url: string;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly writers: number;
  /** The writers end once it is aborted, each when its answer came or its connection broke. */
  readonly signal: AbortSignal;
  readonly onAcknowledged: () => void;
  /** Failures, by their codes, with which the service may answer, and which promise that nothing happened. @default {[]} */
  readonly mayFailWith?: readonly string[];
}

/**
 * Lets so many writers do all that can be done to entries, at once, each one thing after the other, until they are told to end
 * or the service is gone. Each has entries of its own, and they share some.
 */
export async function runLoad(options: LoadOptions): Promise<void> {
  const writers = Array.from({length: options.writers}, (_, index) => new Writer(index, options));
  await Promise.all(writers.map(writer => writer.run()));
}

/** What a writer does, and of how many hundred it is. */
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

/** How many entries a writer has of its own, and how many all share. */
const OWN_ENTRIES = 3000;
const SHARED_ENTRIES = 40;
/** How many entries with a time to live a writer has, and with how long a time at most, in seconds. */
const EXPIRING_ENTRIES = 20;
const TTL_SECONDS_MAX = 5;
/** How many entries an import has at most: with what it deletes they fit into one commit. */
const IMPORTED_ENTRIES = 300;

/** What a client throws when it does not know what happened. */
const UNKNOWN_CODES: ReadonlySet<string> = new Set(['service-unreachable', 'service-timeout', 'unexpected-answer']);

/** What a write may find at any time: that the entry is gone. */
const EXPECTED_CODE = 'no-entry';

/** A write that is about to be sent: how, and how to read its revision from the answer. */
interface Write {
  readonly changes: readonly Change[];
  readonly clears?: string;
  /** @returns Where the answer says that it stands; `nothing` when it changed nothing. */
  readonly send: () => Promise<AnsweredPlace | 'nothing'>;
}

class Writer {
  readonly #options: LoadOptions;
  readonly #entries: ClientEntries;
  readonly #random: Random;
  readonly #name: string;
  #gone = false;

  constructor(index: number, options: LoadOptions) {
    this.#options = options;
    this.#name = `writer-${index}`;
    this.#random = options.random.fork(this.#name);
    // What is tried twice may happen twice; here every attempt is written down.
    this.#entries = createClient({baseUrl: options.url, attemptsMax: 1}).entries;
  }

  async run(): Promise<void> {
    while (!this.#gone && !this.#options.signal.aborted) {
      const action = this.#random.pick(ACTION_NAMES);
      if (action === 'read') await this.#read(this.#random.chance(0.5) ? this.#ownKey() : this.#sharedKey());
      else await this.#write(this.#prepare(action));
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
    return {changes: [change], send: async () => placeOf(await this.#entries.put(key, change.text, {ttlSeconds}))};
  }

  #patch(key: string): Write {
    const mark = this.#mark();
    const send = async () => placeOf(await this.#entries.patch(key, formatPatch(mark)));
    return {changes: [{kind: 'patch', key, mark}], send};
  }

  #touch(key: string, ttlSeconds: number): Write {
    const send = async () => placeOf(await this.#entries.touch(key, ttlSeconds));
    return {changes: [{kind: 'touch', key, ttlSeconds}], send};
  }

  #delete(key: string): Write {
    const send = async () => {
      await this.#entries.delete(key);
      return {};
    };
    return {changes: [{kind: 'delete', key}], send};
  }

  #transact(): Write {
    const keys = new Set(Array.from({length: this.#random.integer(1, 9)}, () => this.#anyKey()));
    const changes = Array.from(keys, (key, index): Change => {
      // One write at least, so that there is always a commit.
      const kind = index === 0 ? 'put' : this.#random.pick(['put', 'patch', 'delete'] as const);
      if (kind === 'put') return this.#makePut(key);
      return kind === 'patch' ? {kind, key, mark: this.#mark()} : {kind, key};
    });
    const operations = changes.map(change => {
      if (change.kind === 'put') return {kind: change.kind, key: change.key, json: change.text};
      if (change.kind === 'patch') return {kind: change.kind, key: change.key, patch: formatPatch(change.mark)};
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
    const url = `${this.#options.url}/api/import?mode=${replaces ? 'replace' : 'merge'}`;
    const send = async () => ({ceiling: Number((await postLines(url, lines.join('\n'))).revision)});
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
    const {code} = error.failure;
    const {ledger, mayFailWith = []} = this.#options;
    this.#gone = UNKNOWN_CODES.has(code);
    if (!this.#gone && code !== EXPECTED_CODE && !mayFailWith.includes(code)) throw error;
    if (attempt === undefined) return;
    if (this.#gone) ledger.lose(attempt);
    else ledger.refuse(attempt, code);
  }

  #makePut(key: string, ttlSeconds?: number): Extract<Change, {kind: 'put'}> {
    const mark = this.#mark();
    // Many at once are small, so that they fit into one commit.
    const isSmall = key.startsWith(this.#importPrefix);
    const text = isSmall ? formatValue(mark, this.#random.integer(0, 300)) : makeValue(mark, this.#random);
    return {kind: 'put', key, text, ...(ttlSeconds === undefined ? {} : {ttlSeconds})};
  }

  /** A number that nobody else has. */
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

/** The client has no import; a failure of it is thrown as the client's would be. */
async function postLines(url: string, lines: string): Promise<{readonly revision: string}> {
  let response: Response;
  try {
    response = await fetch(url, {method: 'POST', body: lines});
    const answer = (await response.json()) as {readonly revision: string};
    if (response.ok) return answer;
    throw new Error(`Import answered ${response.status}: ${JSON.stringify(answer)}`);
  } catch (error) {
    // Undici's way to say that the connection broke.
    if (!(error instanceof TypeError)) throw error;
    throw new AppError({code: 'service-unreachable', url, problem: String(error.cause ?? error)});
  }
}
