import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import type {Commit, Expiry, Operation} from '../../src/core/domain/commits/commit.ts';
import type {Change, Store} from '../../src/core/domain/commits/store.ts';
import type {Expectation} from '../../src/core/domain/entries/entry.ts';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import type {AppError} from '../../src/core/failures/app-error.ts';
import {decodeJsonText} from '../../src/core/json/json-text.ts';
import {keysOf, put, range, read, textOf, withTexts} from '../contracts/shared/assertions.ts';
import {inByteOrder} from '../contracts/shared/samples.ts';
import {FOUND_HISTORIES} from './found-histories.ts';
import {mergePlainly} from './merge-plainly.ts';
import type {Opened} from './opened-store.ts';
import {anyStep, STEP_KEYS, type Step} from './store-steps.ts';

/** Size of the change logs of the stores, in changes: small, so that they are trimmed. */
export const LOG_CHANGES_MAX = 8;

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

/** An engine to test. */
export interface ModelledEngine {
  readonly name: string;
  readonly open: () => Promise<Opened>;
  /** Number of random histories. */
  readonly runs: number;
}

/** Compares stores in an engine with the simplest possible implementation, on random histories. */
export function testAgainstModel({name: engine, open, runs}: ModelledEngine): void {
  describe(`a store in ${engine}`, () => testHistories(open, runs));
}

function testHistories(open: () => Promise<Opened>, runs: number): void {
  for (const [name, steps] of Object.entries(FOUND_HISTORIES)) test(name, () => runHistory(steps, open));

  test('does what a plain map would do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, {maxLength: 12}), steps => runHistory(steps, open)),
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
}

async function runHistory(steps: readonly Step[], open: () => Promise<Opened>): Promise<void> {
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
}

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
      await compareSweeps(store, model);
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
    return failure?.code === 'revision-conflict' ? {conflicts: failure.conflicts.map(each => each.key)} : failure;
  });
  assert.deepEqual(
    actual,
    commits.map(commit => model.commit(commit)),
  );
  assert.equal(store.revision, model.revision);
}

async function compareEntries(store: Store, model: Model): Promise<void> {
  for (const name of STEP_KEYS) {
    const entry = await read(store, name);
    const {text, revision, expiresAtMs} = model.present.get(name) ?? {};
    assert.deepEqual([textOf(entry), entry?.revision, entry?.expiresAtMs], [text, revision, expiresAtMs]);
  }
  assert.deepEqual(keysOf(await store.list(range())), inByteOrder([...model.present.keys()]));
}

async function compareSweeps(store: Store, model: Model): Promise<void> {
  assert.deepEqual([await sweepAll(store), store.revision], [model.sweep(), model.revision]);
}

async function compareChanges(
  store: Store,
  model: Model,
  {after, limit}: {readonly after: number; readonly limit: number},
): Promise<void> {
  const found = await store.changes(after, {limit});
  const later = model.changes.filter(({revision}) => revision > after);
  const mayForget = after > model.revision || later.length > LOG_CHANGES_MAX;
  assert.ok(found.kind === 'changes' || mayForget, 'the log forgot what it has to keep');
  const changes = later.filter(change => change.revision <= (later[limit - 1]?.revision ?? Infinity));
  const revision = changes.at(-1)?.revision ?? model.revision;
  assert.deepEqual(withTexts(found), found.kind === 'changes' ? {kind: 'changes', changes, revision} : found);
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
