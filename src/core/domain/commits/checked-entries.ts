import type {
  Committed,
  Deleted,
  DeleteOptions,
  ListOptions,
  Page,
  Transaction,
  WriteOptions,
  Written,
} from '../entries/entries.ts';
import type {Entry, EntryInfo, SharedEntry} from '../entries/entry.ts';
import type {HistoryPage} from '../entries/history.ts';
import type {Key} from '../entries/identifiers.ts';
import type {Writer} from './commit.ts';
import type {TtlSeconds} from './time-to-live.ts';

/**
 * The entries of a store, for callers that have checked keys and times to live: the HTTP routes, and the entries of a program
 * that embeds the service. Everything else is as in {@link Entries}.
 */
export interface CheckedEntries {
  /** See {@link Entries.list}. */
  list(options: ListOptions & {readonly values: true}): Promise<Page<Entry>>;
  list(options?: ListOptions): Promise<Page<EntryInfo>>;
  /** See {@link Entries.get}. */
  get(key: Key): Promise<Entry | undefined>;
  /** See {@link Entries.history}. */
  history(key: Key, options?: Pick<ListOptions, 'after' | 'limit'>): Promise<HistoryPage>;
  /** See {@link Store.findShared}. */
  findShared(key: Key): SharedEntry | undefined;
  /** See {@link Entries.put}. */
  put(key: Key, value: unknown, options?: CheckedPutOptions): Promise<Written>;
  /** See {@link Entries.patch}. */
  patch(key: Key, patch: unknown, options?: WriteOptions & Writer): Promise<Committed>;
  /** See {@link Entries.touch}. */
  touch(key: Key, ttlSeconds: TtlSeconds | null, writer?: Writer): Promise<Committed>;
  /** See {@link Entries.transact}. */
  transact(transaction: Transaction, options?: CheckedTransactOptions): Promise<Committed>;
  /** See {@link Entries.delete}. */
  delete(key: Key, options?: DeleteOptions & Writer): Promise<Deleted>;
  /** See {@link Entries.deleteRange}. */
  deleteRange(range: {readonly prefix: string} & Writer): Promise<number>;
}

export interface CheckedTransactOptions extends Writer {
  /** True if its values are JSON within the limit of depth, since they were read out of a document. @default {false} */
  readonly hasCheckedValues?: boolean | undefined;
}

/** The checked time to live of an entry, the conditions of the write, and its caller. */
export interface CheckedPutOptions extends WriteOptions, Writer {
  /** @default {for ever} */
  readonly ttlSeconds?: TtlSeconds | undefined;
}
