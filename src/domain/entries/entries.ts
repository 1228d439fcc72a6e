import type {Entry, EntryInfo, Expectation} from './entry.ts';
import type {GivenRevision, Revision} from './revision.ts';

/**
 * The entries of the store as callers use them, embedded and over HTTP alike: both pass one contract,
 * `test/contracts/entries`. Keys are plain text; each call checks them.
 */
export interface Entries {
  /**
   * Returns the entry, or undefined if the key has none.
   *
   * @throws {AppError} `invalid-key`, `entry-corrupt`.
   */
  get(key: string): Promise<Entry | undefined>;

  /**
   * Stores a JSON text under a key, byte for byte except white space around it. Resolves when the entry is on disk.
   * Without a time to live the entry never expires, even if it had a time to live before.
   *
   * @throws {AppError} `invalid-key`; `invalid-parameter` for an invalid time to live; `invalid-value` if `json` is a value instead of its
   * JSON text; `invalid-json`, `value-too-deep`, `value-too-large`;
   * `revision-conflict` when `expected` does not hold; `disk-full`, `store-read-only`, `store-busy`.
   */
  put(key: string, json: string | Uint8Array, options?: PutOptions): Promise<Written>;

  /**
   * Applies a merge patch (RFC 7396) to a value. Reading and writing are one atomic step, so concurrent patches do not
   * overwrite each other. Members that the patch does not name keep their bytes; the time of expiry stays. Creates the
   * entry if there is none.
   *
   * @throws {AppError} `invalid-key`; `invalid-json` and `patch-too-large` for the patch; `value-too-deep`, `value-too-large`
   * for the patch and for the result; `revision-conflict` when `expected` does not hold; `entry-corrupt`; `disk-full`,
   * `store-read-only`, `store-busy`.
   */
  patch(key: string, patch: string | Uint8Array, options?: WriteOptions): Promise<Committed>;

  /**
   * Changes when an entry expires, but not its value: seconds from now, or `null` for never.
   *
   * @throws {AppError} `invalid-key`; `invalid-parameter` for an invalid time to live; `no-entry` if there is
   * no entry; `entry-corrupt`; `disk-full`, `store-read-only`, `store-busy`.
   */
  touch(key: string, ttlSeconds: number | null): Promise<Committed>;

  /**
   * Applies all operations under one revision if every check holds, and none otherwise. Deleting a missing entry
   * succeeds; touching one fails.
   *
   * @throws {AppError} `invalid-transaction` with every problem: a key twice among the checks or among the operations,
   * an invalid time to live, more than `Limits.transactionOperationsMax` or `Limits.transactionChecksMax`;
   * `transaction-too-large`; `revision-conflict` with every check that failed; every failure of `put`, `patch` and `touch`.
   */
  transact(transaction: Transaction): Promise<Committed>;

  /**
   * Deletes an entry.
   *
   * @throws {AppError} `invalid-key`; `no-entry` if there is none; `revision-conflict` when `expected`
   * does not hold; `disk-full`, `store-read-only`, `store-busy`.
   */
  delete(key: string, options?: DeleteOptions): Promise<void>;

  /**
   * Returns one page of entries, ordered by the UTF-8 bytes of their keys.
   *
   * @throws {AppError} `invalid-parameter`, `entry-corrupt`; `store-corrupt` if a part of the store cannot be read.
   */
  list(options: ListOptions & {readonly values: true}): Promise<Page<Entry>>;
  list(options?: ListOptions): Promise<Page<EntryInfo>>;

  /**
   * Deletes every entry whose key begins with the prefix, in batches of `Limits.listLimitMax`. Each batch is
   * atomic; after a failure the batches before it stay deleted.
   *
   * @returns The number of deleted entries.
   * @throws {AppError} `invalid-parameter`; `disk-full`, `store-read-only`, `store-busy`.
   */
  deleteRange(options: {readonly prefix: string}): Promise<number>;
}

/** Conditions of a write. */
export interface WriteOptions {
  /** The state that the entry must have. @default {any} */
  readonly expected?: Expectation | undefined;
}

/** The time to live of an entry, and the conditions of the write. */
export interface PutOptions extends WriteOptions {
  /** Whole seconds, 1 to `Limits.ttlSecondsMax`. @default {for ever} */
  readonly ttlSeconds?: number | undefined;
}

/** Conditions of a deletion. */
export interface DeleteOptions {
  /** @default {'present'} */
  readonly expected?: Exclude<Expectation, 'absent'> | undefined;
}

/** The result of a write. */
export interface Written {
  readonly revision: Revision;
  /** True if there was no entry before. */
  readonly created: boolean;
}

/** The revision of a successful commit. */
export interface Committed {
  /** For a transaction that changed nothing, the revision of the last commit before it. */
  readonly revision: Revision;
}

/** Operations that are applied together or not at all, and the checks that must hold. */
export interface Transaction {
  /**
   * Id of the transaction, different for every other one, such as a random UUID: at most 108 visible characters of ASCII. Sent
   * again with it after `outcome-unknown`, or without an answer, the transaction is applied once in a shared store, and has the result
   * of that. After `outcome-unknown` of any write its `commitId` is the id. Other stores ignore it.
   */
  readonly id?: string | undefined;
  /** Each key at most once. @default {[]} */
  readonly checks?: readonly TransactionCheck[] | undefined;
  /** Each key at most once. */
  readonly operations: readonly TransactionOperation[];
}

/** A condition of a transaction: the entry has this revision, or there is no entry. */
export interface TransactionCheck {
  readonly key: string;
  readonly expected: GivenRevision | 'absent';
}

/** One change of a transaction. Values and patches are JSON texts. */
export type TransactionOperation =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly json: string | Uint8Array;
      /** See {@link PutOptions}. */
      readonly ttlSeconds?: number | undefined;
    }
  | {readonly kind: 'delete'; readonly key: string}
  | {readonly kind: 'touch'; readonly key: string; readonly ttlSeconds: number | null}
  | {readonly kind: 'patch'; readonly key: string; readonly patch: string | Uint8Array};

/** Selects a page of the entries. */
export interface ListOptions {
  /** Only keys that begin with it. @default {''} */
  readonly prefix?: string | undefined;
  /** The cursor of the previous page: only keys after it. */
  readonly after?: string | undefined;
  /** Maximum number of entries, 1 to `Limits.listLimitMax`. @default {DEFAULT_LIMITS.listLimit} */
  readonly limit?: number | undefined;
  /** Descending order of keys. @default {false} */
  readonly reverse?: boolean | undefined;
  /** Includes the values; a page then ends early at `Limits.listValuesBytesMax`. @default {false} */
  readonly values?: boolean | undefined;
}

/** A page of a listing. */
export interface Page<T extends EntryInfo> {
  readonly entries: readonly T[];
  /** The cursor of the next page, which is the last key of this one; absent on the last page. */
  readonly next?: string;
}
