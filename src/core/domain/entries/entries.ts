import type {EntryInfo, Expectation} from './entry.ts';
import type {HistoryPage} from './history.ts';
import type {GivenRevision, Revision} from './identifiers.ts';
import type {StandardSchema, TypedEntry} from './typed-entry.ts';

/**
 * The entries of the store as callers use them, embedded and over HTTP alike: both pass one contract,
 * `test/contracts/entries`. Keys are plain text; each call checks them.
 */
export interface Entries {
  /**
   * Returns the entry with its value, or undefined if there is none. A schema is one that follows Standard Schema, such as those of zod, valibot or arktype.
   *
   * @example
   * ```ts
   * import {openCrewroom} from 'crewroom';
   * import * as v from 'valibot';
   *
   * const crewroom = await openCrewroom({store: 'memory'});
   * await crewroom.entries.put('com.example.hello/settings', {volume: 0.5});
   * const schema = v.object({volume: v.number()});
   * const entry = await crewroom.entries.get('com.example.hello/settings', {schema});
   * console.log(entry?.value.volume, entry?.text); // 0.5 {"volume":0.5}
   * await crewroom[Symbol.asyncDispose]();
   * ```
   * @throws {AppError} `invalid-value` with every issue of the schema; `invalid-key`, `entry-corrupt`.
   */
  get<T = unknown>(
    key: string,
    options?: {readonly schema?: StandardSchema<T> | undefined},
  ): Promise<TypedEntry<T> | undefined>;

  /**
   * Stores a value under a key, as the text that `JSON.stringify` returns. Bytes are a JSON text already: they are stored exactly, except white space
   * around it, with numbers that JavaScript cannot represent. Resolves when the entry is on disk. Without a time to live the entry never expires, even if
   * it had a time to live before.
   *
   * @throws {AppError} `invalid-key`; `invalid-parameter` for an invalid time to live; `invalid-value` for a value without JSON text: undefined, a
   * function, a BigInt, a circular structure; `invalid-json`, `value-too-deep`, `too-large`;
   * `revision-conflict` when `expected` does not hold; `disk-full`, `store-read-only`, `busy`.
   */
  put(key: string, value: unknown, options?: PutOptions): Promise<Written>;

  /**
   * Applies a merge patch (RFC 7396) to a value: a value, or the bytes of its JSON text. Reading and writing are one atomic step, so concurrent patches do not
   * overwrite each other. Members that the patch does not name keep their bytes; the time of expiry stays. Creates the
   * entry if there is none.
   *
   * @throws {AppError} `invalid-key`; `invalid-json` and `too-large` for the patch; `value-too-deep`, `too-large`
   * for the patch and for the result; `revision-conflict` when `expected` does not hold; `entry-corrupt`; `disk-full`,
   * `store-read-only`, `busy`.
   */
  patch(
    key: string,
    patch: unknown,
    options?: Pick<PutOptions, 'expected'>,
  ): Promise<Pick<Written, 'revision' | 'etag'>>;

  /**
   * Changes when an entry expires, but not its value: seconds from now, or `null` for never.
   *
   * @throws {AppError} `invalid-key`; `invalid-parameter` for an invalid time to live; `no-entry` if there is
   * no entry; `entry-corrupt`; `disk-full`, `store-read-only`, `busy`.
   */
  touch(key: string, ttlSeconds: number | null): Promise<Pick<Written, 'revision' | 'etag'>>;

  /**
   * Applies all operations under one revision if every check holds, and none otherwise. Deleting a missing entry
   * succeeds; touching one fails.
   *
   * @throws {AppError} `invalid-body` with every problem: a key twice among the checks or among the operations,
   * an invalid time to live, more than `Limits.transactionOperationsMax` or `Limits.transactionChecksMax`;
   * `too-large`; `revision-conflict` with every check that failed; every failure of `put`, `patch` and `touch`.
   */
  transact(transaction: Transaction): Promise<Pick<Written, 'revision' | 'etag'>>;

  /**
   * Deletes an entry, if there is one.
   *
   * @throws {AppError} `invalid-key`; `revision-conflict` when `expected` names revisions, and the entry has none of them;
   * `disk-full`, `store-read-only`, `busy`.
   */
  delete(
    key: string,
    options?: {readonly expected?: Exclude<Expectation, 'absent'> | undefined},
  ): Promise<{readonly deleted: 0 | 1; readonly revision: Revision}>;

  /**
   * Returns one page of entries, ordered by the UTF-8 bytes of their keys.
   *
   * @throws {AppError} `invalid-parameter`, `entry-corrupt`; `store-corrupt` if a part of the store cannot be read; `invalid-value` if a value does not
   * match the schema.
   */
  list<T = unknown>(
    options: ListOptions & {readonly schema?: StandardSchema<T> | undefined} & {readonly values: true},
  ): Promise<Page<TypedEntry<T>>>;
  list(options?: ListOptions): Promise<Page<EntryInfo & Pick<Written, 'etag'>>>;

  /**
   * Iterates over all entries, page by page, and only as far as the caller iterates.
   *
   * @example
   * ```ts
   * import {openCrewroom} from 'crewroom';
   *
   * const crewroom = await openCrewroom({store: 'memory'});
   * await crewroom.entries.put('com.example.hello/volume', 0.5);
   * for await (const {key, value} of crewroom.entries.listAll<number>({prefix: 'com.example.hello/', values: true})) {
   *   console.log(key, value); // com.example.hello/volume 0.5
   * }
   * await crewroom[Symbol.asyncDispose]();
   * ```
   * @throws See `list`.
   */
  listAll<T = unknown>(
    options: ListAllOptions & {readonly schema?: StandardSchema<T> | undefined} & {readonly values: true},
  ): AsyncIterable<TypedEntry<T>>;
  listAll(options?: ListAllOptions): AsyncIterable<EntryInfo & Pick<Written, 'etag'>>;

  /**
   * Returns a page of the values that an entry had, newest first, with its deletions and expiries, as far as the change log reaches: it has the last
   * `Limits.logChangesMax` changes of all entries. `after` is the cursor of the previous page.
   *
   * @throws {AppError} `invalid-key`; `invalid-parameter`, also for a cursor of another store; `entry-corrupt` if the next part of the log is damaged.
   */
  history<T = unknown>(key: string, options?: Pick<ListOptions, 'after' | 'limit'>): Promise<HistoryPage<T>>;

  /**
   * Deletes every entry whose key begins with the prefix, in batches of `Limits.listLimitMax`. Each batch is
   * atomic; after a failure the batches before it stay deleted.
   *
   * @returns The number of deleted entries.
   * @throws {AppError} `invalid-parameter`; `disk-full`, `store-read-only`, `busy`.
   */
  deleteRange(options: {readonly prefix: string}): Promise<number>;
}

/** Conditions of a write. */
export type WriteOptions = Pick<PutOptions, 'expected'>;

/** The time to live of an entry, and the conditions of the write. */
export interface PutOptions {
  /** The state that the entry must have. @default {any} */
  readonly expected?: Expectation | undefined;
  /** Whole seconds, 1 to `Limits.ttlSecondsMax`. @default {for ever} */
  readonly ttlSeconds?: number | undefined;
}

/** Conditions of a deletion. */
export type DeleteOptions = NonNullable<Parameters<Entries['delete']>[1]>;

/** The result of a write. */
export interface Written {
  /** The number of the commit; if it changed nothing, of the last one before it. */
  readonly revision: Revision;
  /** The ETag of the entries that it wrote: for `If-Match`, and for `expected` of a later write. */
  readonly etag: `"${string}"`;
  /** True if there was no entry before. */
  readonly created: boolean;
}

/** The result of a commit. */
export type Committed = Pick<Written, 'revision' | 'etag'>;

/** The result of a deletion: the number of entries that there were, and the revision of the store. */
export type Deleted = Awaited<ReturnType<Entries['delete']>>;

/** Operations that are applied together or not at all, and the checks that must hold. */
export interface Transaction {
  /**
   * Id of the transaction, different for every other one of this caller, such as a random UUID: at most 108 visible characters of ASCII. Sent
   * again with it, a transaction that was applied is not applied again, and has the same result, as far as the change log reaches; with other
   * content it is refused. After `outcome-unknown` of any write its `commitId` is the id.
   */
  readonly id?: string | undefined;
  /** Each says that an entry has a revision, or that there is none; each key at most once. @default {[]} */
  readonly checks?:
    | readonly {readonly key: string; readonly expected: GivenRevision | `"${string}"` | 'absent'}[]
    | undefined;
  /** Each key at most once. */
  readonly operations: readonly TransactionOperation[];
}

/** One change of a transaction. Values and patches are those of {@link Entries.put}: bytes are a JSON text already. */
export type TransactionOperation =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly value: unknown;
      /** See {@link PutOptions}. */
      readonly ttlSeconds?: number | undefined;
    }
  | {readonly kind: 'delete'; readonly key: string}
  | {readonly kind: 'touch'; readonly key: string; readonly ttlSeconds: number | null}
  | {readonly kind: 'patch'; readonly key: string; readonly patch: unknown};

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

/** Selects the entries to list, and the size of a page. */
export interface ListAllOptions extends Omit<ListOptions, 'limit'> {
  /** Maximum number of entries per page, 1 to `Limits.listLimitMax`. @default {DEFAULT_LIMITS.listLimit} */
  readonly pageLimit?: number | undefined;
}

/** A page of a listing. */
export interface Page<T extends EntryInfo> {
  readonly entries: readonly T[];
  /** The cursor of the next page, which is the last key of this one; absent on the last page. */
  readonly cursor?: string;
}
