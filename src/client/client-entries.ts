import {assertNames, assertTransactionNames} from '../core/domain/commits/option-names.ts';
import {assertTtl} from '../core/domain/commits/time-to-live.ts';
import type {
  Committed,
  Deleted,
  DeleteOptions,
  Entries,
  ListAllOptions,
  ListOptions,
  Page,
  PutOptions,
  Transaction,
  WriteOptions,
  Written,
} from '../core/domain/entries/entries.ts';
import type {EntryInfo, ListedEntry} from '../core/domain/entries/entry.ts';
import type {HistoryPage} from '../core/domain/entries/history.ts';
import {type Key, NO_REVISION, parseKey} from '../core/domain/entries/identifiers.ts';
import {listAll} from '../core/domain/entries/list-all.ts';
import {
  readTyped,
  type SchemaOption,
  type StandardSchema,
  type TypedEntry,
} from '../core/domain/entries/typed-entry.ts';
import {jsonTextOf} from '../core/domain/entries/value.ts';
import {FailureError} from '../core/failures/failure-error.ts';
import {trustStoredJson} from '../core/json/json-text.ts';
import {readEntryHeaders} from '../core/protocol/headers/entry-headers.ts';
import {readHistoryPage} from '../core/protocol/history.ts';
import {readListing, readValueListing} from '../core/protocol/listing.ts';
import {parseDocument} from '../core/protocol/text/read-document.ts';
import {formatTransaction, isWritable, readCommitted} from '../core/protocol/transaction/write-transaction.ts';
import {type Answer, expecting, parseAnswer} from './answer.ts';
import {formatQuery} from './query.ts';
import type {CallOptions, Transport} from './transport.ts';

/**
 * The entries of a running service, with everything that {@link Entries} promise. Every call takes a signal and a timeout.
 * Calls with a transient failure are retried if they are idempotent: reads, writes that expect a revision or the absence of the
 * entry, and transactions that change an entry that they check.
 */
export interface ClientEntries extends Entries {
  /** Returns the entry with its value: see {@link Entries.get}. */
  get<T = unknown>(
    key: string,
    options?: {readonly schema?: StandardSchema<T> | undefined} & CallOptions,
  ): Promise<TypedEntry<T> | undefined>;

  /**
   * Stores a value: see {@link Entries.put}.
   *
   * If a conditional write got no answer, and its retry finds another revision than the expected one, the first attempt or another
   * client may have written it. The call then throws the failure of the first attempt, such as `service-unreachable`, not
   * `revision-conflict`.
   */
  put(key: string, value: unknown, options?: PutOptions & CallOptions): Promise<Written>;

  /** Applies a merge patch: see {@link Entries.patch}. */
  patch(
    key: string,
    patch: unknown,
    options?: Pick<PutOptions, 'expected'> & CallOptions,
  ): Promise<Pick<Written, 'revision' | 'etag'>>;

  /** Changes when an entry expires: see {@link Entries.touch}. */
  touch(key: string, ttlSeconds: number | null, options?: CallOptions): Promise<Pick<Written, 'revision' | 'etag'>>;

  /** Applies all operations or none: see {@link Entries.transact}. */
  transact(transaction: Transaction, options?: CallOptions): Promise<Pick<Written, 'revision' | 'etag'>>;

  /** Deletes an entry: see {@link Entries.delete}. */
  delete(key: string, options?: Parameters<Entries['delete']>[1] & CallOptions): ReturnType<Entries['delete']>;

  /** Returns one page of entries: see {@link Entries.list}. */
  list<T = unknown>(
    options: ListOptions & {readonly schema?: StandardSchema<T> | undefined} & CallOptions & {readonly values: true},
  ): Promise<Page<TypedEntry<T>>>;
  list(options?: ListOptions & CallOptions): Promise<Page<EntryInfo & Pick<Written, 'etag'>>>;

  /** Iterates over all entries: see {@link Entries.listAll}. The timeout applies to each page. */
  listAll<T = unknown>(
    options: ListAllOptions & {readonly schema?: StandardSchema<T> | undefined} & CallOptions & {readonly values: true},
  ): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions & CallOptions): AsyncIterable<EntryInfo & Pick<Written, 'etag'>>;

  /** Returns the values that an entry had: see {@link Entries.history}. */
  history<T = unknown>(
    key: string,
    options?: Pick<ListOptions, 'after' | 'limit'> & CallOptions,
  ): Promise<HistoryPage<T>>;

  /** Deletes every entry with the prefix: see {@link Entries.deleteRange}. */
  deleteRange(options: {readonly prefix: string} & CallOptions): Promise<number>;
}

/** The entries of a running service. Checks keys before it sends them, since URLs cannot carry all invalid ones. */
export class HttpEntries implements ClientEntries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get<T = unknown>(key: string, options: SchemaOption<T> & CallOptions = {}): Promise<TypedEntry<T> | undefined> {
    assertNames(options, 'get', 'call');
    const checked = parseKey(key);
    const answer = await this.#transport.send('GET', entryPath(checked), options).catch(unlessMissing);
    if (answer === undefined) return undefined;
    const json = trustStoredJson(answer.bytes);
    const {store} = this.#transport;
    const {storeId: _, ...about} = expecting(answer, () => store.meet(readEntryHeaders(answer.headers)));
    return readTyped({key: checked, sizeBytes: json.length, ...about, json}, options);
  }

  async put(key: string, value: unknown, options: PutOptions & CallOptions = {}): Promise<Written> {
    assertNames(options, 'put', 'call');
    const path = entryPath(parseKey(key)) + formatQuery({ttlSeconds: options.ttlSeconds});
    const answer = await this.#transport.send('PUT', path, {...options, body: takeBytes(key, value)});
    return {...this.#readCommitted(answer), created: answer.status === 201};
  }

  async patch(key: string, patch: unknown, options: WriteOptions & CallOptions = {}): Promise<Committed> {
    assertNames(options, 'patch', 'call');
    const sending = {...options, body: takeBytes(key, patch), type: 'application/merge-patch+json'};
    return this.#readCommitted(await this.#transport.send('PATCH', entryPath(parseKey(key)), sending));
  }

  async touch(key: string, ttlSeconds: number | null, options: CallOptions = {}): Promise<Committed> {
    if (ttlSeconds !== null) assertTtl(ttlSeconds);
    return this.transact({operations: [{kind: 'touch', key: parseKey(key), ttlSeconds}]}, options);
  }

  async transact(transaction: Transaction, options: CallOptions = {}): Promise<Committed> {
    assertTransactionNames(transaction);
    assertNames(options, 'call');
    const {store} = this.#transport;
    const wrong = transaction.operations.find(operation => !isWritable(operation));
    // Within the document, a value that is not JSON could change its meaning. Alone, the service reports the problem of the value, and
    // stores nothing, since no entry has this revision.
    const never = {...options, expected: NO_REVISION};
    if (wrong?.kind === 'put') await this.put(wrong.key, wrong.value, never);
    if (wrong?.kind === 'patch') await this.patch(wrong.key, wrong.patch, never);
    const body = formatTransaction(transaction, given => store.format(given));
    const sending = {...options, body, repeatable: isIdempotentTransaction(transaction)};
    return this.#readCommitted(await this.#transport.send('POST', '/api/transactions', sending));
  }

  async delete(key: string, options: DeleteOptions & CallOptions = {}): Promise<Deleted> {
    assertNames(options, 'delete', 'call');
    const path = entryPath(parseKey(key));
    try {
      return {deleted: 1, revision: this.#readCommitted(await this.#transport.send('DELETE', path, options)).revision};
    } catch (error) {
      const failure = error instanceof FailureError ? error.failure : undefined;
      if (failure?.code !== 'no-entry' || failure.revision === undefined) throw error;
      return {deleted: 0, revision: Number(failure.revision)};
    }
  }

  async list<T>(
    options: ListOptions & SchemaOption<T> & CallOptions & {readonly values: true},
  ): Promise<Page<TypedEntry<T>>>;
  async list(options?: ListOptions & CallOptions): Promise<Page<ListedEntry>>;
  async list({schema, ...options}: ListOptions & SchemaOption<unknown> & CallOptions = {}): Promise<Page<ListedEntry>> {
    assertNames(options, 'list', 'call');
    const {prefix, after, limit, reverse, values} = options;
    const query = formatQuery({prefix, after, limit, reverse, values});
    const answer = await this.#transport.send('GET', `/api/keys${query}`, options);
    const {store} = this.#transport;
    if (values !== true) return store.meet(parseAnswer(answer, readListing)).page;
    const {page} = store.meet(parseAnswer(answer, readValueListing));
    return {...page, entries: await Promise.all(page.entries.map(entry => readTyped(entry, {schema})))};
  }

  listAll<T>(
    options: ListAllOptions & SchemaOption<T> & CallOptions & {readonly values: true},
  ): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions & CallOptions): AsyncIterable<ListedEntry>;
  listAll(options?: ListAllOptions & SchemaOption<unknown> & CallOptions): AsyncIterable<ListedEntry> {
    assertNames(options, 'listAll', 'call');
    return listAll(this, options);
  }

  async history<T>(
    key: string,
    options: Pick<ListOptions, 'after' | 'limit'> & CallOptions = {},
  ): Promise<HistoryPage<T>> {
    // Those of lists: names of its own would be bytes that pages load.
    assertNames(options, 'list', 'call');
    const {after, limit} = options;
    const path = `/api/history${formatQuery({key: parseKey(key), after, limit})}`;
    const answer = await this.#transport.send('GET', path, options);
    return this.#transport.store.meet(parseAnswer(answer, readHistoryPage<T>)).page;
  }

  async deleteRange({prefix, ...options}: {readonly prefix: string} & CallOptions): Promise<number> {
    assertNames(options, 'deleteRange', 'call');
    const query = formatQuery({prefix, all: prefix === '' || undefined});
    const answer = await this.#transport.send('DELETE', `/api/keys${query}`, options);
    return parseAnswer(answer, parseDocument<{readonly deleted: number}>).deleted;
  }

  #readCommitted(answer: Answer): Committed {
    const {revision, etag} = this.#transport.store.meet(parseAnswer(answer, readCommitted));
    return {revision, etag};
  }
}

/** Returns undefined for a missing entry. @throws Any other error. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof FailureError) || error.failure?.code !== 'no-entry') throw error;
}

/** Returns the bytes of the JSON text of a value. They are copied, since the caller may reuse its own while the call waits for a permit. */
function takeBytes(key: string, value: unknown): Uint8Array<ArrayBuffer> {
  const json = jsonTextOf(key, value);
  return typeof json === 'string' ? new TextEncoder().encode(json) : json.slice();
}

/** Returns the path of an entry. The key is one segment of it. */
function entryPath(key: Key): string {
  return `/api/store/${encodeURIComponent(key)}`;
}

/** Returns whether a transaction is idempotent: it has an id, or changes an entry that it checks, so that it cannot happen again. */
function isIdempotentTransaction({id, checks = [], operations}: Transaction): boolean {
  if (id !== undefined) return true;
  return checks.some(({key, expected}) =>
    // Deleting a missing entry changes nothing.
    operations.some(operation => operation.key === key && (operation.kind !== 'delete' || expected !== 'absent')),
  );
}
