import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import type {Expectation} from '../../src/domain/entry.ts';
import type {AppError} from '../../src/domain/failure.ts';
import {decodeJsonText} from '../../src/domain/json-text.ts';
import {KEY_BYTES_MAX} from '../../src/domain/key.ts';
import {SILENT_LOG} from '../../src/domain/log.ts';
import type {Change, Commit, Operation, Store} from '../../src/domain/store.ts';
import {openLmdbStore} from '../../src/store/lmdb-store.ts';
import {openMemoryStore} from '../../src/store/memory-store.ts';
import {key, keysOf, patch, put, range, read, remove, textOf, withTexts} from '../../src/testing/assertions.ts';
import {inByteOrder} from '../../src/testing/samples.ts';
import {mergePlainly} from '../support/merge-plainly.ts';

const LOG_CHANGES_MAX = 8;

/** A store that can be closed and opened again, with what it had where it is on a disk. */
interface Opened {
  readonly store: Store;
  reopen(): Promise<Opened>;
  end(): Promise<void>;
}

const ENGINES = [
  {name: 'memory', open: openMemory, runs: 200},
  {name: 'LMDB', open: openLmdb, runs: 30},
];

async function openMemory(): Promise<Opened> {
  const store = openMemoryStore({nowMs: Date.now, logChangesMax: LOG_CHANGES_MAX});
  const opened: Opened = {store, reopen: async () => opened, end: () => store[Symbol.asyncDispose]()};
  return opened;
}

async function openLmdb(existing?: string): Promise<Opened> {
  const directory = existing ?? (await mkdtemp(join(tmpdir(), 'crewroom-test-')));
  const store = await openLmdbStore({directory, nowMs: Date.now, log: SILENT_LOG, logChangesMax: LOG_CHANGES_MAX});
  return {
    store,
    async reopen() {
      await store[Symbol.asyncDispose]();
      return openLmdb(directory);
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
const anyOperation = fc.oneof(
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
  | {readonly kind: 'changes'; readonly since: number; readonly limit: number};

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(anyCommit, {minLength: 1, maxLength: 4}).map(commits => ({kind: 'commits', commits})),
  },
  {weight: 1, arbitrary: fc.constant({kind: 'reopen'})},
  {
    weight: 2,
    arbitrary: fc.record({kind: fc.constant('changes'), since: fc.nat(20), limit: fc.integer({min: 1, max: 5})}),
  },
) as fc.Arbitrary<Step>;

/** What a store has to do, as plainly as it can be said. */
class Model {
  readonly entries = new Map<string, {text: string; revision: number}>();
  readonly changes: (Pick<Change, 'kind' | 'key' | 'revision'> & {
    readonly sizeBytes?: number;
    readonly json?: string;
  })[] = [];
  revision = 0;

  commit({checks, operations}: Commit): object {
    const conflicts = checks.filter(({key: name, expected}) => !this.#holds(name, expected)).map(check => check.key);
    if (conflicts.length > 0) return {conflicts};
    const effective = operations.filter(({kind, key: name}) => kind !== 'delete' || this.entries.has(name));
    const outcomes = operations.map(({kind, key: name}) => {
      if (kind === 'delete') return this.entries.has(name) ? 'deleted' : 'absent';
      return this.entries.has(name) ? 'replaced' : 'created';
    });
    if (effective.length > 0) this.revision++;
    for (const operation of effective) this.#apply(operation);
    return {revision: this.revision, outcomes};
  }

  #apply(operation: Operation): void {
    const {revision} = this;
    if (operation.kind === 'touch') return;
    if (operation.kind === 'delete') {
      this.entries.delete(operation.key);
      this.changes.push({kind: 'delete', key: operation.key, revision});
    } else {
      const text = operation.kind === 'put' ? decodeJsonText(operation.json) : this.#patch(operation);
      this.entries.set(operation.key, {text, revision});
      this.changes.push({
        kind: 'put',
        key: operation.key,
        revision,
        sizeBytes: Buffer.byteLength(text),
        json: text,
      });
    }
  }

  #patch(operation: Extract<Operation, {kind: 'patch'}>): string {
    const target = this.entries.get(operation.key);
    const merged = mergePlainly(
      target === undefined ? undefined : JSON.parse(target.text),
      JSON.parse(decodeJsonText(operation.patch)),
    );
    return JSON.stringify(merged);
  }

  #holds(name: string, expected: Expectation): boolean {
    const revision = this.entries.get(name)?.revision;
    if (expected === 'absent') return revision === undefined;
    if (expected === 'present') return revision !== undefined;
    return revision !== undefined && [expected].flat().includes(revision);
  }
}

describe.each(ENGINES)('a store in $name', ({open, runs}) => {
  test('does what a plain map would do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, {maxLength: 12}), async steps => {
        const model = new Model();
        let opened = await open();
        try {
          for (const step of steps) {
            if (step.kind === 'reopen') opened = await opened.reopen();
            else if (step.kind === 'changes') await compareChanges(opened.store, model, step);
            else await compareCommits(opened.store, model, step.commits);
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
      text.filter(each => !/[\u0000-\u001f\u007f]/.test(each) && Buffer.byteLength(each) <= KEY_BYTES_MAX),
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
    const {text, revision} = model.entries.get(name) ?? {};
    assert.deepEqual([textOf(entry), entry?.revision], [text, revision]);
  }
  assert.deepEqual(keysOf(await store.list(range())), inByteOrder([...model.entries.keys()]));
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
