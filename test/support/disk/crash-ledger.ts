import assert from 'node:assert/strict';
import type {Operation, PutOperation} from '../../../src/core/domain/commits/commit.ts';
import type {Change, Store} from '../../../src/core/domain/commits/store.ts';
import type {HistoryChange} from '../../../src/core/domain/entries/history.ts';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import {AppError} from '../../../src/core/failures/app-error.ts';
import {EntryService} from '../../../src/service/entries/entry-service.ts';
import {changesOf, key as keyOf, put, range, remove, textOf} from '../../contracts/shared/assertions.ts';
import type {Random} from './random.ts';

/** Key that every commit writes, with the number of the commit. */
const MARK_KEY = 'mark';

/** Number of other keys. */
const KEYS = 6;

/** Sizes of values, in bytes: parts of a sector, several sectors, several blocks, and too large for the write-ahead log. */
const SIZES = [3, 100, 700, 5000, 60_000, 300_000];

/** Time to live of some entries, in seconds: none expires during a test. */
const TTL_SECONDS = 1_000_000;

/** A commit, and its result so far. */
export interface Attempt {
  readonly operations: readonly Operation[];
  /** Its id; every other one has none. */
  readonly id: string | undefined;
  /** Its revision, once it is acknowledged. */
  revision?: number;
  /** The code with which it was refused. */
  refused?: string;
}

/** The promises that a store must keep after a crash. */
export interface Promises {
  /** Every commit that was sent. */
  readonly attempts: readonly Readonly<Attempt>[];
  /** True if a commit that was refused as `store-read-only` may be there: neither its sync nor its erasure succeeded. */
  readonly mayStay?: boolean;
  /** True if acknowledged commits may be missing, because the disk lied. */
  readonly mayLose?: boolean;
}

/** Sends commits to a store, and records what was promised. */
export class CrashLedger {
  readonly #random: Random;
  readonly #attempts: Attempt[] = [];
  #changes = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The attempts as they are known now. */
  get attempts(): readonly Readonly<Attempt>[] {
    return this.#attempts.map(attempt => ({...attempt}));
  }

  /** Number of changes of the attempts: as long as it is the same, the same was promised. */
  get changes(): number {
    return this.#changes;
  }

  /** Sends a commit, and waits until it is acknowledged or refused. */
  commit(store: Store): Promise<void> {
    return this.#send(store, this.#draw(this.#attempts.length));
  }

  /** Sends a commit of one block in the write-ahead log. */
  commitBlock(store: Store): Promise<void> {
    return this.#send(store, [put(MARK_KEY, String(this.#attempts.length))]);
  }

  async #send(store: Store, operations: readonly Operation[]): Promise<void> {
    const attempt: Attempt = {operations, id: this.#attempts.length % 2 === 0 ? undefined : `${this.#attempts.length}`};
    this.#attempts.push(attempt);
    this.#changes++;
    try {
      attempt.revision = (await store.commit({checks: [], ...attempt})).revision;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      attempt.refused = error.code;
    } finally {
      this.#changes++;
    }
  }

  #draw(mark: number): readonly Operation[] {
    const operations: Operation[] = [put(MARK_KEY, String(mark))];
    const first = this.#random(KEYS);
    for (let index = 0; index < 1 + this.#random(3); index++) {
      const key = `key ${(first + index) % KEYS}`;
      operations.push(this.#random(5) === 0 ? remove(key) : this.#drawPut(key, mark));
    }
    return operations;
  }

  #drawPut(key: string, mark: number): PutOperation {
    // Small values are the usual ones.
    const sizeBytes = SIZES[Math.min(this.#random(SIZES.length), this.#random(2 * SIZES.length))] ?? 3;
    const operation = put(key, JSON.stringify(`${mark} `.padEnd(sizeBytes, 'x')));
    return this.#random(4) === 0 ? {...operation, expiry: {kind: 'after', ttlSeconds: TTL_SECONDS}} : operation;
  }
}

/**
 * Asserts that a store keeps its promises: its change log is a sequence of whole commits that were sent, each once; every acknowledged
 * one is there under its revision, and no refused one; its entries are what these commits come to; and one that is sent again with its id is
 * answered as before.
 *
 * @returns The numbers of its commits, in their order.
 */
export async function assertKept(store: Store, promises: Promises): Promise<readonly number[]> {
  const {attempts, mayLose = false} = promises;
  const marks = await readMarks(store);
  assert.equal(store.revision, marks.length, 'the last revision');
  assert.equal(new Set(marks).size, marks.length, `a commit is there twice: ${marks}`);
  for (const [index, mark] of marks.entries()) assertMayBe(promises, mark, index + 1);
  for (const [mark, {revision}] of attempts.entries())
    assert.ok(revision === undefined || mayLose || marks[revision - 1] === mark, `revision ${revision} is lost`);
  await assertKnown(store, mayLose ? [] : attempts);
  const entries = await store.list({...range({limit: 100}), values: true});
  const found = new Map(entries.map(({key, json}) => [String(key), Buffer.from(json)]));
  assert.deepEqual(found, replay(marks.map(mark => attempts[mark]?.operations ?? [])));
  return marks;
}

/**
 * Asserts that the history of the key that every commit writes has each of them, newest first, and that its oldest value can be restored. The store
 * has one more commit then.
 *
 * @param marks The numbers of its commits, in their order.
 */
export async function assertHistory(store: Store, marks: readonly number[]): Promise<void> {
  const entries = new EntryService({store});
  const mark = keyOf(MARK_KEY);
  const changes: HistoryChange[] = [];
  let after: string | undefined;
  do {
    const page = await entries.history(mark, {after, limit: DEFAULT_LIMITS.listLimitMax});
    changes.push(...page.changes);
    after = page.cursor;
  } while (after !== undefined);
  const written = changes.flatMap(change => (change.kind === 'written' ? [change] : []));
  assert.deepEqual(
    written.map(({revision, json = []}) => [revision, Buffer.from(json).toString()]),
    marks.map((number, index) => [index + 1, String(number)]).reverse(),
  );
  assert.deepEqual(changes.slice(written.length), [{kind: 'log-begins', revision: 0}]);
  for (const {json} of written.slice(-1)) {
    const {revision} = await entries.put(mark, json, {expected: marks.length});
    assert.equal(revision, marks.length + 1);
    assert.equal(textOf(await store.get(mark)), String(marks[0]));
  }
}

async function assertKnown(store: Store, attempts: Promises['attempts']): Promise<void> {
  const before = store.revision;
  const known = attempts.filter(({id, revision}) => id !== undefined && revision !== undefined);
  const results = await Promise.all(known.map(({operations, id}) => store.commit({checks: [], operations, id})));
  assert.deepEqual(
    results.map(({revision}) => revision),
    known.map(({revision}) => revision),
  );
  assert.equal(store.revision, before, 'a commit was applied again');
}

/** Maximum number of commits in one record: as many as {@link CrashLedger.commit} is called with at once. */
const RECORD_COMMITS_MAX = 3;

/**
 * Asserts that a store whose log was damaged in one place lost one record at most: every acknowledged commit is there under its revision, or
 * in the records behind the damage, except those of one record.
 *
 * @param behind The changes of each record behind the damage.
 */
export async function assertSaved(
  store: Store,
  behind: readonly (readonly Change[])[],
  {attempts}: Promises,
): Promise<void> {
  const marks = await readMarks(store);
  const saved = new Map(
    behind
      .flat()
      .map(change => [change.revision, markOf(change)] as const)
      .filter(([, mark]) => mark !== undefined),
  );
  const lost = attempts.flatMap(({revision}, mark) => {
    if (revision === undefined || marks[revision - 1] === mark || saved.get(revision) === mark) return [];
    return [revision];
  });
  const [first = 0] = lost;
  assert.ok(
    lost.length <= RECORD_COMMITS_MAX && lost.every((revision, index) => revision === first + index),
    `more than one record is lost: the revisions ${lost} of ${attempts.length} commits`,
  );
}

/** Returns the number of the commit that a change of it writes; undefined for its other changes. */
function markOf(change: Change): number | undefined {
  if (change.kind !== 'put' || change.key !== MARK_KEY) return undefined;
  return Number(Buffer.from(change.json ?? '').toString());
}

function assertMayBe({attempts, mayStay = false}: Promises, mark: number, revision: number): void {
  const attempt = attempts[mark];
  assert.ok(attempt !== undefined, `commit ${mark} was never sent`);
  assert.ok((attempt.revision ?? revision) === revision, `revision ${attempt.revision} has become ${revision}`);
  const stays = attempt.refused === undefined || (mayStay && attempt.refused === 'store-read-only');
  assert.ok(stays, `commit ${mark} was refused (${attempt.refused}) and is there`);
}

/** Reads the commits of a store in their order; revisions have no gaps. */
async function readMarks(store: Store): Promise<readonly number[]> {
  const marks: number[] = [];
  let revision = 0;
  for (const change of await changesOf(store, 0, 100_000)) {
    assert.ok(change.revision === revision || change.revision === revision + 1, 'a gap in the change log');
    revision = change.revision;
    const mark = markOf(change);
    if (mark !== undefined) marks.push(mark);
  }
  assert.equal(marks.length, revision, 'a commit is there in part');
  return marks;
}

function replay(commits: readonly (readonly Operation[])[]): ReadonlyMap<string, Buffer> {
  const entries = new Map<string, Uint8Array>();
  for (const operation of commits.flat()) {
    if (operation.kind === 'put') entries.set(operation.key, operation.json);
    else if (operation.kind === 'delete') entries.delete(operation.key);
  }
  return new Map([...entries].map(([key, json]) => [key, Buffer.from(json)]));
}
