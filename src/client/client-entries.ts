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
import type {Entry, EntryInfo} from '../domain/entry.ts';
import type {ListAllOptions} from '../domain/list-all.ts';
import type {StandardSchema} from './standard-schema.ts';
import type {CallOptions} from './transport.ts';

/** An entry with its value in all forms. */
export interface TypedEntry<T = unknown> extends Entry {
  /** The value as it was written: also what JavaScript numbers cannot hold, such as large integers. */
  readonly text: string;
  /**
   * What the schema made of the value; without a schema what `JSON.parse` makes of it, when it is first asked for, and
   * then `T` is just what you say it is.
   */
  readonly value: T;
}

/** How to read a value. */
export interface ReadOptions<T> extends CallOptions {
  /** What the value has to be: any schema that follows Standard Schema, such as those of zod, valibot or arktype. */
  readonly schema?: StandardSchema<T> | undefined;
}

/**
 * The entries of a running service: everything that {@link Entries} promise, and what is handy in a program. Every call
 * takes a signal and a timeout. Calls that were lost on the way are tried again where that does no harm: reads, and
 * writes that expect a revision or that there is no entry.
 */
export interface ClientEntries extends Entries {
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
  get<T = unknown>(key: string, options?: ReadOptions<T>): Promise<TypedEntry<T> | undefined>;

  /**
   * Stores a JSON text: see {@link Entries.put}.
   *
   * When no answer came to a write that expects something, and a second attempt meets an entry that is not as expected,
   * then nobody can know whether the first attempt or somebody else wrote it. That is thrown as the
   * `service-unreachable` that it was, not as `revision-conflict`.
   */
  put(key: string, json: string | Uint8Array, options?: PutOptions & CallOptions): Promise<Written>;

  /**
   * Stores a value: the text that `JSON.stringify` makes of it.
   *
   * @throws {AppError} `invalid-value` for what has no such text: undefined, a function, a BigInt, a circle.
   * @throws As `put`.
   */
  putValue(key: string, value: unknown, options?: PutOptions & CallOptions): Promise<Written>;

  /** Applies a merge patch: see {@link Entries.patch}. */
  patch(key: string, patch: string | Uint8Array, options?: WriteOptions & CallOptions): Promise<Committed>;

  /** Changes when an entry expires: see {@link Entries.touch}. */
  touch(key: string, ttlSeconds: number | null, options?: CallOptions): Promise<Committed>;

  /** Applies all operations or none: see {@link Entries.transact}. */
  transact(transaction: Transaction, options?: CallOptions): Promise<Committed>;

  /** Deletes an entry: see {@link Entries.delete}. */
  delete(key: string, options?: DeleteOptions & CallOptions): Promise<void>;

  /**
   * One page of entries: see {@link Entries.list}.
   *
   * @throws {AppError} `invalid-value` when a value is not what the schema says.
   */
  list<T = unknown>(options: ListOptions & ReadOptions<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  list(options?: ListOptions & CallOptions): Promise<Page<EntryInfo>>;

  /**
   * Every entry, from as many pages as it takes; each page is fetched when the one before is used up, with the timeout
   * for itself.
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
    options: ListAllOptions & ReadOptions<T> & {readonly values: true},
  ): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions & CallOptions): AsyncIterable<EntryInfo>;

  /** Deletes every entry with the prefix: see {@link Entries.deleteRange}. */
  deleteRange(options: {readonly prefix: string} & CallOptions): Promise<number>;
}
