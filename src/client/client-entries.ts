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
import type {ListAllOptions} from '../domain/entries/list-all.ts';
import type {TypedEntries} from '../domain/entries/typed-entries.ts';
import type {SchemaOption, TypedEntry} from '../domain/entries/typed-entry.ts';
import type {CallOptions} from './transport.ts';

/** Options of calls that read values. */
export interface ReadOptions<T> extends SchemaOption<T>, CallOptions {}

/**
 * The entries of a running service, with everything that {@link TypedEntries} promise. Every call takes a signal and a timeout.
 * Calls with a transient failure are retried if they are idempotent: reads, writes that expect a revision or the absence of the
 * entry, and transactions that change an entry that they check.
 */
export interface ClientEntries extends TypedEntries {
  /** Returns the entry with its value: see {@link TypedEntries.get}. */
  get<T = unknown>(key: string, options?: ReadOptions<T>): Promise<TypedEntry<T> | undefined>;

  /**
   * Stores a JSON text: see {@link TypedEntries.put}.
   *
   * If a conditional write got no answer, and its retry finds another revision than the expected one, the first attempt or another
   * client may have written it. The call then throws the failure of the first attempt, such as `service-unreachable`, not
   * `revision-conflict`.
   */
  put(key: string, json: string | Uint8Array, options?: PutOptions & CallOptions): Promise<Written>;

  /** Stores a value: see {@link TypedEntries.putValue}. */
  putValue(key: string, value: unknown, options?: PutOptions & CallOptions): Promise<Written>;

  /** Applies a merge patch: see {@link TypedEntries.patch}. */
  patch(key: string, patch: string | Uint8Array, options?: WriteOptions & CallOptions): Promise<Committed>;

  /** Changes when an entry expires: see {@link TypedEntries.touch}. */
  touch(key: string, ttlSeconds: number | null, options?: CallOptions): Promise<Committed>;

  /** Applies all operations or none: see {@link TypedEntries.transact}. */
  transact(transaction: Transaction, options?: CallOptions): Promise<Committed>;

  /** Deletes an entry: see {@link TypedEntries.delete}. */
  delete(key: string, options?: DeleteOptions & CallOptions): Promise<void>;

  /** Returns one page of entries: see {@link TypedEntries.list}. */
  list<T = unknown>(options: ListOptions & ReadOptions<T> & {readonly values: true}): Promise<Page<TypedEntry<T>>>;
  list(options?: ListOptions & CallOptions): Promise<Page<EntryInfo>>;

  /** Iterates over all entries: see {@link TypedEntries.listAll}. The timeout applies to each page. */
  listAll<T = unknown>(
    options: ListAllOptions & ReadOptions<T> & {readonly values: true},
  ): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions & CallOptions): AsyncIterable<EntryInfo>;

  /** Deletes every entry with the prefix: see {@link TypedEntries.deleteRange}. */
  deleteRange(options: {readonly prefix: string} & CallOptions): Promise<number>;
}
