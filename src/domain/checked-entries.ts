import type {Committed, DeleteOptions, Entries, WriteOptions, Written} from './entries.ts';
import type {Entry} from './entry.ts';
import type {Key} from './key.ts';
import type {TtlSeconds} from './time-to-live.ts';

/**
 * The entries of a store, for callers that have checked keys and times to live: the HTTP routes, and the entries of a program
 * that embeds the service. Everything else is as in {@link Entries}.
 */
export interface CheckedEntries extends Pick<Entries, 'transact' | 'list' | 'deleteRange'> {
  /** See {@link Entries.get}. */
  get(key: Key): Promise<Entry | undefined>;
  /** See {@link Entries.put}. */
  put(key: Key, json: string | Uint8Array, options?: CheckedPutOptions): Promise<Written>;
  /** See {@link Entries.patch}. */
  patch(key: Key, patch: string | Uint8Array, options?: WriteOptions): Promise<Committed>;
  /** See {@link Entries.touch}. */
  touch(key: Key, ttlSeconds: TtlSeconds | null): Promise<Committed>;
  /** See {@link Entries.delete}. */
  delete(key: Key, options?: DeleteOptions): Promise<void>;
}

/** The checked time to live of an entry, and the conditions of the write. */
export interface CheckedPutOptions extends WriteOptions {
  /** @default {for ever} */
  readonly ttlSeconds?: TtlSeconds | undefined;
}
