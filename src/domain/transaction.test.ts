import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Transaction} from './entries.ts';
import {assertTransaction, invalidTransaction, TRANSACTION_PROBLEMS_MAX} from './transaction.ts';

const LIMITS = {transactionChecksMax: 2, transactionOperationsMax: 3};
const TTL = 'has to be a whole number of seconds from 1 to 315360000';

function put(key: string, ttlSeconds?: number): Transaction['operations'][number] {
  return {kind: 'put', key, json: '1', ttlSeconds};
}

const ACCEPTED: readonly {readonly name: string; readonly transaction: Transaction}[] = [
  {name: 'no operations', transaction: {operations: []}},
  {name: 'as many operations as allowed', transaction: {operations: [put('a'), put('b'), put('c')]}},
  {
    name: 'one key in a check and in an operation',
    transaction: {checks: [{key: 'a', expected: 1}], operations: [put('a')]},
  },
  {
    name: 'a time to live that a touch removes',
    transaction: {operations: [{kind: 'touch', key: 'a', ttlSeconds: null}]},
  },
];

const REFUSED: readonly {
  readonly name: string;
  readonly transaction: Transaction;
  readonly problems: readonly (readonly [path: string, problem: string])[];
}[] = [
  {
    name: 'more operations than allowed, without a look at them',
    transaction: {operations: [put('a', 0), put('a'), put('a'), put('a')]},
    problems: [['$.operations', 'has more than 3 elements']],
  },
  {
    name: 'more checks than allowed',
    transaction: {checks: ['a', 'b', 'c'].map(key => ({key, expected: 'absent'})), operations: []},
    problems: [['$.checks', 'has more than 2 elements']],
  },
  {
    name: 'a key that two operations have',
    transaction: {operations: [put('a'), put('b'), {kind: 'delete', key: 'a'}]},
    problems: [['$.operations[2].key', 'is the same as $.operations[0].key']],
  },
  {
    name: 'a key that two checks have',
    transaction: {
      checks: [
        {key: 'a', expected: 1},
        {key: 'a', expected: 2},
      ],
      operations: [],
    },
    problems: [['$.checks[1].key', 'is the same as $.checks[0].key']],
  },
  {
    name: 'every invalid time to live at once',
    transaction: {operations: [put('a', 0), put('b', 60), {kind: 'touch', key: 'c', ttlSeconds: 1.5}]},
    problems: [
      ['$.operations[0].ttlSeconds', TTL],
      ['$.operations[2].ttlSeconds', `${TTL}, or null`],
    ],
  },
  {
    name: 'null as the time to live of a put',
    transaction: {operations: [{...put('a'), ttlSeconds: null} as unknown as Transaction['operations'][number]]},
    problems: [['$.operations[0].ttlSeconds', TTL]],
  },
];

describe('assertTransaction()', () => {
  for (const {name, transaction} of ACCEPTED) {
    test(`accepts ${name}`, () => {
      assert.doesNotThrow(() => assertTransaction(transaction, LIMITS));
    });
  }
  for (const {name, transaction, problems} of REFUSED) {
    test(`refuses ${name}`, () => {
      assert.throws(() => assertTransaction(transaction, LIMITS), {
        failure: {code: 'invalid-transaction', problems: problems.map(([path, problem]) => ({path, problem}))},
      });
    });
  }
});

test('invalidTransaction() reports only the first problems', () => {
  const problems = Array.from({length: TRANSACTION_PROBLEMS_MAX + 1}, (_, index) => ({
    path: `$[${index}]`,
    problem: 'x',
  }));
  assert.deepEqual(invalidTransaction(problems).failure, {
    code: 'invalid-transaction',
    problems: problems.slice(0, -1),
  });
});
