import assert from 'node:assert/strict';
import {describe, onTestFinished, test} from 'vitest';
import type {CheckedEntries} from '../../core/domain/commits/checked-entries.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import {assertTtl, type TtlSeconds} from '../../core/domain/commits/time-to-live.ts';
import type {Transaction, TransactionOperation} from '../../core/domain/entries/entries.ts';
import {formatEntityTag, parseKey} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS, type Limits} from '../../core/domain/limits.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
import {decodeJsonText} from '../../core/json/json-text.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {EntryService, type EntryServiceDeps} from './entry-service.ts';

const A = parseKey('a');
const B = parseKey('b');

function open(limits: Partial<Limits> = {}, deps: Partial<EntryServiceDeps> = {}) {
  const store: Store = openMemoryStore({nowMs: () => 0, elapsedMs: () => 0});
  onTestFinished(() => store[Symbol.asyncDispose]());
  const ttls: number[] = [];
  const onTtl = (ttlSeconds: number): void => void ttls.push(ttlSeconds);
  const entries = new EntryService({store, limits: {...DEFAULT_LIMITS, ...limits}, onTtl, ...deps});
  return {store, entries, ttls};
}

async function textOf(entries: CheckedEntries, key = A): Promise<string | undefined> {
  const entry = await entries.get(key);
  return entry && decodeJsonText(entry.json);
}

function seconds(ttlSeconds: number): TtlSeconds {
  assertTtl(ttlSeconds);
  return ttlSeconds;
}

function fails(promise: Promise<unknown>, code: FailureCode, members: object = {}): Promise<void> {
  return assert.rejects(promise, (error: {readonly failure?: object}) => {
    assert.deepEqual({...error.failure, code, ...members}, error.failure);
    return true;
  });
}

describe('put()', () => {
  test('stores the text without the white space around it, and nothing else changed', async () => {
    const {entries} = open();
    await entries.put(A, Buffer.from(' {"a": 1.0,  "a": 1e400}\n'));
    assert.equal(await textOf(entries), '{"a": 1.0,  "a": 1e400}');
  });

  test('reports whether the entry was created, and under which revision', async () => {
    const {store, entries} = open();
    const etagOf = (revision: number) => formatEntityTag({storeId: store.id, revision});
    assert.deepEqual(await entries.put(A, 1), {revision: 1, etag: etagOf(1), created: true});
    assert.deepEqual(await entries.put(A, 2), {revision: 2, etag: etagOf(2), created: false});
  });

  const sizes = [
    {name: 'a string of as many bytes as the limit', json: '"12345678"', fits: true},
    {name: 'a string of one byte more', json: '"123456789"', fits: false},
    {name: 'a string of fewer characters than the limit, but more bytes', json: '"€€€"', fits: false},
    {name: 'bytes up to the limit', json: Buffer.from('"12345678"'), fits: true},
    {name: 'bytes above the limit, if only by white space', json: Buffer.from(' "12345678"'), fits: false},
  ];
  for (const {name, json, fits} of sizes) {
    test(`${fits ? 'accepts' : 'refuses'} ${name}`, async () => {
      const {entries} = open({valueBytesMax: 10});
      if (fits) await entries.put(A, Buffer.from(json));
      else await fails(entries.put(A, Buffer.from(json)), 'too-large', {max: 10});
      assert.equal((await entries.get(A)) !== undefined, fits);
    });
  }

  test('refuses a value that nests deeper than the limit', async () => {
    const {entries} = open({valueDepthMax: 2});
    await entries.put(A, [[1]]);
    await fails(entries.put(A, [[[1]]]), 'value-too-deep', {depthMax: 2});
  });

  test('refuses a value that has no JSON text', async () => {
    const {entries} = open();
    await fails(entries.put(A, undefined), 'invalid-value', {key: 'a'});
  });

  test('announces a time to live after the write, and none for a refused one', async () => {
    const {entries, ttls} = open();
    await entries.put(A, 1, {ttlSeconds: seconds(7)});
    await fails(entries.put(A, 1, {ttlSeconds: seconds(8), expected: 'absent'}), 'revision-conflict');
    await entries.put(B, 1);
    assert.deepEqual(ttls, [7]);
  });
});

describe('patch()', () => {
  test('merges, and creates the entry if it is missing', async () => {
    const {entries} = open();
    await entries.patch(A, {a: 1, b: null});
    await entries.patch(A, {c: 2});
    assert.equal(await textOf(entries), '{"a":1,"c":2}');
  });

  test('refuses a patch with more members than the limit, nested ones included', async () => {
    const {entries} = open({patchMembersMax: 3});
    await entries.patch(A, {a: {b: 1, c: 2}});
    await fails(entries.patch(A, {a: {b: 1, c: 2, d: 3}}), 'too-large', {max: 3});
  });

  test('refuses a transaction whose patches have more members than the limit together, and applies none', async () => {
    const {entries} = open({patchMembersMax: 3, transactionPatchMembersMax: 5});
    const patchesOf = (...patches: object[]) =>
      entries.transact({operations: patches.map((patch, index) => ({kind: 'patch', key: `k${index}`, patch}))});
    await patchesOf({a: 1, b: 2, c: 3}, {a: 1, b: 2});
    await fails(patchesOf({a: 1, b: 3}, {a: 1, b: 2, c: 3, d: 4}), 'too-large', {max: 3});
    await fails(patchesOf({a: 4, b: 2, c: 3}, {a: 1, b: 2, c: 3}), 'too-large', {max: 5});
    assert.equal(await textOf(entries, parseKey('k0')), '{"a":1,"b":2,"c":3}');
  });

  const results = [
    {name: 'too large', limits: {valueBytesMax: 12}, code: 'too-large'},
    {name: 'too deep', limits: {valueDepthMax: 1}, code: 'value-too-deep'},
  ] as const;
  for (const {name, limits, code} of results) {
    test(`refuses a patch whose result is ${name}, and keeps the value`, async () => {
      const {entries} = open(limits);
      await entries.put(A, {a: 1});
      await fails(entries.patch(A, Buffer.from(name === 'too deep' ? '{"b":[1]}' : '{"b":1234}')), code);
      assert.equal(await textOf(entries), '{"a":1}');
    });
  }
});

describe('delete()', () => {
  test('reports a missing entry as missing, and another revision as a conflict', async () => {
    const {entries} = open();
    assert.deepEqual(await entries.delete(A), {deleted: 0, revision: 0});
    await entries.put(A, 1);
    await fails(entries.delete(A, {expected: 9}), 'revision-conflict');
    await entries.delete(A, {expected: 1});
    assert.equal(await entries.get(A), undefined);
  });
});

describe('transact()', () => {
  const put = (key: string, json = '1'): TransactionOperation => ({kind: 'put', key, value: Buffer.from(json)});
  const refused: readonly {
    readonly name: string;
    readonly transaction: Transaction;
    readonly code: FailureCode;
    readonly limits?: Partial<Limits>;
  }[] = [
    {
      name: 'more operations than the limit',
      transaction: {operations: [put('a'), put('b'), put('c')]},
      code: 'invalid-body',
    },
    {name: 'a key twice', transaction: {operations: [put('a'), put('a')]}, code: 'invalid-body'},
    {
      name: 'more checks than the limit',
      transaction: {checks: ['a', 'b', 'c'].map(key => ({key, expected: 'absent'})), operations: []},
      code: 'invalid-body',
    },
    {
      name: 'an invalid time to live',
      transaction: {operations: [{kind: 'put', key: 'a', value: 1, ttlSeconds: 0.5}]},
      code: 'invalid-body',
    },
    {name: 'an invalid key', transaction: {operations: [put('a'), put('..')]}, code: 'invalid-key'},
    {name: 'an invalid value', transaction: {operations: [put('a'), put('b', '{')]}, code: 'invalid-json'},
    {
      name: 'more bytes than the limit',
      transaction: {operations: [put('a', '"12345"'), put('b', '"12345"')]},
      code: 'too-large',
      limits: {transactionBytesMax: 13},
    },
    {
      name: 'a failed check',
      transaction: {checks: [{key: 'a', expected: 5}], operations: [put('a')]},
      code: 'revision-conflict',
    },
    {
      name: 'a touch of a missing entry',
      transaction: {operations: [put('a'), {kind: 'touch', key: 'b', ttlSeconds: 1}]},
      code: 'no-entry',
    },
  ];
  for (const {name, transaction, code, limits} of refused) {
    test(`refuses ${name}, and changes nothing`, async () => {
      const {entries, store, ttls} = open({transactionOperationsMax: 2, transactionChecksMax: 2, ...limits});
      await fails(entries.transact(transaction), code);
      assert.deepEqual([store.revision, ttls], [0, []]);
    });
  }

  test('applies every operation under one revision, and announces each time to live', async () => {
    const {entries, ttls} = open();
    await entries.put(B, 1);
    const {revision} = await entries.transact({
      operations: [
        {kind: 'put', key: 'a', value: 1, ttlSeconds: 5},
        {kind: 'touch', key: 'b', ttlSeconds: 6},
        {kind: 'patch', key: 'c', patch: {a: 1}},
        {kind: 'delete', key: 'd'},
      ],
    });
    const {entries: listed} = await entries.list();
    assert.deepEqual(
      listed.map(each => [each.key, each.revision]),
      [
        ['a', revision],
        ['b', revision],
        ['c', revision],
      ],
    );
    assert.deepEqual(ttls, [5, 6]);
  });

  test('limits the patches and the values that they patch together', async () => {
    const {entries} = open({transactionBytesMax: 20});
    await entries.put(A, {a: 12345});
    await entries.put(B, {a: 12345});
    const patches = ['a', 'b'].map(key => ({kind: 'patch', key, patch: {}}) as const);
    await fails(entries.transact({operations: patches}), 'too-large', {max: 20});
  });

  test('copies large values, which the caller may change at once', async () => {
    const {entries, store} = open();
    const json = Buffer.from(`"${'x'.repeat(300 * 1024)}"`);
    const transacted = entries.transact({
      operations: ['a', 'b'].map(key => ({kind: 'put', key, value: Buffer.from(json)})),
    });
    json.fill(0);
    await transacted;
    for (const key of [A, B]) assert.equal((await store.get(key))?.json[1], 0x78);
  });

  test('refuses more bytes than the limit before it reads them', async () => {
    const {entries} = open({transactionBytesMax: 20});
    const operations = [put('a', '{'.repeat(21))];
    await fails(entries.transact({operations}), 'too-large', {max: 20});
  });
});

describe('list()', () => {
  async function fill(limits: Partial<Limits>, count: number): Promise<CheckedEntries> {
    const {entries} = open(limits);
    for (let index = 0; index < count; index++) await entries.put(parseKey(`k${index}`), '1234');
    return entries;
  }

  test('has as many entries on a page as the limit says, and a cursor only if another page follows', async () => {
    const entries = await fill({listLimit: 2}, 4);
    const first = await entries.list();
    assert.deepEqual([first.entries.map(({key}) => key), first.cursor], [['k0', 'k1'], 'k1']);
    const second = await entries.list({after: 'k1'});
    assert.deepEqual([second.entries.map(({key}) => key), second.cursor], [['k2', 'k3'], undefined]);
  });

  test('ends a page with values at the limit of bytes, and gives a cursor only if an entry follows', async () => {
    const entries = await fill({listValuesBytesMax: 7}, 3);
    const first = await entries.list({values: true});
    assert.deepEqual([first.entries.length, first.cursor], [2, 'k1']);
    const last = await entries.list({values: true, prefix: 'k1'});
    assert.deepEqual([last.entries.length, last.cursor], [1, undefined]);
  });

  for (const limit of [0, 11, 1.5, Number.NaN]) {
    test(`refuses ${limit} as a limit if 10 is the largest`, async () => {
      const {entries} = open({listLimitMax: 10});
      await fails(entries.list({limit}), 'invalid-parameter', {
        parameter: 'limit',
        problem: 'it has to be a whole number from 1 to 10',
      });
    });
  }

  test('refuses a prefix and a cursor that no key can have', async () => {
    const {entries} = open();
    await fails(entries.list({prefix: '\n'}), 'invalid-parameter', {parameter: 'prefix'});
    await fails(entries.list({after: ''}), 'invalid-parameter', {parameter: 'after'});
  });

  test('deleteRange() deletes page by page, only under the prefix, and counts', async () => {
    const entries = await fill({listLimitMax: 2}, 5);
    await entries.put(A, 1);
    assert.equal(await entries.deleteRange({prefix: 'k'}), 5);
    const {entries: left} = await entries.list({limit: 2});
    assert.deepEqual(
      left.map(({key}) => key),
      ['a'],
    );
  });
});
