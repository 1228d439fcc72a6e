import assert from 'node:assert/strict';
import {describe, onTestFinished, test} from 'vitest';
import type {Commit} from '../../core/domain/commits/commit.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {ImportOptions, Transfer} from '../../core/domain/commits/transfer.ts';
import {parseKey, parsePrefix} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS, type Limits} from '../../core/domain/limits.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
import {decodeJsonText, encodeJsonText} from '../../core/json/json-text.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {createTransferService} from './transfer-service.ts';

const HEADER = '{"format":"crewroom-export","version":1}';

function open(limits: Partial<Limits> = {}) {
  let timeMs = 1000;
  let pauses = 0;
  let expiring = 0;
  const nowMs = (): number => timeMs;
  const store: Store = openMemoryStore({nowMs, elapsedMs: () => 0});
  onTestFinished(() => store[Symbol.asyncDispose]());
  const transfer = createTransferService({
    store,
    nowMs,
    limits: {...DEFAULT_LIMITS, ...limits},
    pause: async () => void pauses++,
    onExpiringEntries: () => void expiring++,
  });
  const put = (key: string, text = '0') =>
    store.commit({checks: [], operations: [{kind: 'put', key: parseKey(key), json: encodeJsonText(text)}]});
  return {
    store,
    transfer,
    put,
    setTime: (toMs: number) => {
      timeMs = toMs;
    },
    counts: () => ({pauses, expiring}),
  };
}

/** Returns an export of these lines of entries, with its header and trailer. */
function exportOf(lines: readonly string[], header = HEADER): string {
  return `${[header, ...lines, `{"end":true,"entries":${lines.length}}`].join('\n')}\n`;
}

function line(key: string, value: unknown = 1): string {
  return `{"key":${JSON.stringify(key)},"value":${JSON.stringify(value)}}`;
}

function importText(transfer: Transfer, text: string, options?: ImportOptions) {
  return transfer.import([Buffer.from(text)], options);
}

async function contentOf(store: Store): Promise<Readonly<Record<string, string>>> {
  const entries = await store.list({prefix: parsePrefix(''), limit: 1000, values: true});
  return Object.fromEntries(entries.map(({key, json}) => [key, decodeJsonText(json)]));
}

function fails(promise: Promise<unknown>, code: FailureCode, members: object = {}): Promise<void> {
  return assert.rejects(promise, (error: {readonly failure?: object}) => {
    assert.deepEqual({...error.failure, code, ...members}, error.failure);
    return true;
  });
}

describe('an import', () => {
  test('stores the entries in one commit, and counts what it created and replaced', async () => {
    const {store, transfer, put} = open();
    await put('a');
    const imported = await importText(transfer, exportOf([line('a', 1), line('b', 2)]));
    assert.deepEqual(imported, {
      ...{dryRun: false, entries: 2, created: 1, replaced: 1, expired: 0},
      ...{deleted: 0, batches: 1, revision: 2},
    });
    assert.deepEqual(await contentOf(store), {a: '1', b: '2'});
  });

  test('reads chunks that are cut anywhere, also inside of characters', async () => {
    const {store, transfer} = open();
    const bytes = Buffer.from(exportOf([line('é/€', 'ü')]));
    await transfer.import(Array.from(bytes, byte => Uint8Array.of(byte)));
    assert.deepEqual(await contentOf(store), {'é/€': '"ü"'});
  });

  test('accepts blank lines, CRLF, and a last line without a line feed', async () => {
    const {store, transfer} = open();
    await importText(
      transfer,
      `\r\n${exportOf([line('a')])
        .replaceAll('\n', '\r\n\n')
        .trimEnd()}`,
    );
    assert.deepEqual(await contentOf(store), {a: '1'});
  });

  test('keeps the last of several lines with the same key', async () => {
    const {store, transfer} = open();
    const {entries, created, replaced} = await importText(transfer, exportOf([line('a', 1), line('a', 2)]));
    assert.deepEqual({entries, created, replaced}, {entries: 2, created: 1, replaced: 0});
    assert.deepEqual(await contentOf(store), {a: '2'});
  });

  test('keeps times of expiry, leaves out what has expired, and announces that entries expire', async () => {
    const {store, transfer, setTime, counts} = open();
    setTime(Date.UTC(2026, 0, 1));
    const expiring = (key: string, expiresAt: string): string =>
      `{"key":"${key}","expiresAt":"${expiresAt}","value":1}`;
    const lines = [expiring('gone', '2026-01-01T00:00:00.000Z'), expiring('soon', '2026-01-01T00:00:01.000Z')];
    const {entries, created, expired} = await importText(transfer, exportOf(lines));
    assert.deepEqual(
      {entries, created, expired, ...counts()},
      {entries: 2, created: 1, expired: 1, expiring: 1, pauses: 0},
    );
    assert.equal((await store.get(parseKey('soon')))?.expiresAtMs, Date.UTC(2026, 0, 1, 0, 0, 1));
  });

  test('pauses while it reads many short lines', async () => {
    const {transfer, counts} = open();
    await importText(transfer, exportOf([line('a')]) + '\n'.repeat(200 * 1024));
    assert.equal(counts().pauses, 3);
  });

  const batches = [
    {name: 'operations', limits: {transactionOperationsMax: 2}, expected: 3},
    {name: 'neither', limits: {}, expected: 1},
  ];
  for (const {name, limits, expected} of batches) {
    test(`is divided into ${expected} commits by the limit of ${name}`, async () => {
      const {store, transfer} = open(limits);
      const lines = ['a', 'b', 'c', 'd', 'e'].map(key => line(key, 'x'));
      const imported = await importText(transfer, exportOf(lines));
      assert.deepEqual([imported.batches, imported.created, store.revision], [expected, 5, expected]);
    });
  }

  test('is divided into commits of at most 8 MiB, and stores a larger value in a commit of its own', async () => {
    const {transfer} = open({valueBytesMax: 10 * 1024 * 1024, importLineBytesMax: 40 * 1024 * 1024});
    const sizes = [3, 3, 3, 9, 1];
    const lines = sizes.map((size, index) => line(`${index}`, 'x'.repeat(size * 1024 * 1024)));
    const imported = await importText(transfer, exportOf(lines));
    assert.deepEqual([imported.batches, imported.created], [4, 5]);
  });
});

describe('an import that is refused', () => {
  const refused = [
    {name: 'empty', text: '', line: 1, problem: 'it is missing; the import is empty'},
    {name: 'without a header', text: `${line('a')}\n`, line: 1, problem: 'the first line has to be the header'},
    {name: 'with two headers', text: `${HEADER}\n${HEADER}\n`, line: 2, problem: 'a second header'},
    {
      name: 'without a trailer',
      text: `${HEADER}\n${line('a')}\n`,
      line: 3,
      problem: 'it is missing; the export was cut off before its end',
    },
    {
      name: 'with a wrong count',
      text: `${HEADER}\n${line('a')}\n{"end":true,"entries":2}\n`,
      line: 3,
      problem: 'it counts 2 entries, but 1 precede it',
    },
    {
      name: 'with a line after its end',
      text: `${exportOf([])}${line('a')}\n`,
      line: 3,
      problem: 'nothing may follow the end of the export',
    },
    {
      name: 'with a key outside of its prefix',
      text: exportOf([line('b')], '{"format":"crewroom-export","version":1,"prefix":"a"}'),
      line: 2,
      problem: 'its key does not begin with the prefix of the export',
    },
    {
      name: 'with a value that is too large',
      text: exportOf([line('a', 'x'.repeat(99))]),
      line: 2,
      problem: 'its value is larger than 100 bytes',
    },
    {
      name: 'with a value that is too deep',
      text: exportOf([line('a', [[[1]]])]),
      line: 2,
      problem: 'its value nests deeper than 2 levels',
    },
    {
      name: 'with a line that is too long',
      text: `${HEADER}\n${' '.repeat(2000)}\n`,
      line: 2,
      problem: 'it is longer than a line with the largest value can be',
    },
  ];
  for (const {name, text, line: number, problem} of refused) {
    test(`because it is ${name} changes nothing, and names the line`, async () => {
      const {store, transfer} = open({valueBytesMax: 100, valueDepthMax: 2, importLineBytesMax: 1000});
      await fails(importText(transfer, text), 'invalid-import', {line: number, problem, imported: 0, batches: 0});
      assert.equal(store.revision, 0);
    });
  }

  test('in the middle reports the entries that were stored before', async () => {
    const {store, transfer} = open({transactionOperationsMax: 2});
    const text = exportOf([line('a'), line('b'), line('c'), 'no JSON']);
    await fails(importText(transfer, text), 'invalid-import', {line: 5, imported: 2, batches: 1});
    assert.deepEqual(Object.keys(await contentOf(store)), ['a', 'b']);
  });

  test('by its store reports the entries that were stored before', async () => {
    const {store, transfer} = open({transactionOperationsMax: 1});
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${HEADER}\n${line('a')}\n${line('b')}\n${line('c')}\n`);
      await store[Symbol.asyncDispose]();
      yield Buffer.from(`${line('d')}\n{"end":true,"entries":4}\n`);
    }
    await fails(transfer.import(chunks()), 'store-closed', {imported: 2, batches: 2});
  });

  for (const failure of [
    {code: 'unavailable', what: 'store', problem: 'no quorum'},
    {code: 'outcome-unknown', commitId: '5f0c'},
  ] as const) {
    test(`with ${failure.code} reports the entries that were stored before`, async () => {
      const {store, transfer} = open({transactionOperationsMax: 1});
      const commit = store.commit.bind(store);
      let commits = 0;
      Object.assign(store, {
        commit: async (given: Commit) => {
          if (++commits > 2) throw new AppError(failure);
          return commit(given);
        },
      });
      const text = exportOf([line('a'), line('b'), line('c'), line('d')]);
      await fails(importText(transfer, text), failure.code, {...failure, imported: 2, batches: 2});
    });
  }

  test('by its source throws the error of the source', async () => {
    const {transfer} = open();
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${HEADER}\n`);
      throw new TypeError('the source failed');
    }
    await assert.rejects(transfer.import(chunks()), TypeError);
  });
});

describe('an import in mode replace', () => {
  const PREFIXED = '{"format":"crewroom-export","version":1,"prefix":"p/"}';

  for (const [name, limits, commits] of [
    ['in the same commit if they fit', {}, 1],
    ['in further commits if they do not fit', {transactionOperationsMax: 3, listLimitMax: 2}, 3],
  ] as const) {
    test(`deletes the other entries under the prefix ${name}`, async () => {
      const {store, transfer, put} = open(limits);
      for (const key of ['o', 'p/1', 'p/2', 'p/3', 'p/4', 'q']) await put(key);
      const text = exportOf([line('p/2', 2), line('p/5', 5)], PREFIXED);
      const {created, replaced, deleted, revision} = await importText(transfer, text, {mode: 'replace'});
      assert.deepEqual({created, replaced, deleted}, {created: 1, replaced: 1, deleted: 3});
      assert.deepEqual(await contentOf(store), {o: '0', 'p/2': '2', 'p/5': '5', q: '0'});
      assert.equal(revision, 6 + commits);
    });
  }

  test('keeps an entry that was written after the import began', async () => {
    const {store, transfer, put} = open({transactionOperationsMax: 2});
    await put('p/old');
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${PREFIXED}\n${line('p/1')}\n${line('p/2')}\n`);
      await put('p/new');
      yield Buffer.from(`${line('p/3')}\n{"end":true,"entries":3}\n`);
    }
    const {deleted} = await transfer.import(chunks(), {mode: 'replace'});
    assert.equal(deleted, 1);
    assert.deepEqual(Object.keys(await contentOf(store)), ['p/1', 'p/2', 'p/3', 'p/new']);
  });

  test('deletes nothing if the export is incomplete', async () => {
    const {store, transfer, put} = open();
    await put('p/old');
    await fails(importText(transfer, `${PREFIXED}\n${line('p/1')}\n`, {mode: 'replace'}), 'invalid-import');
    assert.deepEqual(Object.keys(await contentOf(store)), ['p/old']);
  });

  test('with an empty export deletes every entry under the prefix', async () => {
    const {store, transfer, put} = open();
    for (const key of ['o', 'p/1']) await put(key);
    const {deleted, batches} = await importText(transfer, exportOf([], PREFIXED), {mode: 'replace'});
    assert.deepEqual([deleted, batches, Object.keys(await contentOf(store))], [1, 0, ['o']]);
  });
});

describe('a dry run', () => {
  for (const mode of ['merge', 'replace'] as const) {
    test(`in mode ${mode} counts as the import does, and changes nothing`, async () => {
      const {store, transfer, put} = open();
      for (const key of ['a', 'b', 'c']) await put(key);
      const text = exportOf([line('b'), line('d')]);
      const {dryRun, revision, ...counted} = await importText(transfer, text, {mode, dryRun: true});
      assert.deepEqual([dryRun, revision, store.revision], [true, 3, 3]);
      const {dryRun: _, revision: __, ...imported} = await importText(transfer, text, {mode});
      assert.deepEqual(counted, imported);
    });
  }

  test('reports no stored entries if it fails', async () => {
    const {transfer} = open({transactionOperationsMax: 1});
    const text = exportOf([line('a'), line('b'), 'no JSON']);
    await fails(importText(transfer, text, {dryRun: true}), 'invalid-import', {imported: 0, batches: 0});
  });

  test('pauses between look-ups of many keys', async () => {
    const {transfer, counts} = open();
    const lines = Array.from({length: 250}, (_, index) => line(`k${index}`));
    await importText(transfer, exportOf(lines), {dryRun: true});
    assert.equal(counts().pauses, 3);
  });
});
