import {
  type Committed,
  type DeleteOptions,
  type Entries,
  LIST_LIMIT,
  LIST_LIMIT_MAX,
  LIST_VALUES_BYTES_MAX,
  type ListOptions,
  type Page,
  type PutOptions,
  TRANSACTION_BYTES_MAX,
  type Transaction,
  type TransactionOperation,
  VALUE_BYTES_MAX,
  type WriteOptions,
  type Written,
} from '../domain/entries.ts';
import type {Entry, EntryInfo} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import {encodeJsonText, JSON_DEPTH_MAX, type JsonText, parseJsonText, TooBroad} from '../domain/json-text.ts';
import {type Key, parseCursor, parseKey, parsePrefix} from '../domain/key.ts';
import {PATCH_MEMBERS_MAX} from '../domain/merge-patch.ts';
import {TURN_BYTES_MAX} from '../domain/steps.ts';
import type {Commit, CommitResult, Expiry, Operation, PatchLimits, Range, Store} from '../domain/store.ts';
import {assertTtl} from '../domain/time-to-live.ts';
import {assertTransaction} from '../domain/transaction.ts';
import {assertJsonInput} from '../domain/value-text.ts';

/** What the entries need. */
export interface EntryServiceDeps {
  readonly store: Store;
  /** Largest value, in bytes. @default {VALUE_BYTES_MAX} */
  readonly valueBytesMax?: number | undefined;
  /** Deepest nesting of a value, in levels. @default {JSON_DEPTH_MAX} */
  readonly valueDepthMax?: number | undefined;
  /** Lets others have their turn while a large transaction is read. @default {it is read in one go} */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Hears of each time to live that was given to an entry, in seconds. @default {nobody hears} */
  readonly onTtl?: ((ttlSeconds: number) => void) | undefined;
}

/** Makes the entries of a store: checks what callers give, then lets the store decide. */
export function createEntryService(deps: EntryServiceDeps): Entries {
  return new EntryService(deps);
}

class EntryService implements Entries {
  readonly #store: Store;
  readonly #valueBytesMax: number;
  readonly #valueDepthMax: number;
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #onTtl: ((ttlSeconds: number) => void) | undefined;

  constructor(deps: EntryServiceDeps) {
    const {store, valueBytesMax = VALUE_BYTES_MAX, valueDepthMax = JSON_DEPTH_MAX, pause, onTtl} = deps;
    this.#store = store;
    this.#pause = pause;
    this.#onTtl = onTtl;
    this.#valueBytesMax = valueBytesMax;
    this.#valueDepthMax = valueDepthMax;
  }

  async get(key: string): Promise<Entry | undefined> {
    return this.#store.get(parseKey(key));
  }

  async put(key: string, json: string | Uint8Array, {expected, ttlSeconds}: PutOptions = {}): Promise<Written> {
    const checked = parseKey(key);
    if (ttlSeconds !== undefined) assertTtl(ttlSeconds);
    const operation = {
      kind: 'put',
      key: checked,
      json: this.#readValue(checked, json),
      expiry: expiryOf(ttlSeconds),
    } as const;
    const checks = expected === undefined ? [] : [{key: checked, expected}];
    const {revision, outcomes} = await this.#store.commit({checks, operations: [operation]});
    if (ttlSeconds !== undefined) this.#onTtl?.(ttlSeconds);
    return {revision, created: outcomes[0] === 'created'};
  }

  async patch(key: string, patch: string | Uint8Array, {expected}: WriteOptions = {}): Promise<Committed> {
    const checked = parseKey(key);
    const operation = {kind: 'patch', key: checked, patch: this.#readPatch(checked, patch)} as const;
    const checks = expected === undefined ? [] : [{key: operation.key, expected}];
    const {revision} = await this.#store.commit({checks, operations: [operation], limits: this.#limits});
    return {revision};
  }

  async touch(key: string, ttlSeconds: number | null): Promise<Committed> {
    const checked = parseKey(key);
    if (ttlSeconds !== null) assertTtl(ttlSeconds);
    const operation = {kind: 'touch', key: checked, expiry: expiryOf(ttlSeconds)} as const;
    const {revision} = await this.#commit({checks: [], operations: [operation]});
    return {revision};
  }

  async transact(transaction: Transaction): Promise<Committed> {
    assertTransaction(transaction);
    const checks = (transaction.checks ?? []).map(({key, expected}) => ({key: parseKey(key), expected}));
    const given = transaction.operations;
    const operations =
      this.#pause === undefined || given.reduce((sum, each) => sum + givenLength(each), 0) <= TURN_BYTES_MAX
        ? given.map(operation => this.#readOperation(operation))
        : await this.#readInTurns(given.map(copyOf), this.#pause);
    assertSize(operations);
    const limits: PatchLimits = {...this.#limits, patchedBytesMax: TRANSACTION_BYTES_MAX};
    const {revision} = await this.#commit({checks, operations, limits});
    return {revision};
  }

  async delete(key: string, {expected = 'present'}: DeleteOptions = {}): Promise<void> {
    const checked = parseKey(key);
    try {
      await this.#store.commit({checks: [{key: checked, expected}], operations: [{kind: 'delete', key: checked}]});
    } catch (error) {
      if (expected === 'present' && error instanceof AppError && error.failure.code === 'revision-conflict') {
        throw new AppError({code: 'no-entry', key: checked}, {cause: error});
      }
      throw error;
    }
  }

  async list(options: ListOptions & {readonly values: true}): Promise<Page<Entry>>;
  async list(options?: ListOptions): Promise<Page<EntryInfo>>;
  async list({
    prefix = '',
    after,
    limit = LIST_LIMIT,
    reverse = false,
    values = false,
  }: ListOptions = {}): Promise<Page<EntryInfo>> {
    assertLimit(limit);
    const range = {
      prefix: parsePrefix(prefix),
      after: after === undefined ? undefined : parseCursor(after),
      reverse,
      values,
      valuesBytesMax: LIST_VALUES_BYTES_MAX,
    };
    return this.#readPage({...range, limit});
  }

  async deleteRange({prefix}: {readonly prefix: string}): Promise<number> {
    const range: Range = {prefix: parsePrefix(prefix), limit: LIST_LIMIT_MAX};
    let deleted = 0;
    let after: Key | undefined;
    // Page by page: a commit of everything would hold up every other writer, and the event loop with it.
    for (;;) {
      const {entries, next} = await this.#readPage({...range, after});
      const operations = entries.map(({key}) => ({kind: 'delete', key}) as const);
      const {outcomes} = await this.#store.commit({checks: [], operations});
      deleted += outcomes.filter(outcome => outcome === 'deleted').length;
      if (next === undefined) return deleted;
      after = next;
    }
  }

  async #commit(commit: Commit): Promise<CommitResult> {
    const result = await this.#store.commit(commit);
    for (const operation of commit.operations) {
      const expiry = operation.kind === 'put' || operation.kind === 'touch' ? operation.expiry : undefined;
      if (expiry?.kind === 'after') this.#onTtl?.(expiry.ttlSeconds);
    }
    return result;
  }

  async #readPage(range: Range): Promise<Page<EntryInfo> & {readonly next?: Key}> {
    // One more than asked for tells whether a page follows; it is not shown.
    const found = await this.#store.list({...range, limit: range.limit + 1});
    const entries = found.slice(0, range.limit);
    const last = entries.at(-1);
    if (last === undefined) return {entries};
    const follows =
      found.length > range.limit || (isCutShort(entries, range) && (await this.#follows(range, last.key)));
    return follows ? {entries, next: last.key} : {entries};
  }

  /** Whether a range has a key beyond this one. */
  async #follows(range: Range, after: Key): Promise<boolean> {
    const found = await this.#store.list({...range, after, limit: 1, values: false});
    return found.length > 0;
  }

  get #limits(): PatchLimits {
    return {valueBytesMax: this.#valueBytesMax, valueDepthMax: this.#valueDepthMax};
  }

  async #readInTurns(
    given: readonly TransactionOperation[],
    pause: () => Promise<void>,
  ): Promise<readonly Operation[]> {
    const operations: Operation[] = [];
    let length = 0;
    for (const operation of given) {
      operations.push(this.#readOperation(operation));
      length += givenLength(operation);
      if (length < TURN_BYTES_MAX) continue;
      await pause();
      length = 0;
    }
    return operations;
  }

  #readOperation(operation: TransactionOperation): Operation {
    const {kind} = operation;
    const key = parseKey(operation.key);
    switch (kind) {
      case 'put':
        return {kind, key, json: this.#readValue(key, operation.json), expiry: expiryOf(operation.ttlSeconds)};
      case 'touch':
        return {kind, key, expiry: expiryOf(operation.ttlSeconds)};
      case 'patch':
        return {kind, key, patch: this.#readPatch(key, operation.patch)};
      case 'delete':
        return {kind, key};
    }
  }

  #readPatch(key: Key, json: string | Uint8Array): JsonText {
    try {
      return this.#readValue(key, json, PATCH_MEMBERS_MAX);
    } catch (error) {
      if (!(error instanceof TooBroad)) throw error;
      throw new AppError({code: 'patch-too-large', membersMax: PATCH_MEMBERS_MAX}, {cause: error});
    }
  }

  #readValue(key: Key, json: string | Uint8Array, membersMax = Infinity): JsonText {
    assertJsonInput(key, json);
    const tooLarge = (): AppError => new AppError({code: 'value-too-large', sizeBytesMax: this.#valueBytesMax});
    // A text has at least as many bytes as units, so a huge one is refused before it is encoded.
    if (json.length > this.#valueBytesMax) throw tooLarge();
    const limits = {depthMax: this.#valueDepthMax, membersMax};
    const value = typeof json === 'string' ? encodeJsonText(json, limits) : parseJsonText(json, limits);
    if (value.length > this.#valueBytesMax) throw tooLarge();
    return value;
  }
}

/** How long a value or patch is as it was given, in bytes or UTF-16 units; 0 for what is neither, and is refused later. */
function givenLength(operation: TransactionOperation): number {
  const json = operation.kind === 'put' ? operation.json : operation.kind === 'patch' ? operation.patch : '';
  return json?.length ?? 0;
}

/** A copy that the caller cannot change while others have their turn. */
function copyOf(operation: TransactionOperation): TransactionOperation {
  if (operation.kind === 'put' && operation.json instanceof Uint8Array)
    return {...operation, json: Uint8Array.from(operation.json)};
  if (operation.kind === 'patch' && operation.patch instanceof Uint8Array)
    return {...operation, patch: Uint8Array.from(operation.patch)};
  return {...operation};
}

function expiryOf(ttlSeconds: number | null | undefined): Expiry | undefined {
  return typeof ttlSeconds === 'number' ? {kind: 'after', ttlSeconds} : undefined;
}

/** Whether the store ended the page early because of the size of the values. */
function isCutShort(entries: readonly EntryInfo[], {values = false, valuesBytesMax = Infinity}: Range): boolean {
  if (!values) return false;
  return entries.reduce((sum, {sizeBytes}) => sum + sizeBytes, 0) >= valuesBytesMax;
}

function assertSize(operations: readonly Operation[]): void {
  const sizeBytes = operations.reduce((sum, operation) => {
    if (operation.kind === 'put') return sum + operation.json.length;
    return operation.kind === 'patch' ? sum + operation.patch.length : sum;
  }, 0);
  if (sizeBytes <= TRANSACTION_BYTES_MAX) return;
  throw new AppError({code: 'transaction-too-large', sizeBytesMax: TRANSACTION_BYTES_MAX});
}

function assertLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIST_LIMIT_MAX) return;
  throw new AppError({
    code: 'invalid-parameter',
    parameter: 'limit',
    problem: `it is a whole number from 1 to ${LIST_LIMIT_MAX}`,
  });
}
