import assert from 'node:assert/strict';
import {test} from 'vitest';
import {VALUE_DEPTH_MAX} from '../json/json-limits.ts';
import {KEY_BYTES_MAX, TRANSACTION_OPERATIONS_MAX, TTL_SECONDS_MAX} from './fixed-limits.ts';
import {DEFAULT_LIMITS} from './limits.ts';

test('clients check the limits that the service has', () => {
  const {keyBytesMax, transactionOperationsMax, ttlSecondsMax, valueDepthMax} = DEFAULT_LIMITS;
  assert.deepEqual(
    [KEY_BYTES_MAX, TRANSACTION_OPERATIONS_MAX, TTL_SECONDS_MAX, VALUE_DEPTH_MAX],
    [keyBytesMax, transactionOperationsMax, ttlSecondsMax, valueDepthMax],
  );
});

test('the limits of keys, transactions and depth are those of the documentation', () => {
  assert.deepEqual([KEY_BYTES_MAX, TRANSACTION_OPERATIONS_MAX, VALUE_DEPTH_MAX], [512, 1000, 256]);
});

test('the embedded engine accepts the longest key with the name of a plugin before it', () => {
  assert.ok(KEY_BYTES_MAX <= 1978 - 255);
});

test('the longest time to live is ten years', () => {
  assert.equal(TTL_SECONDS_MAX, 10 * 365 * 24 * 60 * 60);
  assert.equal(TTL_SECONDS_MAX, 315_360_000);
});
