import type {
  Committed,
  DeleteOptions,
  Entries,
  ListOptions,
  Page,
  PutOptions,
  Transaction,
  WriteOptions,
  Written,
} from '../domain/entries.ts';
import type {EntryInfo} from '../domain/entry.ts';
import {type ListAllOptions, listAll} from '../domain/list-all.ts';
import type {TypedEntries} from '../domain/typed-entries.ts';
import {readTyped, type SchemaOption, type TypedEntry} from '../domain/typed-entry.ts';
import {formatValue} from '../domain/value-text.ts';

/**
 * Adds values to entries that know JSON texts only. For programs that embed the service; its own routes copy bytes, and do
 * not pay for what they do not use.
 */
export function withValues(entries: Entries): TypedEntries {
  return new ValueEntries(entries);
}

class ValueEntries implements TypedEntries {
  readonly #entries: Entries;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  async get<T = unknown>(key: string, options: SchemaOption<T> = {}): Promise<TypedEntry<T> | undefined> {
    const entry = await this.#entries.get(key);
    return entry && readTyped(entry, options);
  }

  put(key: string, json: string | Uint8Array, options?: PutOptions): Promise<Written> {
    return this.#entries.put(key, json, options);
  }

  async putValue(key: string, value: unknown, options?: PutOptions): Promise<Written> {
    return this.put(key, formatValue(key, value), options);
  }

  patch(key: string, patch: string | Uint8Array, options?: WriteOptions): Promise<Committed> {
    return this.#entries.patch(key, patch, options);
  }

  touch(key: string, ttlSeconds: number | null): Promise<Committed> {
    return this.#entries.touch(key, ttlSeconds);
  }

  transact(transaction: Transaction): Promise<Committed> {
    return this.#entries.transact(transaction);
  }

  delete(key: string, options?: DeleteOptions): Promise<void> {
    return this.#entries.delete(key, options);
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
