import type {CheckedEntries, CheckedPutOptions, CheckedTransactOptions} from '../domain/commits/checked-entries.ts';
import type {Check, Commit, CommitResult, Expiry, Operation, PatchLimits, Writer} from '../domain/commits/commit.ts';
import type {Store} from '../domain/commits/store.ts';
import type {TtlSeconds} from '../domain/commits/time-to-live.ts';
import {assertTransaction} from '../domain/commits/transaction.ts';
import type {
  Committed,
  DeleteOptions,
  ListOptions,
  Page,
  Transaction,
  TransactionOperation,
  WriteOptions,
  Written,
} from '../domain/entries/entries.ts';
import type {Entry, EntryInfo, Expectation, SharedEntry} from '../domain/entries/entry.ts';
import {type Key, parseCursor, parseKey, parsePrefix} from '../domain/entries/key.ts';
import type {Range} from '../domain/entries/range.ts';
import {assertValueSize, parseValue} from '../domain/entries/value.ts';
import {NO_FAULTS, type StoreFaults} from '../domain/faults/active-faults.ts';
import {DEFAULT_LIMITS, type Limits} from '../domain/limits.ts';
import {AppError} from '../failures/app-error.ts';
import {type MembersLeft, TooBroad} from '../json/json-limits.ts';
import {type JsonText, trustStoredJson} from '../json/json-text.ts';

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

  async put(
    key: Key,
    json: string | Uint8Array,
    {expected, ttlSeconds, writtenBy}: CheckedPutOptions = {},
  ): Promise<Written> {
    const value = parseValue(key, json, this.#limits);
    const operation = {kind: 'put', key, json: value, expiry: expiryOf(ttlSeconds)} as const;
    const checks = checksOf(key, expected);
    const {revision, outcomes} = await this.#commit({checks, operations: [operation], writtenBy});
    return {revision, created: outcomes[0] === 'created'};
  }

  async patch(
    key: Key,
    patch: string | Uint8Array,
    {expected, writtenBy}: WriteOptions & Writer = {},
  ): Promise<Committed> {
    const operation = {kind: 'patch', key, patch: this.#readPatch(key, patch)} as const;
    const checks = checksOf(key, expected);
    const {revision} = await this.#commit({checks, operations: [operation], limits: this.#patchLimits, writtenBy});
    return {revision};
  }

  async touch(key: Key, ttlSeconds: TtlSeconds | null, {writtenBy}: Writer = {}): Promise<Committed> {
    const operation = {kind: 'touch', key, expiry: expiryOf(ttlSeconds)} as const;
    const {revision} = await this.#commit({checks: [], operations: [operation], writtenBy});
    return {revision};
  }

  async transact(
    transaction: Transaction,
    {writtenBy, hasCheckedValues = false}: CheckedTransactOptions = {},
  ): Promise<Committed> {
    assertTransaction(transaction, this.#limits);
    const checks = (transaction.checks ?? []).map(({key, expected}) => ({key: parseKey(key), expected}));
    // Before anything is read: a text has at least as many bytes as UTF-16 units.
    assertSize(transaction.operations, this.#limits);
    const members = membersLeft(this.#limits.transactionPatchMembersMax);
    const operations = transaction.operations.map(operation =>
      this.#readOperation(operation, members, hasCheckedValues),
    );
    assertSize(operations, this.#limits);
    const limits = {...this.#patchLimits, patchedBytesMax: this.#limits.transactionBytesMax};
    const {revision} = await this.#commit({checks, operations, limits, writtenBy, id: transaction.id});
    return {revision};
  }

  async delete(key: Key, {expected = 'present', writtenBy}: DeleteOptions & Writer = {}): Promise<void> {
    try {
      await this.#commit({checks: [{key, expected}], operations: [{kind: 'delete', key}], writtenBy});
    } catch (error) {
      if (expected === 'present' && error instanceof AppError && error.failure.code === 'revision-conflict') {
        throw new AppError({code: 'no-entry', key}, {cause: error});
      }
      throw error;
    }
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

  async deleteRange({prefix, writtenBy}: {readonly prefix: string} & Writer): Promise<number> {
    const range: Range = {prefix: parsePrefix(prefix), limit: this.#limits.listLimitMax};
    let deleted = 0;
    let after: Key | undefined;
    // Page by page: one large commit would block other writers and the event loop.
    for (;;) {
      const {entries, next} = await this.#readPage({...range, after});
      const operations = entries.map(({key}) => ({kind: 'delete', key}) as const);
      const {outcomes} = await this.#commit({checks: [], operations, writtenBy});
      deleted += outcomes.filter(outcome => outcome === 'deleted').length;
      if (next === undefined) return deleted;
      after = next;
    }
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

  async #readPage(range: Range): Promise<Page<EntryInfo> & {readonly next?: Key}> {
    // One entry more than requested shows whether another page follows.
    const found = await this.#store.list({...range, limit: range.limit + 1});
    const entries = found.slice(0, range.limit);
    const last = entries.at(-1);
    if (last === undefined) return {entries};
    const follows =
      found.length > range.limit || (isCutShort(entries, range) && (await this.#follows(range, last.key)));
    return follows ? {entries, next: last.key} : {entries};
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
          json: this.#readValue(key, operation.json, hasCheckedValues),
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

  #readValue(key: Key, json: string | Uint8Array, isChecked: boolean): JsonText {
    if (!isChecked || typeof json === 'string') return parseValue(key, json, this.#limits);
    assertValueSize(json, this.#limits.valueBytesMax);
    return trustStoredJson(json);
  }

  /** @param shared Members that all patches of the transaction may still have. */
  #readPatch(key: Key, json: string | Uint8Array, shared = membersLeft(Infinity)): JsonText {
    const {patchMembersMax} = this.#limits;
    const members = patchMembersMax <= shared.left ? membersLeft(patchMembersMax) : {...shared};
    const before = members.left;
    try {
      const patch = parseValue(key, json, {...this.#limits, members});
      shared.left -= before - members.left;
      return patch;
    } catch (error) {
      if (!(error instanceof TooBroad)) throw error;
      throw new AppError({code: 'patch-too-large', membersMax: members.max}, {cause: error});
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
  const sizeBytes = operations.reduce((sum, operation) => {
    const json = operation.kind === 'put' ? operation.json : operation.kind === 'patch' ? operation.patch : undefined;
    // A value of another type is refused later.
    return sum + (json?.length ?? 0);
  }, 0);
  if (sizeBytes <= transactionBytesMax) return;
  throw new AppError({code: 'transaction-too-large', sizeBytesMax: transactionBytesMax});
}

function assertLimit(limit: number, {listLimitMax}: Limits): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= listLimitMax) return;
  throw new AppError({
    code: 'invalid-parameter',
    parameter: 'limit',
    problem: `it has to be a whole number from 1 to ${listLimitMax}`,
  });
}

/** Returns the time to live that an operation gives its entry, in seconds, if any. */
function ttlOf(operation: Operation): readonly number[] {
  const expiry = operation.kind === 'put' || operation.kind === 'touch' ? operation.expiry : undefined;
  return expiry?.kind === 'after' ? [expiry.ttlSeconds] : [];
}
