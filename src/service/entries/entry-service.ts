import type {
  CheckedEntries,
  CheckedPutOptions,
  CheckedTransactOptions,
} from '../../core/domain/commits/checked-entries.ts';
import type {
  Check,
  Commit,
  CommitResult,
  Expiry,
  Operation,
  PatchLimits,
  Writer,
} from '../../core/domain/commits/commit.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {TtlSeconds} from '../../core/domain/commits/time-to-live.ts';
import {assertTransaction} from '../../core/domain/commits/transaction.ts';
import type {
  Committed,
  Deleted,
  DeleteOptions,
  ListOptions,
  Page,
  Transaction,
  TransactionOperation,
  WriteOptions,
  Written,
} from '../../core/domain/entries/entries.ts';
import type {Entry, EntryInfo, Expectation, SharedEntry} from '../../core/domain/entries/entry.ts';
import type {HistoryPage} from '../../core/domain/entries/history.ts';
import {
  formatEntityTag,
  type Key,
  parseCursor,
  parseKey,
  parsePrefix,
  type Range,
  type Revision,
} from '../../core/domain/entries/identifiers.ts';
import {assertValueSize, parseValue} from '../../core/domain/entries/value.ts';
import {NO_FAULTS, type StoreFaults} from '../../core/domain/faults/fault.ts';
import {DEFAULT_LIMITS, type Limits} from '../../core/domain/limits.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {refusedParameter} from '../../core/failures/failure-error.ts';
import {type MembersLeft, TooBroad} from '../../core/json/json-limits.ts';
import {type JsonText, trustStoredJson} from '../../core/json/json-text.ts';
import {readEntryHistory} from './entry-history.ts';

export interface EntryServiceDeps {
  readonly store: Store;
  /** @default {NO_FAULTS} */
  readonly faults?: StoreFaults | undefined;
  /** @default {DEFAULT_LIMITS} */
  readonly limits?: Limits | undefined;
  /** Called after a write, with the time to live of each entry that has one, in seconds. */
  readonly onTtl?: ((ttlSeconds: number) => void) | undefined;
}

/** The entries of a store: checks parameters and limits; the store evaluates preconditions. */
export class EntryService implements CheckedEntries {
  readonly #store: Store;
  readonly #faults: StoreFaults;
  readonly #limits: Limits;
  readonly #onTtl: ((ttlSeconds: number) => void) | undefined;

  constructor({store, faults = NO_FAULTS, limits = DEFAULT_LIMITS, onTtl}: EntryServiceDeps) {
    this.#store = store;
    this.#faults = faults;
    this.#limits = limits;
    this.#onTtl = onTtl;
  }

  get(key: Key): Promise<Entry | undefined> {
    return this.#store.get(key);
  }

  findShared(key: Key): SharedEntry | undefined {
    return this.#store.findShared(key);
  }

  async put(key: Key, given: unknown, {expected, ttlSeconds, writtenBy}: CheckedPutOptions = {}): Promise<Written> {
    const value = parseValue(key, given, this.#limits);
    const operation = {kind: 'put', key, json: value, expiry: expiryOf(ttlSeconds)} as const;
    const checks = checksOf(key, expected);
    const {revision, outcomes} = await this.#commit({checks, operations: [operation], writtenBy});
    return {...this.#at(revision), created: outcomes[0] === 'created'};
  }

  async patch(key: Key, patch: unknown, {expected, writtenBy}: WriteOptions & Writer = {}): Promise<Committed> {
    const operation = {kind: 'patch', key, patch: this.#readPatch(key, patch)} as const;
    const checks = checksOf(key, expected);
    const {revision} = await this.#commit({checks, operations: [operation], limits: this.#patchLimits, writtenBy});
    return this.#at(revision);
  }

  async touch(key: Key, ttlSeconds: TtlSeconds | null, {writtenBy}: Writer = {}): Promise<Committed> {
    const operation = {kind: 'touch', key, expiry: expiryOf(ttlSeconds)} as const;
    const {revision} = await this.#commit({checks: [], operations: [operation], writtenBy});
    return this.#at(revision);
  }

  async transact(
    transaction: Transaction,
    {writtenBy, hasCheckedValues = false}: CheckedTransactOptions = {},
  ): Promise<Committed> {
    assertTransaction(transaction, this.#limits);
    const checks = (transaction.checks ?? []).map(({key, expected}) => ({key: parseKey(key), expected}));
    // Before anything is read.
    assertSize(transaction.operations, this.#limits);
    const members = membersLeft(this.#limits.transactionPatchMembersMax);
    const operations = transaction.operations.map(operation =>
      this.#readOperation(operation, members, hasCheckedValues),
    );
    assertSize(operations, this.#limits);
    const limits = {...this.#patchLimits, patchedBytesMax: this.#limits.transactionBytesMax};
    const {revision} = await this.#commit({checks, operations, limits, writtenBy, id: transaction.id});
    return this.#at(revision);
  }

  async delete(key: Key, {expected, writtenBy}: DeleteOptions & Writer = {}): Promise<Deleted> {
    // A missing entry has one answer.
    const checks = checksOf(key, expected === 'present' ? undefined : expected);
    const {revision, outcomes} = await this.#commit({checks, operations: [{kind: 'delete', key}], writtenBy});
    return {deleted: outcomes[0] === 'deleted' ? 1 : 0, revision};
  }

  async list(options: ListOptions & {readonly values: true}): Promise<Page<Entry>>;
  async list(options?: ListOptions): Promise<Page<EntryInfo>>;
  async list({
    prefix = '',
    after,
    limit = this.#limits.listLimit,
    reverse = false,
    values = false,
  }: ListOptions = {}): Promise<Page<EntryInfo>> {
    assertLimit(limit, this.#limits);
    const range = {
      prefix: parsePrefix(prefix),
      after: after === undefined ? undefined : parseCursor(after),
      reverse,
      values,
      valuesBytesMax: this.#limits.listValuesBytesMax,
    };
    return this.#readPage({...range, limit});
  }

  async history(
    key: Key,
    {after, limit = this.#limits.listLimit}: Pick<ListOptions, 'after' | 'limit'> = {},
  ): Promise<HistoryPage> {
    assertLimit(limit, this.#limits);
    return readEntryHistory(this.#store, key, {after, limit, valuesBytesMax: this.#limits.listValuesBytesMax});
  }

  async deleteRange({prefix, writtenBy}: {readonly prefix: string} & Writer): Promise<number> {
    const range: Range = {prefix: parsePrefix(prefix), limit: this.#limits.listLimitMax};
    let deleted = 0;
    let after: Key | undefined;
    // Page by page: one large commit would block other writers and the event loop.
    for (;;) {
      const {entries, cursor} = await this.#readPage({...range, after});
      const operations = entries.map(({key}) => ({kind: 'delete', key}) as const);
      const {outcomes} = await this.#commit({checks: [], operations, writtenBy});
      deleted += outcomes.filter(outcome => outcome === 'deleted').length;
      if (cursor === undefined) return deleted;
      after = cursor;
    }
  }

  #at(revision: Revision): Committed {
    return {revision, etag: formatEntityTag({storeId: this.#store.id, revision})};
  }

  // Not an async function, which would make another promise for each write.
  #commit(commit: Commit): Promise<CommitResult> {
    this.#faults.assertMayCommit(commit);
    const committed = this.#store.commit(commit);
    const ttls = commit.operations.flatMap(ttlOf);
    if (ttls.length === 0) return committed;
    return committed.then(result => {
      for (const ttlSeconds of ttls) this.#onTtl?.(ttlSeconds);
      return result;
    });
  }

  async #readPage(range: Range): Promise<Page<EntryInfo> & {readonly cursor?: Key}> {
    // One entry more than requested shows whether another page follows.
    const found = await this.#store.list({...range, limit: range.limit + 1});
    const entries = found.slice(0, range.limit);
    const last = entries.at(-1);
    if (last === undefined) return {entries};
    const follows =
      found.length > range.limit || (isCutShort(entries, range) && (await this.#follows(range, last.key)));
    return follows ? {entries, cursor: last.key} : {entries};
  }

  /** Returns whether the range has a key after this one. */
  async #follows(range: Range, after: Key): Promise<boolean> {
    const found = await this.#store.list({...range, after, limit: 1, values: false});
    return found.length > 0;
  }

  get #patchLimits(): PatchLimits {
    const {valueBytesMax, valueDepthMax} = this.#limits;
    return {valueBytesMax, valueDepthMax};
  }

  #readOperation(operation: TransactionOperation, members: MembersLeft, hasCheckedValues: boolean): Operation {
    const {kind} = operation;
    const key = parseKey(operation.key);
    switch (kind) {
      case 'put':
        return {
          kind,
          key,
          json: this.#readValue(key, operation.value, hasCheckedValues),
          expiry: expiryOf(operation.ttlSeconds),
        };
      case 'touch':
        return {kind, key, expiry: expiryOf(operation.ttlSeconds)};
      case 'patch':
        return {kind, key, patch: this.#readPatch(key, operation.patch, members)};
      case 'delete':
        return {kind, key};
    }
  }

  #readValue(key: Key, value: unknown, isChecked: boolean): JsonText {
    if (!isChecked || !(value instanceof Uint8Array)) return parseValue(key, value, this.#limits);
    assertValueSize(value, this.#limits.valueBytesMax);
    return trustStoredJson(value);
  }

  /** @param shared Members that all patches of the transaction may still have. */
  #readPatch(key: Key, given: unknown, shared = membersLeft(Infinity)): JsonText {
    const {patchMembersMax} = this.#limits;
    const members = patchMembersMax <= shared.left ? membersLeft(patchMembersMax) : {...shared};
    const before = members.left;
    try {
      const patch = parseValue(key, given, {...this.#limits, members});
      shared.left -= before - members.left;
      return patch;
    } catch (error) {
      if (!(error instanceof TooBroad)) throw error;
      throw new AppError({code: 'too-large', what: 'patch', max: members.max}, {cause: error});
    }
  }
}

function membersLeft(max: number): MembersLeft {
  return {max, left: max};
}

function checksOf(key: Key, expected: Expectation | undefined): readonly Check[] {
  return expected === undefined ? [] : [{key, expected}];
}

function expiryOf(ttlSeconds: number | null | undefined): Expiry | undefined {
  return typeof ttlSeconds === 'number' ? {kind: 'after', ttlSeconds} : undefined;
}

/** Returns whether the store ended the page early because of the size of its values. */
function isCutShort(entries: readonly EntryInfo[], {values = false, valuesBytesMax = Infinity}: Range): boolean {
  if (!values) return false;
  return entries.reduce((sum, {sizeBytes}) => sum + sizeBytes, 0) >= valuesBytesMax;
}

function assertSize(operations: readonly (TransactionOperation | Operation)[], {transactionBytesMax}: Limits): void {
  const sizeBytes = operations.reduce((sum, operation) => sum + bytesOf(operation), 0);
  if (sizeBytes <= transactionBytesMax) return;
  throw new AppError({code: 'too-large', what: 'transaction', max: transactionBytesMax});
}

/** Returns the size of the JSON text of an operation, in bytes; 0 for a value that has none yet. */
function bytesOf(operation: TransactionOperation | Operation): number {
  const text =
    'json' in operation
      ? operation.json
      : 'value' in operation
        ? operation.value
        : 'patch' in operation && operation.patch;
  return text instanceof Uint8Array ? text.length : 0;
}

function assertLimit(limit: number, {listLimitMax}: Limits): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= listLimitMax) return;
  throw refusedParameter('limit', `it has to be a whole number from 1 to ${listLimitMax}`);
}

/** Returns the time to live that an operation gives its entry, in seconds, if any. */
function ttlOf(operation: Operation): readonly number[] {
  const expiry = operation.kind === 'put' || operation.kind === 'touch' ? operation.expiry : undefined;
  return expiry?.kind === 'after' ? [expiry.ttlSeconds] : [];
}
