import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Principal} from '../../core/domain/access/access.ts';
import type {PutOperation} from '../../core/domain/commits/commit.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {encodeJsonText, type JsonText} from '../../core/json/json-text.ts';
import {beginEntryRecord, decodeEntryRecord, endEntryRecord} from '../format/entry-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {Plan, PlannedWrite, StoreOperation} from './plan.ts';
import {isDeletion, prepareCommit, recordOf, sizeOfCommit, sizeOfPlans, writtenBytesOf} from './prepare-commit.ts';

/** Sizes of values around that from which records begin at the call, in bytes. */
const SIZES = [2, 200, 4095, 4096, 4097, 70_000];

const PRINCIPALS: readonly (Principal | undefined)[] = [undefined, 'owner', 'plugin:com.example.hello'];

function textOf(sizeBytes: number, letter: string): JsonText {
  return encodeJsonText(`"${letter.repeat(sizeBytes - 2)}"`);
}

function puts(sizes: readonly number[]): readonly PutOperation[] {
  return sizes.map((sizeBytes, index) => ({
    kind: 'put',
    key: parseKey(`key ${index}`),
    json: textOf(sizeBytes, 'abcdef'[index] ?? 'z'),
  }));
}

/** Prepares a commit, changes the bytes of its caller, and returns its puts. */
function prepare(operations: readonly PutOperation[], writtenBy?: Principal): readonly PutOperation[] {
  const given = operations.map(operation => ({...operation, json: new Uint8Array(operation.json) as JsonText}));
  const prepared = prepareCommit({checks: [], operations: given, writtenBy});
  for (const {json} of given) json.fill(0);
  return prepared.operations as readonly PutOperation[];
}

describe('prepareCommit()', () => {
  for (const sizes of [...SIZES.map(size => [size]), SIZES, SIZES.toReversed()])
    test(`copies values of ${sizes.join(', ')} bytes`, () => {
      const operations = puts(sizes);
      const prepared = prepare(operations);
      for (const [index, {key, json}] of operations.entries()) {
        assert.equal(prepared[index]?.key, key);
        assert.deepEqual(Buffer.from(prepared[index]?.json ?? []), Buffer.from(json));
      }
    });

  test('copies patches', () => {
    const patch = encodeJsonText('{"a":1}');
    const {operations} = prepareCommit({checks: [], operations: [{kind: 'patch', key: parseKey('a'), patch}]});
    patch.fill(0);
    assert.deepEqual(operations, [{kind: 'patch', key: parseKey('a'), patch: encodeJsonText('{"a":1}')}]);
  });

  test('keeps other operations in their places', () => {
    const [first, last] = puts([10, 20]);
    const removal = {kind: 'delete', key: parseKey('b')} as const;
    const patch = {kind: 'patch', key: parseKey('c'), patch: encodeJsonText('{"a":1}')} as const;
    assert.ok(first !== undefined && last !== undefined);
    const {operations} = prepareCommit({checks: [], operations: [first, removal, patch, last]});
    assert.deepEqual(
      operations.map(({kind, key}) => [kind, key]),
      [first, removal, patch, last].map(({kind, key}) => [kind, key]),
    );
  });
});

describe('recordOf()', () => {
  for (const writtenBy of PRINCIPALS)
    test(`returns the record that begins at the call, for values of any size, written by ${writtenBy}`, () => {
      const operations = puts(SIZES);
      const prepared = prepare(operations, writtenBy);
      for (const [index, put] of prepared.entries()) {
        const {key, json} = operations[index] as PutOperation;
        const header = {revision: 7, updatedAtMs: 1000, expiresAtMs: undefined};
        const atCall = beginEntryRecord(json, encodePrincipal(writtenBy));
        const later = recordOf(put, writtenBy);
        for (const record of [atCall, later]) endEntryRecord(record, key, header);
        assert.deepEqual(later, atCall);
        assert.deepEqual(Buffer.from(decodeEntryRecord(key, later).json), Buffer.from(json));
      }
    });

  test('returns the same record again, which a list and then the tree need', () => {
    for (const put of prepare(puts(SIZES))) assert.equal(recordOf(put, undefined), recordOf(put, undefined));
  });

  test('returns a record for the result of a patch or a touch, which it does not keep', () => {
    const [put] = puts([10]);
    assert.ok(put !== undefined);
    const record = recordOf(put, 'owner');
    assert.notEqual(recordOf(put, 'owner'), record);
    endEntryRecord(record, put.key, {revision: 1, updatedAtMs: 1});
    assert.equal(decodeEntryRecord(put.key, record).writtenBy, 'owner');
  });
});

describe('the estimated size of what is written', () => {
  const PAGE_BYTES = 4096;
  const [small, large] = puts([100, 70_000]) as [PutOperation, PutOperation];
  const KEY = parseKey('a');
  /** A value is in the tree, and once more in the change log if it is small. */
  const SMALL_BYTES = PAGE_BYTES + 2 * 100;
  const LARGE_BYTES = PAGE_BYTES + 70_000 + 64 * 1024;
  const cases: readonly {readonly operation: StoreOperation; readonly present?: number; readonly bytes: number}[] = [
    {operation: small, bytes: SMALL_BYTES},
    {operation: large, bytes: LARGE_BYTES},
    {operation: {kind: 'delete', key: KEY}, present: 500, bytes: PAGE_BYTES},
    {operation: {kind: 'expire', key: KEY, expiresAtMs: 1}, present: 500, bytes: PAGE_BYTES},
    {operation: {kind: 'touch', key: KEY}, present: 100, bytes: SMALL_BYTES},
    {operation: {kind: 'touch', key: KEY}, bytes: PAGE_BYTES},
    {operation: {kind: 'patch', key: KEY, patch: textOf(40, 'p')}, present: 60, bytes: SMALL_BYTES},
    {operation: {kind: 'patch', key: KEY, patch: textOf(70_000, 'p')}, bytes: LARGE_BYTES},
  ];
  for (const {operation, present = 0, bytes} of cases)
    test(`is ${bytes} bytes for a ${operation.kind} over ${present} bytes`, () => {
      const sizeOf = (operations: readonly StoreOperation[]): number =>
        sizeOfCommit({checks: [], operations}, key => (key === KEY ? present : 1_000_000));
      assert.equal(sizeOf([operation]), bytes);
      assert.equal(sizeOf([operation, operation]), 2 * bytes);
    });

  test('is that of the last write of each key of a plan', () => {
    const plan = (...written: readonly (PutOperation | undefined)[]): Plan => {
      const common = {revision: 1, updatedAtMs: 1, expiresAtMs: undefined, expiredAtMs: undefined};
      const writes = written.map((put, index): [typeof KEY, PlannedWrite] => [parseKey(`${index}`), {...common, put}]);
      const rest = {changes: [], stale: [], seenExpiryMs: 0, revision: 1, nowMs: 1, updatedAtMs: 1, results: []};
      return {...rest, writes: new Map(writes)};
    };
    assert.equal(sizeOfPlans([]), 0);
    assert.equal(sizeOfPlans([plan(small, large), plan(undefined)]), SMALL_BYTES + LARGE_BYTES + PAGE_BYTES);
  });

  test('counts values alone in what was written', () => {
    const put = {kind: 'put', key: KEY, revision: 1} as const;
    const removal = {kind: 'delete', key: KEY, revision: 2} as const;
    assert.equal(writtenBytesOf([{...put, sizeBytes: 5}, removal, {...put, sizeBytes: 7}]), 12);
  });
});

describe('isDeletion()', () => {
  const removal = {kind: 'delete', key: parseKey('a')} as const;
  const cases: readonly {
    readonly name: string;
    readonly operations: readonly StoreOperation[];
    readonly is: boolean;
  }[] = [
    {name: 'nothing', operations: [], is: true},
    {name: 'removals', operations: [removal, {kind: 'expire', key: parseKey('b'), expiresAtMs: 1}], is: true},
    {name: 'a removal and a put', operations: [removal, ...puts([2])], is: false},
    {name: 'a touch', operations: [{kind: 'touch', key: parseKey('a')}], is: false},
  ];
  for (const {name, operations, is} of cases)
    test(`is ${is} for ${name}`, () => assert.equal(isDeletion({checks: [], operations}), is));
});
