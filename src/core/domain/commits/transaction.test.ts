import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {AppError} from '../../failures/app-error.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import type {Transaction} from '../entries/entries.ts';
import {assertTransaction, describeTtl, findTtlProblems, invalidTransaction} from './transaction.ts';

const LIMITS = {transactionChecksMax: 2, transactionOperationsMax: 3};
const TTL = 'has to be a whole number of seconds from 1 to 315360000';

function put(key: string, ttlSeconds?: number): Transaction['operations'][number] {
  return {kind: 'put', key, value: 1, ttlSeconds};
}

const ACCEPTED: readonly {readonly name: string; readonly transaction: Transaction}[] = [
  {name: 'no operations', transaction: {operations: []}},
  {name: 'as many operations as allowed', transaction: {operations: [put('a'), put('b'), put('c')]}},
  {
    name: 'one key in a check and in an operation',
    transaction: {checks: [{key: 'a', expected: 1}], operations: [put('a')]},
  },
  {
    name: 'as many checks as allowed',
    transaction: {checks: ['a', 'b'].map(key => ({key, expected: 'absent'})), operations: []},
  },
  {
    name: 'keys that differ only in their case or their form, or are names of the language',
    transaction: {operations: [put('é'), put('e\u0301'), put('__proto__')]},
  },
  {
    name: 'the shortest and the longest time to live',
    transaction: {operations: [put('a', 1), {kind: 'touch', key: 'b', ttlSeconds: 315_360_000}]},
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
    name: 'a key that three operations have, each with the first one',
    transaction: {operations: [put('a'), put('a'), put('a')]},
    problems: [
      ['$.operations[1].key', 'is the same as $.operations[0].key'],
      ['$.operations[2].key', 'is the same as $.operations[0].key'],
    ],
  },
  {
    name: 'problems of checks and operations at once, in their order',
    transaction: {
      checks: [
        {key: 'a', expected: 1},
        {key: 'a', expected: 1},
      ],
      operations: [put('b', 0), put('b')],
    },
    problems: [
      ['$.checks[1].key', 'is the same as $.checks[0].key'],
      ['$.operations[1].key', 'is the same as $.operations[0].key'],
      ['$.operations[0].ttlSeconds', TTL],
    ],
  },
  {
    name: 'too many checks and too many operations at once',
    transaction: {
      checks: ['a', 'b', 'c'].map(key => ({key, expected: 'absent'})),
      operations: [put('a'), put('b'), put('c'), put('d')],
    },
    problems: [
      ['$.checks', 'has more than 2 elements'],
      ['$.operations', 'has more than 3 elements'],
    ],
  },
  {
    name: 'a touch without a time to live',
    transaction: {operations: [{kind: 'touch', key: 'a'} as unknown as Transaction['operations'][number]]},
    problems: [['$.operations[0].ttlSeconds', `${TTL}, or null`]],
  },
  {
    name: 'a time to live of a second more than the longest',
    transaction: {operations: [put('a', 315_360_001)]},
    problems: [['$.operations[0].ttlSeconds', TTL]],
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
        failure: {
          code: 'invalid-body',
          what: 'transaction',
          problems: problems.map(([path, problem]) => ({path, problem})),
        },
      });
    });
  }
});

test('assertTransaction() names each key that came before, and where it came first', () => {
  const anyKeys = fc.array(fc.constantFrom('a', 'b', 'c', '__proto__'), {maxLength: 8});
  const limits = {transactionChecksMax: 8, transactionOperationsMax: 8};
  fc.assert(
    fc.property(anyKeys, anyKeys, (checked, changed) => {
      const transaction: Transaction = {
        checks: checked.map(key => ({key, expected: 'absent'})),
        operations: changed.map(key => ({kind: 'delete', key})),
      };
      const expected = [...repeats('$.checks', checked), ...repeats('$.operations', changed)];
      assert.deepEqual(
        problemsOf(() => assertTransaction(transaction, limits)),
        expected,
      );
    }),
  );
});

describe('findTtlProblems()', () => {
  test('ignores operations that have no time to live', () => {
    const operations = [
      {kind: 'delete', key: 'a', ttlSeconds: 0},
      {kind: 'patch', key: 'a', patch: '{}', ttlSeconds: 0},
    ] as const;
    assert.deepEqual(findTtlProblems(operations, {transactionOperationsMax: 2}), []);
  });

  test('checks as many operations as allowed, and none if there are too many', () => {
    const operations = [put('a', 0), put('b', 0)];
    assert.equal(findTtlProblems(operations, {transactionOperationsMax: 2}).length, 2);
    assert.deepEqual(findTtlProblems(operations, {transactionOperationsMax: 1}), []);
  });
});

test('describeTtl() offers null to a touch only, since a put without a time to live is for ever', () => {
  assert.equal(describeTtl('put'), TTL);
  assert.equal(describeTtl('touch'), `${TTL}, or null`);
});

test('invalidTransaction() reports a hundred problems at most', () => {
  const problems = Array.from({length: 101}, (_, index) => ({path: `$[${index}]`, problem: 'x'}));
  for (const count of [1, 99, 100]) {
    const {failure} = invalidTransaction(problems.slice(0, count));
    assert.deepEqual(failure, {code: 'invalid-body', what: 'transaction', problems: problems.slice(0, count)});
  }
  assert.deepEqual(invalidTransaction(problems).failure, {
    code: 'invalid-body',
    what: 'transaction',
    problems: problems.slice(0, 100),
  });
});

/** Returns the problem of each key that the list has before, found by a search from its beginning. */
function repeats(path: string, keys: readonly string[]): readonly DocumentProblem[] {
  return keys.flatMap((key, index) => {
    const first = keys.indexOf(key);
    if (first === index) return [];
    return [{path: `${path}[${index}].key`, problem: `is the same as ${path}[${first}].key`}];
  });
}

function problemsOf(run: () => void): readonly DocumentProblem[] {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError && error.failure?.code === 'invalid-body') return error.failure.problems;
    throw error;
  }
  return [];
}
