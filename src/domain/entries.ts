import type {Entry, EntryInfo, Expectation, GivenRevision, Revision} from './entry.ts';

/**
 * The entries of the store as callers meet them, embedded and over HTTP alike: both pass `testEntries`
 * of "crewroom/testing". Keys are plain text here and are checked at the call.
 */
export interface Entries {
  /**
   * The entry, or undefined where there is none.
   *
   * @throws {AppError} `invalid-key`, `entry-corrupt`.
   */
  get(key: string): Promise<Entry | undefined>;

  /**
   * Stores a JSON text under a key, byte for byte except white space around it. Resolved: it is on disk.
   * Without a time to live the entry stays until it is deleted, whatever it had before.
   *
   * @throws {AppError} `invalid-key`; `invalid-parameter` for a time to live that is none; `invalid-value` for a value in place of its
   * JSON text; `invalid-json`, `value-too-deep`, `value-too-large`;
   * `revision-conflict` when `expected` does not hold; `disk-full`, `store-read-only`, `store-busy`.
   */
  put(key: string, json: string | Uint8Array, options?: PutOptions): Promise<Written>;

  /**
   * Applies a merge patch (RFC 7396) to a value, together with reading it: of many patches at once each is applied
   * once. Members that it does not name keep their bytes, and so does the time of expiry. Where there is no entry it
   * makes one.
   *
   * @throws {AppError} `invalid-key`; `invalid-json` and `patch-too-large` for the patch; `value-too-deep`, `value-too-large`
   * for the patch and for what comes of it; `revision-conflict` when `expected` does not hold; `entry-corrupt`; `disk-full`,
   * `store-read-only`, `store-busy`.
   */
  patch(key: string, patch: string | Uint8Array, options?: WriteOptions): Promise<Committed>;

  /**
   * Changes when an entry expires, and not its value: so long from now, or `null` for never.
   *
   * @throws {AppError} `invalid-key`; `invalid-parameter` for a time to live that is none; `no-entry` where there is
   * none; `entry-corrupt`; `disk-full`, `store-read-only`, `store-busy`.
   */
  touch(key: string, ttlSeconds: number | null): Promise<Committed>;

  /**
   * Applies all operations under one revision if every check holds, and nothing otherwise. Deleting what is not
   * there is no failure; touching it is one.
   *
   * @throws {AppError} `invalid-transaction` with every problem: a key twice among the checks or among the operations,
   * a time to live that is none, more than {@link TRANSACTION_OPERATIONS_MAX} or {@link TRANSACTION_CHECKS_MAX};
   * `transaction-too-large`; `revision-conflict` with every check that failed; whatever `put`, `patch` and `touch` throw.
   */
  transact(transaction: Transaction): Promise<Committed>;

  /**
   * Deletes an entry.
   *
   * @throws {AppError} `invalid-key`; `no-entry` where there is none; `revision-conflict` when `expected`
   * does not hold; `disk-full`, `store-read-only`, `store-busy`.
   */
  delete(key: string, options?: DeleteOptions): Promise<void>;

  /**
   * One page of entries, in the order of their keys' UTF-8 bytes.
   *
   * @throws {AppError} `invalid-parameter`, `entry-corrupt`; `store-corrupt` where a part of the store cannot be read.
   */
  list(options: ListOptions & {readonly values: true}): Promise<Page<Entry>>;
  list(options?: ListOptions): Promise<Page<EntryInfo>>;

  /**
   * Deletes every entry whose key begins with the prefix, in batches of {@link LIST_LIMIT_MAX}: each batch is
   * all or nothing, and a failure leaves the batches after it.
   *
   * @returns How many were deleted.
   * @throws {AppError} `invalid-parameter`; `disk-full`, `store-read-only`, `store-busy`.
   */
  deleteRange(options: {readonly prefix: string}): Promise<number>;
}

/** What must be true of the entry for a write to happen. */
export interface WriteOptions {
  /** Without it the write always happens. */
  readonly expected?: Expectation | undefined;
}

/** How long an entry is to live, and what must be true for it to be written. */
export interface PutOptions extends WriteOptions {
  /** Whole seconds, 1 to {@link TTL_SECONDS_MAX}. @default {for ever} */
  readonly ttlSeconds?: number | undefined;
}

/** What must be true of the entry for a deletion to happen. */
export interface DeleteOptions {
  /** @default {'present'} */
  readonly expected?: Exclude<Expectation, 'absent'> | undefined;
}

/** What became of a write. */
export interface Written {
  readonly revision: Revision;
  /** Whether there was no entry before. */
  readonly created: boolean;
}

/** What was written, and under which revision. */
export interface Committed {
  /** For a transaction that changed nothing, the revision of the last commit before it. */
  readonly revision: Revision;
}

/** Operations that happen together or not at all, and what must be true for them to happen. */
export interface Transaction {
  /** Each key at most once. @default {[]} */
  readonly checks?: readonly TransactionCheck[] | undefined;
  /** Each key at most once. */
  readonly operations: readonly TransactionOperation[];
}

/** What must be true of an entry: that it has this revision, or that there is none. */
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
      /** As in {@link PutOptions}. */
      readonly ttlSeconds?: number | undefined;
    }
  | {readonly kind: 'delete'; readonly key: string}
  | {readonly kind: 'touch'; readonly key: string; readonly ttlSeconds: number | null}
  | {readonly kind: 'patch'; readonly key: string; readonly patch: string | Uint8Array};

/** Which page of the entries, and how. */
export interface ListOptions {
  /** Only keys that begin with it. @default {''} */
  readonly prefix?: string | undefined;
  /** The cursor of the page before: only keys beyond it. */
  readonly after?: string | undefined;
  /** How many entries at most, 1 to {@link LIST_LIMIT_MAX}. @default {LIST_LIMIT} */
  readonly limit?: number | undefined;
  /** From the last key to the first. @default {false} */
  readonly reverse?: boolean | undefined;
  /** Whether the values come too; a page then ends early at {@link LIST_VALUES_BYTES_MAX}. @default {false} */
  readonly values?: boolean | undefined;
}

/** A page of a listing. */
export interface Page<T extends EntryInfo> {
  readonly entries: readonly T[];
  /** The cursor for the page that follows; absent on the last one. It is the last key of this page. */
  readonly next?: string;
}

/** How many entries a page has unless told otherwise. */
export const LIST_LIMIT = 100;

/** How many entries a page has at most: about a millisecond of work, and some 150 KB of listing. */
export const LIST_LIMIT_MAX = 1000;

/** A page with values ends with the entry that reaches this many bytes, so that an answer has a limit. */
export const LIST_VALUES_BYTES_MAX = 4 * 1024 * 1024;

/** Largest value, in bytes of JSON text, unless configured otherwise: 1 MiB. */
export const VALUE_BYTES_MAX = 1024 * 1024;

/** Longest time to live, in seconds: ten years of 365 days. Whoever needs longer needs none. */
export const TTL_SECONDS_MAX = 10 * 365 * 24 * 60 * 60;

/** How many operations a transaction has at most: as many as a page of a listing has entries. */
export const TRANSACTION_OPERATIONS_MAX = 1000;

/** How many checks a transaction has at most: one for each operation. */
export const TRANSACTION_CHECKS_MAX = 1000;

/**
 * Largest transaction, in bytes of its document; also the most that its patches and the values they patch are
 * together. Reading so much takes some tens of milliseconds, during which nobody else is served, and it is half of
 * what the store writes at once.
 */
export const TRANSACTION_BYTES_MAX = 8 * 1024 * 1024;
