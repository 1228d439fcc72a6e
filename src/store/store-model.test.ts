import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {mergePlainly} from '../../test/support/merge-plainly.ts';
import type {AppError} from '../domain/app-error.ts';
import type {Change} from '../domain/change.ts';
import type {Commit, Expiry, Operation} from '../domain/commit.ts';
import type {Expectation} from '../domain/entry.ts';
import {decodeJsonText} from '../domain/json-text.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import {SILENT_LOG} from '../domain/log.ts';
import type {Store} from '../domain/store.ts';
import {key, keysOf, patch, put, range, read, remove, textOf, withTexts} from '../testing/shared/assertions.ts';
import {inByteOrder} from '../testing/shared/samples.ts';
import {openLmdbStore} from './lmdb-store.ts';
import {openMemoryStore} from './memory/memory-store.ts';

const LOG_CHANGES_MAX = 8;

/** A store that can be closed and opened again, with what it had where it is on a disk. */
interface Opened {
  readonly store: Store;
  readonly time: FakeTime;
  reopen(): Promise<Opened>;
  end(): Promise<void>;
}

/** The clock of a machine, which can be set, and how much time has passed. */
class FakeTime {
  machineMs = Date.UTC(2026, 0, 1, 12);
  passedMs = 0;
  readonly nowMs = (): number => this.machineMs;
  readonly elapsedMs = (): number => this.passedMs;
}

const ENGINES = [
  {name: 'memory', open: openMemory, runs: 200},
  {name: 'LMDB', open: openLmdb, runs: 30},
];

async function openMemory(): Promise<Opened> {
  const time = new FakeTime();
  const store = openMemoryStore({...time, logChangesMax: LOG_CHANGES_MAX});
  const end = (): Promise<void> => store[Symbol.asyncDispose]();
  const opened: Opened = {store, time, reopen: async () => opened, end};
  return opened;
}

async function openLmdb(existing?: string, time = new FakeTime()): Promise<Opened> {
  const directory = existing ?? (await mkdtemp(join(tmpdir(), 'crewroom-test-')));
  const store = await openLmdbStore({directory, ...time, log: SILENT_LOG, logChangesMax: LOG_CHANGES_MAX});
  return {
    store,
    time,
    async reopen() {
      await store[Symbol.asyncDispose]();
      return openLmdb(directory, time);
    },
    async end() {
      await store[Symbol.asyncDispose]();
      await rm(directory, {recursive: true});
    },
  };
}

// Few keys and revisions, so that commits meet each other.
const KEYS = ['a', 'a/', 'a/b', 'b', '__proto__', '\uffff', '😀'];
const anyKey = fc.constantFrom(...KEYS);
const anyExpectation: fc.Arbitrary<Expectation> = fc.oneof(
  fc.constantFrom('absent', 'present'),
  fc.nat(12),
  fc.array(fc.nat(12), {maxLength: 3}),
);
// Values as JSON.stringify writes them, so that a model can patch them by parsing.
const anyMember = fc.constantFrom('a', 'b', '__proto__', 'é');
const anyPatch = fc
  .oneof(
    {weight: 4, arbitrary: fc.dictionary(anyMember, fc.constantFrom(null, 1, 'x', [null], {}, {a: null, b: 2}))},
    {weight: 1, arbitrary: fc.constantFrom(null, 7, [1, null])},
  )
  .map(value => JSON.stringify(value));
const anyExpiry: fc.Arbitrary<Expiry | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.integer({min: 1, max: 5}).map(ttlSeconds => ({kind: 'after', ttlSeconds}) as const),
);
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.tuple(anyKey, fc.json(), anyExpiry).map(([text, json, expiry]) => ({...put(text, json), expiry})),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(anyKey, anyExpiry).map(([text, expiry]) => ({kind: 'touch', key: key(text), expiry}) as const),
  },
  {weight: 2, arbitrary: fc.tuple(anyKey, fc.json()).map(([text, json]) => put(text, json))},
  {weight: 1, arbitrary: anyKey.map(remove)},
  {weight: 2, arbitrary: fc.tuple(anyKey, anyPatch).map(([text, json]) => patch(text, json))},
);
const anyCommit: fc.Arbitrary<Commit> = fc.record({
  checks: fc.oneof(
    {weight: 3, arbitrary: fc.constant([])},
    {
      weight: 2,
      arbitrary: fc.uniqueArray(fc.record({key: anyKey.map(key), expected: anyExpectation}), {
        maxLength: 2,
        selector: check => check.key,
      }),
    },
  ),
  operations: fc.uniqueArray(anyOperation, {maxLength: 4, selector: operation => operation.key}),
});

type Step =
  | {readonly kind: 'commits'; readonly commits: readonly Commit[]}
  | {readonly kind: 'reopen'}
  | {readonly kind: 'sweep'}
  /** Time passes, or the clock of the machine is set, forward or back. */
  | {readonly kind: 'pass' | 'set'; readonly ms: number}
  | {readonly kind: 'changes'; readonly since: number; readonly limit: number};

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(anyCommit, {minLength: 1, maxLength: 4}).map(commits => ({kind: 'commits', commits})),
  },
  {weight: 1, arbitrary: fc.constant({kind: 'reopen'})},
  {weight: 1, arbitrary: fc.constant({kind: 'sweep'})},
  {weight: 3, arbitrary: fc.nat(8).map(halves => ({kind: 'pass', ms: halves * 500}))},
  {weight: 1, arbitrary: fc.integer({min: -20, max: 6}).map(seconds => ({kind: 'set', ms: seconds * 1000}))},
  {
    weight: 2,
    arbitrary: fc.record({kind: fc.constant('changes'), since: fc.nat(20), limit: fc.integer({min: 1, max: 5})}),
  },
) as fc.Arbitrary<Step>;

interface ModelEntry {
  readonly text: string;
  readonly revision: number;
  readonly expiresAtMs: number | undefined;
}

/** A change with the text of its value. */
interface ModelChange {
  readonly kind: Change['kind'];
  readonly key: string;
  readonly revision: number;
  readonly sizeBytes?: number;
  readonly json?: string;
  readonly expiresAtMs?: number;
}

/** Simplest possible implementation of a store. */
class Model {
  /** Includes expired entries until their expiry is announced. */
  readonly entries = new Map<string, ModelEntry>();
  readonly changes: ModelChange[] = [];
  revision = 0;
  nowMs: number;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** The entries that are there. */
  get present(): ReadonlyMap<string, ModelEntry> {
    return new Map([...this.entries].filter(([, entry]) => !this.#hasExpired(entry)));
  }

  pass(ms: number, machineMs: number): void {
    this.nowMs = Math.max(machineMs, this.nowMs + ms);
  }

  commit({checks, operations}: Commit): object {
    const {present} = this;
    const conflicts = checks.filter(check => !holds(check.expected, present.get(check.key)?.revision));
    if (conflicts.length > 0) return {conflicts: conflicts.map(check => check.key)};
    const lost = operations.find(({kind, key: name}) => kind === 'touch' && !present.has(name));
    if (lost !== undefined) return {code: 'no-entry', key: lost.key};
    const effective = operations.filter(({kind, key: name}) => kind !== 'delete' || present.has(name));
    const outcomes = operations.map(({kind, key: name}) => {
      if (kind === 'delete') return present.has(name) ? 'deleted' : 'absent';
      return present.has(name) ? 'replaced' : 'created';
    });
    for (const {key: name} of effective) if (this.entries.has(name) && !present.has(name)) this.#expire(name);
    if (effective.length > 0) this.revision++;
    for (const operation of effective) this.#apply(operation);
    return {revision: this.revision, outcomes};
  }

  /** Tells all that has expired; when the next will, from now on. */
  sweep(): number | undefined {
    const mortals = [...this.entries].flatMap(([name, {expiresAtMs}]) =>
      expiresAtMs === undefined ? [] : [{name, expiresAtMs}],
    );
    const inOrder = inByteOrder(mortals.map(({name}) => name));
    mortals.sort((a, b) => a.expiresAtMs - b.expiresAtMs || inOrder.indexOf(a.name) - inOrder.indexOf(b.name));
    for (const {name, expiresAtMs} of mortals) {
      if (expiresAtMs > this.nowMs) return expiresAtMs - this.nowMs;
      this.#expire(name);
    }
    return undefined;
  }

  #hasExpired({expiresAtMs = Infinity}: ModelEntry): boolean {
    return expiresAtMs <= this.nowMs;
  }

  #expire(name: string): void {
    this.entries.delete(name);
    this.#log({kind: 'expire', key: name, revision: ++this.revision});
  }

  #log(change: ModelChange): void {
    this.changes.push(change);
  }

  #apply(operation: Operation): void {
    const {revision} = this;
    const {kind, key: name} = operation;
    const before = this.entries.get(name);
    this.entries.delete(name);
    if (kind === 'delete') {
      this.#log({kind, key: name, revision});
      return;
    }
    const text =
      kind === 'put'
        ? decodeJsonText(operation.json)
        : kind === 'touch'
          ? (before?.text ?? '')
          : patched(operation, before);
    const expiresAtMs = kind === 'patch' ? before?.expiresAtMs : this.#timeOf(operation.expiry);
    this.entries.set(name, {text, revision, expiresAtMs});
    const change = {kind: 'put', key: name, revision, sizeBytes: Buffer.byteLength(text), json: text} as const;
    this.#log(expiresAtMs === undefined ? change : {...change, expiresAtMs});
  }

  #timeOf(expiry: Expiry | undefined): number | undefined {
    return expiry?.kind === 'after' ? this.nowMs + expiry.ttlSeconds * 1000 : undefined;
  }
}

function patched(operation: Extract<Operation, {kind: 'patch'}>, target: ModelEntry | undefined): string {
  const merged = mergePlainly(
    target === undefined ? undefined : JSON.parse(target.text),
    JSON.parse(decodeJsonText(operation.patch)),
  );
  return JSON.stringify(merged);
}

function holds(expected: Expectation, revision: number | undefined): boolean {
  if (expected === 'absent') return revision === undefined;
  if (expected === 'present') return revision !== undefined;
  return revision !== undefined && [expected].flat().includes(revision);
}

describe.each(ENGINES)('a store in $name', ({open, runs}) => {
  test('does what a plain map would do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, {maxLength: 12}), async steps => {
        let opened = await open();
        const model = new Model(opened.time.machineMs);
        try {
          for (const step of steps) {
            opened = await take(step, opened, model);
            await compareEntries(opened.store, model);
          }
        } finally {
          await opened.end();
        }
      }),
      {numRuns: runs},
    );
  });

  test('lists every key exactly once, in order, in pages of any size and in both directions', async () => {
    const text = fc.string({unit: 'grapheme', maxLength: 12}).map(each => `/${each}`);
    const anyKeys = fc.uniqueArray(
      text.filter(each => !/[\u0000-\u001f\u007f]/.test(each) && Buffer.byteLength(each) <= DEFAULT_LIMITS.keyBytesMax),
      {maxLength: 30},
    );
    const part = fc.nat(3);
    await fc.assert(
      fc.asyncProperty(
        anyKeys,
        fc.integer({min: 1, max: 40}),
        fc.boolean(),
        part,
        async (names, limit, reverse, length) => {
          const opened = await open();
          try {
            await opened.store.commit({checks: [], operations: names.map(name => put(name))});
            const prefix = Array.from(names[0] ?? '')
              .slice(0, length)
              .join('');
            const ordered = inByteOrder(names.filter(name => name.startsWith(prefix)));
            assert.deepEqual(
              await readPages(opened.store, {prefix, limit, reverse}),
              reverse ? ordered.toReversed() : ordered,
            );
          } finally {
            await opened.end();
          }
        },
      ),
      {numRuns: runs},
    );
  });
});

async function take(step: Step, opened: Opened, model: Model): Promise<Opened> {
  const {store, time} = opened;
  switch (step.kind) {
    case 'reopen':
      return opened.reopen();
    case 'pass':
      time.passedMs += step.ms;
      time.machineMs += step.ms;
      model.pass(step.ms, time.machineMs);
      return opened;
    case 'set':
      time.machineMs += step.ms;
      model.pass(0, time.machineMs);
      return opened;
    case 'sweep':
      assert.equal(await sweepAll(store), model.sweep());
      assert.equal(store.revision, model.revision);
      return opened;
    case 'changes':
      await compareChanges(store, model, step);
      return opened;
    case 'commits':
      await compareCommits(store, model, step.commits);
      return opened;
  }
}

async function sweepAll(store: Store): Promise<number | undefined> {
  for (;;) {
    const nextMs = await store.sweep();
    if (nextMs !== 0) return nextMs;
  }
}

/** Commits at once, in their order: they are applied in that order, whatever shares a transaction. */
async function compareCommits(store: Store, model: Model, commits: readonly Commit[]): Promise<void> {
  const results = await Promise.allSettled(commits.map(commit => store.commit(commit)));
  const actual = results.map(result => {
    if (result.status === 'fulfilled') return result.value;
    const {failure} = result.reason as AppError;
    return failure.code === 'revision-conflict' ? {conflicts: failure.conflicts.map(each => each.key)} : failure;
  });
  assert.deepEqual(
    actual,
    commits.map(commit => model.commit(commit)),
  );
  assert.equal(store.revision, model.revision);
}

async function compareEntries(store: Store, model: Model): Promise<void> {
  for (const name of KEYS) {
    const entry = await read(store, name);
    const {text, revision, expiresAtMs} = model.present.get(name) ?? {};
    assert.deepEqual([textOf(entry), entry?.revision, entry?.expiresAtMs], [text, revision, expiresAtMs]);
  }
  assert.deepEqual(keysOf(await store.list(range())), inByteOrder([...model.present.keys()]));
}

async function compareChanges(
  store: Store,
  model: Model,
  {since, limit}: {readonly since: number; readonly limit: number},
): Promise<void> {
  const found = await store.changes(since, {limit});
  const after = model.changes.filter(({revision}) => revision > since);
  if (found.kind === 'reset') {
    assert.ok(since > model.revision || after.length > LOG_CHANGES_MAX, 'the log forgot what it has to keep');
    return;
  }
  const end = after[limit - 1]?.revision ?? Infinity;
  const expected = after.filter(({revision}) => revision <= end);
  assert.deepEqual(withTexts(found), {...found, changes: expected});
  assert.equal(found.revision, expected.at(-1)?.revision ?? model.revision);
}

async function readPages(
  store: Store,
  {prefix, limit, reverse}: {readonly prefix: string; readonly limit: number; readonly reverse: boolean},
): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const after = found.at(-1);
    const page = keysOf(await store.list(range({prefix, limit, reverse, ...(after === undefined ? {} : {after})})));
    assert.ok(page.length <= limit);
    if (page.length === 0) return found;
    found.push(...page);
  }
}
