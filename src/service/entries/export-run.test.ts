import assert from 'node:assert/strict';
import {describe, onTestFinished, test} from 'vitest';
import type {Store} from '../../core/domain/commits/store.ts';
import {EXPORT_PAGE_ENTRIES_MAX, type Export} from '../../core/domain/commits/transfer.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {createTransferService} from './transfer-service.ts';

function open() {
  let pauses = 0;
  let snapshots = 0;
  const store: Store = openMemoryStore({nowMs: () => 0, elapsedMs: () => 0});
  onTestFinished(() => store[Symbol.asyncDispose]());
  const counting: Store = Object.assign(Object.create(store) as Store, {
    snapshot: async () => {
      const snapshot = await store.snapshot();
      snapshots++;
      return {
        revision: snapshot.revision,
        list: snapshot.list.bind(snapshot),
        [Symbol.asyncDispose]: async () => {
          snapshots--;
          await snapshot[Symbol.asyncDispose]();
        },
      };
    },
  });
  const transfer = createTransferService({
    store: counting,
    nowMs: () => 0,
    pause: async () => void pauses++,
    onExpiringEntries: () => {},
  });
  const put = (...keys: string[]) =>
    store.commit({
      checks: [],
      operations: keys.map(key => ({kind: 'put', key: parseKey(key), json: encodeJsonText('1.0')})),
    });
  return {store, transfer, put, counts: () => ({pauses, snapshots})};
}

async function linesOf(exported: Export): Promise<readonly string[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of exported) chunks.push(chunk);
  return Buffer.concat(chunks).toString().trimEnd().split('\n');
}

describe('an export', () => {
  test('has a header, the entries in the order of their keys, and a trailer that counts them', async () => {
    const {transfer, put} = open();
    await put('b', 'a');
    const exported = await transfer.export();
    assert.equal(exported.revision, 1);
    assert.deepEqual(await linesOf(exported), [
      '{"format":"crewroom-export","version":1,"revision":"1","prefix":""}',
      '{"key":"a","revision":"1","updatedAt":"1970-01-01T00:00:00.000Z","value":1.0}',
      '{"key":"b","revision":"1","updatedAt":"1970-01-01T00:00:00.000Z","value":1.0}',
      '{"end":true,"entries":2}',
    ]);
  });

  test('of an empty store has a header and a trailer', async () => {
    const {transfer} = open();
    assert.equal((await linesOf(await transfer.export())).length, 2);
  });

  test('has only the entries under its prefix', async () => {
    const {transfer, put} = open();
    await put('a', 'p/1', 'p/2', 'q');
    const lines = await linesOf(await transfer.export({prefix: 'p/'}));
    assert.deepEqual(
      lines.slice(1, -1).map(line => line.slice(8, 11)),
      ['p/1', 'p/2'],
    );
  });

  test('refuses a prefix that no key can have, before it takes a snapshot', async () => {
    const {transfer, counts} = open();
    await assert.rejects(transfer.export({prefix: '\u0000'}), {
      failure: {code: 'invalid-parameter', parameter: 'prefix', problem: 'it contains a control character'},
    });
    assert.equal(counts().snapshots, 0);
  });

  test('shows the entries of its revision, whatever is written meanwhile', async () => {
    const {store, transfer, put} = open();
    await put('a');
    const exported = await transfer.export();
    await put('b');
    await store.commit({checks: [], operations: [{kind: 'delete', key: parseKey('a')}]});
    const lines = await linesOf(exported);
    assert.deepEqual(
      lines.slice(1, -1).map(line => line.slice(8, 9)),
      ['a'],
    );
  });

  test('reads page by page, with a pause after each', async () => {
    const {transfer, put, counts} = open();
    await put(...Array.from({length: EXPORT_PAGE_ENTRIES_MAX + 1}, (_, index) => `k${index}`));
    const lines = await linesOf(await transfer.export());
    assert.equal(lines.length, EXPORT_PAGE_ENTRIES_MAX + 3);
    assert.equal(counts().pauses, 2);
  });
});

describe('the snapshot of an export', () => {
  test('is released at the end', async () => {
    const {transfer, put, counts} = open();
    await put('a');
    const exported = await transfer.export();
    assert.equal(counts().snapshots, 1);
    await linesOf(exported);
    assert.equal(counts().snapshots, 0);
    assert.deepEqual(await exported.next(), {done: true, value: undefined});
  });

  for (const [name, readBefore] of [
    ['before its first chunk', 0],
    ['after its first chunk', 1],
  ] as const) {
    test(`is released if the export is ended ${name}`, async () => {
      const {transfer, put, counts} = open();
      await put('a');
      const exported = await transfer.export();
      for (let index = 0; index < readBefore; index++) await exported.next();
      await exported.return();
      await exported.return();
      assert.equal(counts().snapshots, 0);
      assert.deepEqual(await exported.next(), {done: true, value: undefined});
    });
  }

  test('is released if the first page cannot be read', async () => {
    const {store, transfer, put, counts} = open();
    await put('a');
    await store[Symbol.asyncDispose]();
    await assert.rejects(transfer.export(), {failure: {code: 'store-closed'}});
    assert.equal(counts().snapshots, 0);
  });
});
