import assert from 'node:assert/strict';
import * as v from 'valibot';
import {describe, test} from 'vitest';
import {type StandardResult, type StandardSchema, validateValue} from './typed-entry.ts';

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

  for (const value of [undefined, null, 0, '', false]) {
    test(`returns ${JSON.stringify(value)} if that is the output`, async () => {
      assert.equal(
        await validateValue(
          'k',
          'input',
          schemaOf(() => ({value})),
        ),
        value,
      );
    });
  }

  test('passes the value to the schema as it is, and only once', async () => {
    const given: unknown[] = [];
    const value = {a: 1};
    await validateValue(
      'k',
      value,
      schemaOf(each => {
        given.push(each);
        return {value: each};
      }),
    );
    assert.equal(given.length, 1);
    assert.equal(given[0], value);
  });

  test('rejects with the issues of a schema that answers later', async () => {
    const schema = schemaOf<number>(async () => ({issues: [{message: 'is too late', path: ['at']}]}));
    await assert.rejects(validateValue('k', 1, schema), {
      failure: {code: 'invalid-value', key: 'k', problems: [{path: '$.at', problem: 'is too late'}]},
    });
  });

  test('rejects with the error of a schema that fails, which is a defect of the schema', async () => {
    const defect = new TypeError('x is not a function');
    const failing = schemaOf<number>(() => {
      throw defect;
    });
    await assert.rejects(validateValue('k', 1, failing), defect);
    await assert.rejects(
      validateValue(
        'k',
        1,
        schemaOf<number>(async () => Promise.reject(defect)),
      ),
      defect,
    );
  });

  test('names an issue at a symbol by the name of the symbol', async () => {
    const issues = [
      {message: 'is wrong', path: [Symbol('a')]},
      {message: 'is wrong', path: [{key: Symbol('b')}]},
    ];
    await assert.rejects(
      validateValue(
        'k',
        1,
        schemaOf<number>(() => ({issues})),
      ),
      error => {
        assert.match(String(error), /\$\["Symbol\(a\)"\] is wrong; \$\["Symbol\(b\)"\] is wrong/);
        return true;
      },
    );
  });

  describe('with a schema of valibot', () => {
    const Settings = v.object({volume: v.pipe(v.number(), v.maxValue(1)), mode: v.optional(v.string(), 'day')});

    test('returns its output, with the type of the output', async () => {
      const {volume, mode} = await validateValue('k', {volume: 0.5, other: 1}, Settings);
      assert.deepEqual([volume, mode.toUpperCase()], [0.5, 'DAY']);
    });

    test('rejects with its issues', async () => {
      await assert.rejects(validateValue('k', {volume: 2, mode: 1}, Settings), error => {
        assert.match(String(error), /^AppError: Cannot use the value of "k": \$\.volume .+; \$\.mode .+/);
        return true;
      });
    });
  });
});
