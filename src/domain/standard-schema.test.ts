import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {type StandardResult, type StandardSchema, validateValue} from './standard-schema.ts';

function schemaOf<T>(validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>): StandardSchema<T> {
  return {'~standard': {version: 1, vendor: 'test', validate}};
}

describe('validateValue()', () => {
  test('waits for a schema that answers later', async () => {
    assert.equal(
      await validateValue(
        'k',
        1,
        schemaOf(async value => ({value})),
      ),
      1,
    );
  });

  test('reports every issue with its path, in both forms of the standard', async () => {
    const issues = [
      {message: 'has to be a number', path: ['list', 0, 'a b']},
      {message: 'is missing', path: [{key: 'x'}, {key: 1}]},
      {message: 'is wrong'},
    ];
    await assert.rejects(
      validateValue(
        'k',
        {},
        schemaOf(() => ({issues})),
      ),
      {
        failure: {
          code: 'invalid-value',
          key: 'k',
          problems: [
            {path: '$.list[0]["a b"]', problem: 'has to be a number'},
            {path: '$.x[1]', problem: 'is missing'},
            {path: '$', problem: 'is wrong'},
          ],
        },
      },
    );
  });
});
