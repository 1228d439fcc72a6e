import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Operation, PatchLimits} from '../../core/domain/commits/commit.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {encodeJsonText, trustStoredJson} from '../../core/json/json-text.ts';
import {type FoundEntry, resolveOperations} from './plan.ts';

/** Resolves one operation on the key "a". Values are shown as text. */
function resolve(operation: Operation, found?: FoundEntry, limits?: PatchLimits): unknown {
  const [resolved] = resolveOperations({operations: [operation], limits}, () => found);
  return resolved?.kind === 'put' ? {...resolved, json: Buffer.from(resolved.json).toString()} : resolved;
}

const KEY = parseKey('a');
const FOUND: FoundEntry = {json: encodeJsonText('{"a":1}'), expiresAtMs: 5000};

function patch(text: string): Operation {
  return {kind: 'patch', key: KEY, patch: encodeJsonText(text)};
}

describe('resolveOperations()', () => {
  test('keeps puts and deletes as they are, without looking for their entries', () => {
    const operations: Operation[] = [
      {kind: 'put', key: KEY, json: encodeJsonText('1')},
      {kind: 'delete', key: KEY},
    ];
    const resolved = resolveOperations({operations}, () => assert.fail('looked'));
    assert.deepEqual(resolved, operations);
  });

  test('merges a patch into the entry, whose expiry stays', () => {
    const expiry = {kind: 'at', expiresAtMs: 5000};
    assert.deepEqual(resolve(patch('{"b":2}'), FOUND), {kind: 'put', key: KEY, json: '{"a":1,"b":2}', expiry});
  });

  test('creates an entry without expiry if a patched one is missing', () => {
    assert.deepEqual(resolve(patch('{"b":2,"c":null}')), {kind: 'put', key: KEY, json: '{"b":2}'});
  });

  test('converts a touch into a put of the same value', () => {
    const expiry = {kind: 'after', ttlSeconds: 60} as const;
    assert.deepEqual(resolve({kind: 'touch', key: KEY, expiry}, FOUND), {
      kind: 'put',
      key: KEY,
      json: '{"a":1}',
      expiry,
    });
    assert.deepEqual(resolve({kind: 'touch', key: KEY}, FOUND), {
      kind: 'put',
      key: KEY,
      json: '{"a":1}',
      expiry: undefined,
    });
  });

  test('copies the value of a touched entry, so that it does not keep the buffer of another commit in memory', () => {
    const buffer = Buffer.alloc(1000, '1');
    const found: FoundEntry = {json: trustStoredJson(buffer.subarray(10, 20))};
    const touch: Operation = {kind: 'touch', key: KEY};
    const [put] = resolveOperations({operations: [touch]}, () => found);
    assert.ok(put?.kind === 'put');
    assert.deepEqual([put.json.length, put.json.buffer.byteLength], [10, 10]);
  });

  test('refuses to touch an entry that does not exist', () => {
    assert.throws(() => resolve({kind: 'touch', key: KEY}), {failure: {code: 'no-entry', key: 'a'}});
  });

  const limits = {valueBytesMax: 13, valueDepthMax: 2};
  test('accepts a result of exactly the limits', () => {
    assert.doesNotThrow(() => resolve(patch('{"b":2}'), FOUND, {...limits, patchedBytesMax: 14}));
  });

  const refused = [
    {name: 'a result that is too large', text: '{"b":22}', failure: {code: 'too-large', what: 'value', max: 13}},
    {
      name: 'a result that is too deep',
      text: '{"b":{"":[]}}',
      failure: {code: 'value-too-deep', depthMax: 2, position: 15},
    },
  ];
  for (const {name, text, failure} of refused) {
    test(`refuses ${name}`, () => {
      assert.throws(() => resolve(patch(text), FOUND, limits), {failure});
    });
  }

  test('counts all patches and the values that they patch together', () => {
    const operations = [patch('{}'), {...patch('{}'), key: parseKey('b')}];
    const bytes = 2 * (FOUND.json.length + 2);
    const run = (patchedBytesMax: number): unknown =>
      resolveOperations({operations, limits: {...limits, patchedBytesMax}}, () => FOUND);
    assert.doesNotThrow(() => run(bytes));
    assert.throws(() => run(bytes - 1), {failure: {code: 'too-large', what: 'transaction', max: bytes - 1}});
  });
});
