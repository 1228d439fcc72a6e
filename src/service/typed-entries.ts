import type {CheckedEntries} from '../domain/commits/checked-entries.ts';
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
import {parseKey} from '../domain/entries/key.ts';
import {type ListAllOptions, listAll} from '../domain/entries/list-all.ts';
import type {TypedEntries} from '../domain/entries/typed-entries.ts';
import {readTyped, type SchemaOption, type TypedEntry} from '../domain/entries/typed-entry.ts';
import {formatValue} from '../domain/entries/value-text.ts';

/**
 * The entries for a program that embeds the service: checks keys and times to live, and adds JavaScript values. The HTTP routes copy
 * bytes, and use {@link CheckedEntries} directly.
 */
export class ValueEntries implements TypedEntries {
  readonly #entries: CheckedEntries;

  constructor(entries: CheckedEntries) {
    this.#entries = entries;
  }

  async get<T = unknown>(key: string, options: SchemaOption<T> = {}): Promise<TypedEntry<T> | undefined> {
    const entry = await this.#entries.get(parseKey(key));
    return entry && readTyped(entry, options);
  }

  async put(key: string, json: string | Uint8Array, {expected, ttlSeconds}: PutOptions = {}): Promise<Written> {
    const checked = parseKey(key);
    if (ttlSeconds !== undefined) assertTtl(ttlSeconds);
    return this.#entries.put(checked, json, {expected, ttlSeconds});
  }

  async putValue(key: string, value: unknown, options?: PutOptions): Promise<Written> {
    return this.put(key, formatValue(key, value), options);
  }

  async patch(key: string, patch: string | Uint8Array, options?: WriteOptions): Promise<Committed> {
    return this.#entries.patch(parseKey(key), patch, options);
  }

  async touch(key: string, ttlSeconds: number | null): Promise<Committed> {
    const checked = parseKey(key);
    if (ttlSeconds !== null) assertTtl(ttlSeconds);
    return this.#entries.touch(checked, ttlSeconds);
  }

  transact(transaction: Transaction): Promise<Committed> {
    return this.#entries.transact(transaction);
  }

  async delete(key: string, options?: DeleteOptions): Promise<void> {
    return this.#entries.delete(parseKey(key), options);
  }

  async list<T>(options: ListOptions & SchemaOption<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  async list(options?: ListOptions): Promise<Page<EntryInfo>>;
  async list({schema, ...options}: ListOptions & SchemaOption<unknown> = {}): Promise<Page<EntryInfo>> {
    if (options.values !== true) return this.#entries.list(options);
    const page = await this.#entries.list({...options, values: true});
    return {...page, entries: await Promise.all(page.entries.map(entry => readTyped(entry, {schema})))};
  }

  listAll<T>(options: ListAllOptions & SchemaOption<T> & {readonly values: true}): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions): AsyncIterable<EntryInfo>;
  listAll(options?: ListAllOptions & SchemaOption<unknown>): AsyncIterable<EntryInfo> {
    return listAll(this, options);
  }

  deleteRange(options: {readonly prefix: string}): Promise<number> {
    return this.#entries.deleteRange(options);
  }
}
