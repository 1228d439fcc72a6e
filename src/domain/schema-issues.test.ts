import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import * as z from 'zod';
import {describeIssues} from './schema-issues.ts';

/** Describes the problems that a schema of zod finds. */
function problemsOf(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, {reportInput: true});
  return result.success ? [] : describeIssues(result.error.issues);
}

const WRONG_TYPES: readonly (readonly [schema: z.ZodType, value: unknown, problem: string])[] = [
  [z.string(), 1, 'is a number and has to be a string'],
  [z.string(), null, 'is null and has to be a string'],
  [z.string(), ['a'], 'is an array and has to be a string'],
  [z.number(), '1', 'is a string and has to be a number'],
  [z.number(), true, 'is true and has to be a number'],
  [z.number(), {}, 'is an object and has to be a number'],
  [z.boolean(), 0, 'is a number and has to be true or false'],
  [z.boolean(), 'true', 'is a string and has to be true or false'],
  [z.object({}), [], 'is an array and has to be an object'],
  [z.object({}), false, 'is false and has to be an object'],
  [z.record(z.string(), z.string()), 1, 'is a number and has to be an object'],
  [z.array(z.string()), {}, 'is an object and has to be an array'],
  [z.date(), 'x', 'is a string and has to be date'],
];

describe('describeIssues()', () => {
  for (const [schema, value, problem] of WRONG_TYPES) {
    test(`says that ${JSON.stringify(value)} ${problem}`, () => {
      assert.deepEqual(problemsOf(z.object({a: schema}), {a: value}), [{path: '$.a', problem}]);
    });
  }

  test('says that a member is missing, not that it is undefined', () => {
    const schema = z.object({a: z.string(), b: z.object({c: z.number()})});
    assert.deepEqual(problemsOf(schema, {b: {}}), [
      {path: '$.a', problem: 'is missing'},
      {path: '$.b.c', problem: 'is missing'},
    ]);
  });

  test('repeats the message of a rule of the schema', () => {
    const schema = z.object({url: z.string().endsWith('/', 'does not end in "/"')});
    assert.deepEqual(problemsOf(schema, {url: 'https://a.example'}), [{path: '$.url', problem: 'does not end in "/"'}]);
  });

  test('names elements by their index, and the whole document by $', () => {
    assert.deepEqual(problemsOf(z.array(z.object({'a b': z.string()})), [{'a b': ''}, {'a b': 1}]), [
      {path: '$[1]["a b"]', problem: 'is a number and has to be a string'},
    ]);
    assert.deepEqual(problemsOf(z.object({}), 'x'), [{path: '$', problem: 'is a string and has to be an object'}]);
  });

  test('describes a hundred problems at most, the first ones', () => {
    const describe = (count: number): readonly unknown[] =>
      problemsOf(
        z.array(z.string()),
        Array.from({length: count}, () => 1),
      ) as readonly unknown[];
    assert.equal(describe(100).length, 100);
    assert.deepEqual(describe(101), describe(100));
  });
});
