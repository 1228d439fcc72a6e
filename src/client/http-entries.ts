import {assertTtl} from '../domain/commits/time-to-live.ts';
import type {
  Committed,
  DeleteOptions,
  ListOptions,
  Page,
  PutOptions,
  Transaction,
  WriteOptions,
  Written,
} from '../domain/entries/entries.ts';
import type {EntryInfo} from '../domain/entries/entry.ts';
import {type Key, parseKey} from '../domain/entries/key.ts';
import {type ListAllOptions, listAll} from '../domain/entries/list-all.ts';
import {NO_REVISION, type Revision} from '../domain/entries/revision.ts';
import type {StoreId} from '../domain/entries/store-id.ts';
import {readTyped, type TypedEntry} from '../domain/entries/typed-entry.ts';
import {assertJsonInput, formatValue} from '../domain/entries/value-text.ts';
import {FailureError} from '../failures/failure-error.ts';
import {encodeText, trustStoredJson} from '../json/json-text.ts';
import {readEntryHeaders, readRevisionHeader} from '../protocol/headers/entry-headers.ts';
import {readDeleted, readListing, readValueListing} from '../protocol/listing.ts';
import {readDocument} from '../protocol/text/read-document.ts';
import {formatTransaction, isWritable, readCommitted} from '../protocol/transaction/write-transaction.ts';
import {type Answer, expecting, parseAnswer, SERVICE_ANSWER_BYTES_MAX} from './answer.ts';
import type {ClientEntries, ReadOptions} from './client-entries.ts';
import {isIdempotentTransaction} from './idempotence.ts';
import {formatQuery} from './query.ts';
import type {CallOptions, Transport} from './transport.ts';

/** The entries of a running service. Checks keys before it sends them, since URLs cannot carry all invalid ones. */
export class HttpEntries implements ClientEntries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get<T = unknown>(key: string, options: ReadOptions<T> = {}): Promise<TypedEntry<T> | undefined> {
    const checked = parseKey(key);
    const answer = await this.#transport.send('GET', entryPath(checked), options).catch(unlessMissing);
    if (answer === undefined) return undefined;
    const json = trustStoredJson(answer.bytes);
    const {storeId: _, ...about} = this.#meet(answer, () => readEntryHeaders(answer.headers));
    return readTyped({key: checked, sizeBytes: json.length, ...about, json}, options);
  }

  async put(key: string, json: string | Uint8Array, options: PutOptions & CallOptions = {}): Promise<Written> {
    const path = entryPath(parseKey(key)) + formatQuery({ttl: options.ttlSeconds});
    const answer = await this.#transport.send('PUT', path, {...options, body: takeBytes(key, json)});
    return {revision: this.#readRevision(answer), created: answer.status === 201};
  }

  async putValue(key: string, value: unknown, options?: PutOptions & CallOptions): Promise<Written> {
    return this.put(key, formatValue(key, value), options);
  }

  async patch(key: string, patch: string | Uint8Array, options: WriteOptions & CallOptions = {}): Promise<Committed> {
    const sending = {...options, body: takeBytes(key, patch), type: 'application/merge-patch+json'};
    return {revision: this.#readRevision(await this.#transport.send('PATCH', entryPath(parseKey(key)), sending))};
  }

  async touch(key: string, ttlSeconds: number | null, options: CallOptions = {}): Promise<Committed> {
    if (ttlSeconds !== null) assertTtl(ttlSeconds);
    return this.transact({operations: [{kind: 'touch', key: parseKey(key), ttlSeconds}]}, options);
  }

  async transact(transaction: Transaction, options: CallOptions = {}): Promise<Committed> {
    const {store} = this.#transport;
    const wrong = transaction.operations.find(operation => !isWritable(operation));
    // Within the document, a value that is not JSON could change its meaning. Alone, the service reports the problem of the value, and
    // stores nothing, since no entry has this revision.
    const never = {...options, expected: NO_REVISION};
    if (wrong?.kind === 'put') await this.put(wrong.key, wrong.json, never);
    if (wrong?.kind === 'patch') await this.patch(wrong.key, wrong.patch, never);
    const body = formatTransaction(transaction, given => store.format(given));
    const sending = {...options, body, repeatable: isIdempotentTransaction(transaction)};
    const answer = await this.#transport.send('POST', '/api/transactions', sending);
    return {revision: store.meet(parseAnswer(answer, readCommitted)).revision};
  }

  async delete(key: string, options: DeleteOptions & CallOptions = {}): Promise<void> {
    const {expected} = options;
    const answer = await this.#transport.send('DELETE', entryPath(parseKey(key)), {
      ...options,
      // Every deletion expects an entry, and fails with `no-entry` if there is none.
      expected: expected === 'present' ? undefined : expected,
    });
    // Another web server may answer 200, too: check that the answer is one of this service.
    parseAnswer(answer, json => readDocument<object>(json, {}));
  }

  async list<T>(options: ListOptions & ReadOptions<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  async list(options?: ListOptions & CallOptions): Promise<Page<EntryInfo>>;
  async list({schema, ...options}: ListOptions & ReadOptions<unknown> = {}): Promise<Page<EntryInfo>> {
    const {prefix, after, limit, reverse, values} = options;
    const query = formatQuery({prefix, after, limit, reverse, values});
    const answer = await this.#transport.send('GET', `/api/keys${query}`, options);
    const {store} = this.#transport;
    if (values !== true) return store.meet(parseAnswer(answer, readListing)).page;
    const {page} = store.meet(parseAnswer(answer, readValueListing, SERVICE_ANSWER_BYTES_MAX));
    return {...page, entries: await Promise.all(page.entries.map(entry => readTyped(entry, {schema})))};
  }

  listAll<T>(options: ListAllOptions & ReadOptions<T> & {readonly values: true}): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions & CallOptions): AsyncIterable<EntryInfo>;
  listAll(options?: ListAllOptions & ReadOptions<unknown>): AsyncIterable<EntryInfo> {
    return listAll(this, options);
  }

  async deleteRange({prefix, ...options}: {readonly prefix: string} & CallOptions): Promise<number> {
    const query = formatQuery({prefix, all: prefix === '' || undefined});
    const answer = await this.#transport.send('DELETE', `/api/keys${query}`, options);
    return parseAnswer(answer, readDeleted);
  }

  #readRevision(answer: Answer): Revision {
    return this.#meet(answer, () => readRevisionHeader(answer.headers)).revision;
  }

  #meet<T extends {readonly storeId: StoreId}>(answer: Answer, read: () => T): T {
    return this.#transport.store.meet(expecting(answer, read));
  }
}

/** Returns undefined for a missing entry. @throws Any other error. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof FailureError) || error.failure.code !== 'no-entry') throw error;
}

/** Returns the bytes of a JSON text. They are copied, since the caller may reuse its own while the call waits for a permit. */
function takeBytes(key: string, json: string | Uint8Array): Uint8Array<ArrayBuffer> {
  assertJsonInput(key, json);
  return typeof json === 'string' ? encodeText(json) : json.slice();
}

/** Returns the path of an entry. The key is one segment of it. */
function entryPath(key: Key): string {
  return `/api/store/${encodeURIComponent(key)}`;
}
