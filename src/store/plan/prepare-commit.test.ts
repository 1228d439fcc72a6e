import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Principal} from '../../domain/access/access.ts';
import type {PutOperation} from '../../domain/commits/commit.ts';
import {parseKey} from '../../domain/entries/key.ts';
import {encodeJsonText, type JsonText} from '../../json/json-text.ts';
import {beginEntryRecord, decodeEntryRecord, endEntryRecord} from '../format/entry-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import {prepareCommit, recordOf} from './prepare-commit.ts';

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

  test('returns a record for the result of a patch or a touch', () => {
    const [put] = puts([10]);
    assert.ok(put !== undefined);
    const record = recordOf(put, 'owner');
    endEntryRecord(record, put.key, {revision: 1, updatedAtMs: 1});
    assert.equal(decodeEntryRecord(put.key, record).writtenBy, 'owner');
  });
});
