import type {CheckedEntries} from '../../core/domain/commits/checked-entries.ts';
import {assertNames, assertTransactionNames} from '../../core/domain/commits/option-names.ts';
import {assertTtl} from '../../core/domain/commits/time-to-live.ts';
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
} from '../../core/domain/entries/entries.ts';
import type {EntryInfo, ListedEntry} from '../../core/domain/entries/entry.ts';
import type {HistoryPage} from '../../core/domain/entries/history.ts';
import {formatEntityTag, parseKey, type StoreId} from '../../core/domain/entries/identifiers.ts';
import {listAll} from '../../core/domain/entries/list-all.ts';
import {
  readTyped,
  type SchemaOption,
  type TypedEntry,
  withHistoryForms,
} from '../../core/domain/entries/typed-entry.ts';

/**
 * The entries for a program that embeds the service: checks keys and times to live, and adds JavaScript values. The HTTP routes copy
 * bytes, and use {@link CheckedEntries} directly.
 */
export class ValueEntries implements Entries {
  readonly #entries: CheckedEntries;

  readonly #storeId: StoreId;

  constructor(entries: CheckedEntries, storeId: StoreId) {
    this.#entries = entries;
    this.#storeId = storeId;
  }

  async get<T = unknown>(key: string, options: SchemaOption<T> = {}): Promise<TypedEntry<T> | undefined> {
    assertNames(options, 'get');
    const entry = await this.#entries.get(parseKey(key));
    return entry && readTyped(this.#tag(entry), options);
  }

  async put(key: string, value: unknown, options: PutOptions = {}): Promise<Written> {
    assertNames(options, 'put');
    const {expected, ttlSeconds} = options;
    const checked = parseKey(key);
    if (ttlSeconds !== undefined) assertTtl(ttlSeconds);
    return this.#entries.put(checked, value, {expected, ttlSeconds});
  }

  async patch(key: string, patch: unknown, options?: WriteOptions): Promise<Committed> {
    assertNames(options, 'patch');
    return this.#entries.patch(parseKey(key), patch, options);
  }

  async touch(key: string, ttlSeconds: number | null, none?: object): Promise<Committed> {
    assertNames(none, []);
    const checked = parseKey(key);
    if (ttlSeconds !== null) assertTtl(ttlSeconds);
    return this.#entries.touch(checked, ttlSeconds);
  }

  async transact(transaction: Transaction, none?: object): Promise<Committed> {
    assertNames(none, []);
    assertTransactionNames(transaction);
    return this.#entries.transact(transaction);
  }

  async delete(key: string, options?: DeleteOptions): Promise<Deleted> {
    assertNames(options, 'delete');
    return this.#entries.delete(parseKey(key), options);
  }

  async list<T>(options: ListOptions & SchemaOption<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  async list(options?: ListOptions): Promise<Page<ListedEntry>>;
  async list({schema, ...options}: ListOptions & SchemaOption<unknown> = {}): Promise<Page<ListedEntry>> {
    assertNames(options, 'list');
    if (options.values !== true) {
      const page = await this.#entries.list(options);
      return {...page, entries: page.entries.map(entry => this.#tag(entry))};
    }
    const page = await this.#entries.list({...options, values: true});
    return {...page, entries: await Promise.all(page.entries.map(entry => readTyped(this.#tag(entry), {schema})))};
  }

  listAll<T>(options: ListAllOptions & SchemaOption<T> & {readonly values: true}): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions): AsyncIterable<ListedEntry>;
  listAll(options?: ListAllOptions & SchemaOption<unknown>): AsyncIterable<ListedEntry> {
    assertNames(options, 'listAll');
    return listAll(this, options);
  }

  async history<T>(key: string, options?: Pick<ListOptions, 'after' | 'limit'>): Promise<HistoryPage<T>> {
    assertNames(options, ['after', 'limit']);
    return withHistoryForms(await this.#entries.history(parseKey(key), options));
  }

  async deleteRange(options: {readonly prefix: string}): Promise<number> {
    assertNames(options, 'deleteRange');
    return this.#entries.deleteRange(options);
  }

  #tag<E extends EntryInfo>(entry: E): E & ListedEntry {
    return {...entry, etag: formatEntityTag({storeId: this.#storeId, revision: entry.revision})};
  }
}
