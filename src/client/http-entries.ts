import {AppError} from '../domain/app-error.ts';
import type {
  Committed,
  DeleteOptions,
  ListOptions,
  Page,
  PutOptions,
  Transaction,
  WriteOptions,
  Written,
} from '../domain/entries.ts';
import type {Entry, EntryInfo} from '../domain/entry.ts';
import {encodeText, type JsonText} from '../domain/json-text.ts';
import {type Key, parseCursor, parseKey, parsePrefix} from '../domain/key.ts';
import {type ListAllOptions, listAll} from '../domain/list-all.ts';
import {NO_REVISION, type Revision} from '../domain/revision.ts';
import type {StoreId} from '../domain/store-id.ts';
import {assertTtl} from '../domain/time-to-live.ts';
import {readTyped, type TypedEntry} from '../domain/typed-entry.ts';
import {assertJsonInput, formatValue} from '../domain/value-text.ts';
import {readEntryHeaders, readRevisionHeader} from '../protocol/entry-headers.ts';
import {readDeleted, readListing, readValueListing} from '../protocol/listing.ts';
import {readDocument} from '../protocol/read-document.ts';
import {formatTransaction, isJson, readCommitted} from '../protocol/write-transaction.ts';
import {ANSWER_BYTES_MAX, type Answer, expecting, parseAnswer} from './answer.ts';
import type {ClientEntries, ReadOptions} from './client-entries.ts';
import {isIdempotentTransaction} from './idempotence.ts';
import {formatQuery} from './query.ts';
import type {CallOptions, SendOptions, Transport} from './transport.ts';

/** The entries of a running service. Checks keys before they are sent, since a URL cannot carry every invalid one. */
export class HttpEntries implements ClientEntries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get<T = unknown>(key: string, options: ReadOptions<T> = {}): Promise<TypedEntry<T> | undefined> {
    const entry = await this.#read(parseKey(key), options);
    return entry && readTyped(entry, options);
  }

  async put(key: string, json: string | Uint8Array, options: PutOptions & CallOptions = {}): Promise<Written> {
    const {ttlSeconds: ttl} = options;
    // An invalid number could make another request.
    if (ttl !== undefined) assertTtl(ttl);
    const path = entryPath(parseKey(key)) + formatQuery({ttl});
    const answer = await this.#transport.send('PUT', path, writeOf(options, JSON_TYPE, takeBytes(key, json)));
    return {revision: this.#readRevision(answer), created: answer.status === 201};
  }

  async putValue(key: string, value: unknown, options?: PutOptions & CallOptions): Promise<Written> {
    return this.put(key, formatValue(key, value), options);
  }

  async patch(key: string, patch: string | Uint8Array, options: WriteOptions & CallOptions = {}): Promise<Committed> {
    const path = entryPath(parseKey(key));
    const body = takeBytes(key, patch);
    const answer = await this.#transport.send('PATCH', path, writeOf(options, 'application/merge-patch+json', body));
    return {revision: this.#readRevision(answer)};
  }

  async touch(key: string, ttlSeconds: number | null, options: CallOptions = {}): Promise<Committed> {
    if (ttlSeconds !== null) assertTtl(ttlSeconds);
    return this.transact({operations: [{kind: 'touch', key: parseKey(key), ttlSeconds}]}, options);
  }

  async transact(transaction: Transaction, options: CallOptions = {}): Promise<Committed> {
    // At the call: the caller's bytes may be something else when it is known that they are JSON.
    const {store} = this.#transport;
    const body = formatTransaction(transaction, given => store.format(given));
    await this.#assertJson(transaction, options);
    const repeatable = isIdempotentTransaction(transaction);
    const sending = {...writeOf(options, JSON_TYPE, body), repeatable};
    const answer = await this.#transport.send('POST', '/api/transactions', sending);
    return {revision: store.meetIn(parseAnswer(answer, readCommitted))};
  }

  async delete(key: string, options: DeleteOptions & CallOptions = {}): Promise<void> {
    const {expected} = options;
    const answer = await this.#transport.send('DELETE', entryPath(parseKey(key)), {
      ...callOf(options),
      // Every deletion expects an entry, and fails with `no-entry` if there is none.
      expected: expected === 'present' ? undefined : expected,
    });
    // Any web server may answer 200: a deletion must not seem to have happened.
    parseAnswer(answer, json => readDocument<object>(json, {}));
  }

  async list<T>(options: ListOptions & ReadOptions<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  async list(options?: ListOptions & CallOptions): Promise<Page<EntryInfo>>;
  async list({schema, ...options}: ListOptions & ReadOptions<unknown> = {}): Promise<Page<EntryInfo>> {
    const answer = await this.#transport.send('GET', `/api/keys${formatListQuery(options)}`, callOf(options));
    if (options.values !== true) return this.#meet(parseAnswer(answer, readListing)).page;
    const {page} = this.#meet(parseAnswer(answer, readValueListing, ANSWER_BYTES_MAX));
    return {...page, entries: await Promise.all(page.entries.map(entry => readTyped(entry, {schema})))};
  }

  listAll<T>(options: ListAllOptions & ReadOptions<T> & {readonly values: true}): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions & CallOptions): AsyncIterable<EntryInfo>;
  listAll(options?: ListAllOptions & ReadOptions<unknown>): AsyncIterable<EntryInfo> {
    return listAll(this, options);
  }

  async deleteRange({prefix, ...options}: {readonly prefix: string} & CallOptions): Promise<number> {
    const query = formatQuery({prefix: parsePrefix(prefix), all: prefix === '' ? true : undefined});
    const answer = await this.#transport.send('DELETE', `/api/keys${query}`, callOf(options));
    return parseAnswer(answer, readDeleted);
  }

  /** Lets the service say what is wrong with a value that is no JSON: pasted into a document it could be something else. */
  async #assertJson({operations}: Transaction, options: CallOptions): Promise<void> {
    // It reads the value before it finds that the revision is not the expected one.
    const never = {...callOf(options), expected: NO_REVISION};
    for (const operation of operations) {
      const {kind, key} = operation;
      if (kind === 'put' && !isJson(operation.json)) await this.put(key, operation.json, never);
      if (kind === 'patch' && !isJson(operation.patch)) await this.patch(key, operation.patch, never);
    }
  }

  #readRevision(answer: Answer): Revision {
    return this.#meet(expecting(answer, () => readRevisionHeader(answer.headers))).revision;
  }

  #meet<T extends {readonly storeId: StoreId}>(document: T): T {
    this.#transport.store.meet(document.storeId);
    return document;
  }

  async #read(key: Key, options: CallOptions): Promise<Entry | undefined> {
    try {
      const answer = await this.#transport.send('GET', entryPath(key), callOf(options));
      // JSON, since the service stores nothing else.
      const json = answer.bytes as JsonText;
      const {storeId: _, ...about} = this.#meet(expecting(answer, () => readEntryHeaders(answer.headers)));
      return {key, sizeBytes: json.length, ...about, json};
    } catch (error) {
      if (error instanceof AppError && error.failure.code === 'no-entry') return undefined;
      throw error;
    }
  }
}

const JSON_TYPE = 'application/json';

/** Returns the parts of a request with a body that differ. */
function writeOf(options: WriteOptions & CallOptions, type: string, body: Uint8Array): SendOptions {
  return {...callOf(options), headers: {'Content-Type': type}, expected: options.expected, body};
}

/** Returns the options of the call itself. */
function callOf({signal, timeoutMs}: CallOptions): CallOptions {
  return {signal, timeoutMs};
}

/** Copies the bytes at the call: while it waits for a permit, the caller may reuse them. */
function takeBytes(key: string, json: string | Uint8Array): Uint8Array {
  assertJsonInput(key, json);
  return typeof json === 'string' ? encodeText(json) : json.slice();
}

/** One segment of a path. `encodeURIComponent` leaves only characters that stand for themselves. */
function entryPath(key: Key): string {
  return `/api/store/${encodeURIComponent(key)}`;
}

function formatListQuery({prefix, after, limit, reverse, values}: ListOptions): string {
  // A URL cannot carry every wrong text, so these are checked here as they are there.
  if (prefix !== undefined) parsePrefix(prefix);
  if (after !== undefined) parseCursor(after);
  return formatQuery({prefix, after, limit, reverse, values});
}
