import type {Entries, ListOptions, Page, PutOptions, Written} from './entries.ts';
import type {EntryInfo} from './entry.ts';
import type {ListAllOptions} from './list-all.ts';
import type {SchemaOption, TypedEntry} from './typed-entry.ts';

/**
 * The entries as programs use them, embedded and over HTTP alike: {@link Entries} with values
 * besides JSON texts.
 */
export interface TypedEntries extends Entries {
  /**
   * Returns the entry with its value, or undefined if there is none.
   *
   * @example
   * ```ts
   * import {openCrewroom} from 'crewroom';
   * import * as v from 'valibot';
   *
   * const crewroom = await openCrewroom({ephemeral: true});
   * await crewroom.entries.put('com.example.hello/settings', '{"volume": 0.5}');
   * const schema = v.object({volume: v.number()});
   * const entry = await crewroom.entries.get('com.example.hello/settings', {schema});
   * console.log(entry?.value.volume, entry?.text); // 0.5 {"volume": 0.5}
   * await crewroom[Symbol.asyncDispose]();
   * ```
   * @throws {AppError} `invalid-value` with every issue of the schema; `invalid-key`, `entry-corrupt`.
   */
  get<T = unknown>(key: string, options?: SchemaOption<T>): Promise<TypedEntry<T> | undefined>;

  /**
   * Stores a value as the text that `JSON.stringify` returns.
   *
   * @throws {AppError} `invalid-value` for a value without JSON text: undefined, a function, a BigInt, a circular
   * structure. See also `put`.
   */
  putValue(key: string, value: unknown, options?: PutOptions): Promise<Written>;

  /**
   * Returns one page of entries: see {@link Entries.list}.
   *
   * @throws {AppError} `invalid-value` if a value does not match the schema.
   */
  list<T = unknown>(options: ListOptions & SchemaOption<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  list(options?: ListOptions): Promise<Page<EntryInfo>>;

  /**
   * Iterates over all entries, page by page, and only as far as the caller iterates.
   *
   * @example
   * ```ts
   * import {openCrewroom} from 'crewroom';
   *
   * const crewroom = await openCrewroom({ephemeral: true});
   * await crewroom.entries.putValue('com.example.hello/volume', 0.5);
   * for await (const {key, value} of crewroom.entries.listAll<number>({prefix: 'com.example.hello/', values: true})) {
   *   console.log(key, value); // com.example.hello/volume 0.5
   * }
   * await crewroom[Symbol.asyncDispose]();
   * ```
   * @throws See `list`.
   */
  listAll<T = unknown>(
    options: ListAllOptions & SchemaOption<T> & {readonly values: true},
  ): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions): AsyncIterable<EntryInfo>;
}
