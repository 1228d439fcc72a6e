import type {Entries, ListOptions, Page, PutOptions, Written} from './entries.ts';
import type {EntryInfo} from './entry.ts';
import type {ListAllOptions} from './list-all.ts';
import type {SchemaOption, TypedEntry} from './typed-entry.ts';

/**
 * The entries as programs use them, embedded and over HTTP alike: everything that {@link Entries} promise, and values
 * besides JSON texts.
 */
export interface TypedEntries extends Entries {
  /**
   * The entry with its value, or undefined where there is none.
   *
   * @example
   * ```ts
   * const Settings = z.object({volume: z.number()});
   * const entry = await entries.get('com.example.hello/settings', {schema: Settings});
   * console.log(entry?.value.volume, entry?.text);
   * ```
   * @throws {AppError} `invalid-value` with every problem that the schema found; `invalid-key`, `entry-corrupt`.
   */
  get<T = unknown>(key: string, options?: SchemaOption<T>): Promise<TypedEntry<T> | undefined>;

  /**
   * Stores a value: the text that `JSON.stringify` makes of it.
   *
   * @throws {AppError} `invalid-value` for what has no such text: undefined, a function, a BigInt, a circle.
   * @throws As `put`.
   */
  putValue(key: string, value: unknown, options?: PutOptions): Promise<Written>;

  /**
   * One page of entries: see {@link Entries.list}.
   *
   * @throws {AppError} `invalid-value` when a value is not what the schema says.
   */
  list<T = unknown>(options: ListOptions & SchemaOption<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  list(options?: ListOptions): Promise<Page<EntryInfo>>;

  /**
   * Every entry, from as many pages as it takes; each page is read when the one before is used up.
   *
   * @example
   * ```ts
   * for await (const {key, value} of entries.listAll<number>({prefix: 'com.example.hello/', values: true})) {
   *   console.log(key, value);
   * }
   * ```
   * @throws As `list`.
   */
  listAll<T = unknown>(
    options: ListAllOptions & SchemaOption<T> & {readonly values: true},
  ): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions): AsyncIterable<EntryInfo>;
}
