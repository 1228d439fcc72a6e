import assert from 'node:assert/strict';
import * as v from 'valibot';
import {describe, test} from 'vitest';
import {ANY_OBJECT, closed, named, oneOf, open, withoutArrays} from './kinds.ts';
import {type CheckOptions, checkValue, formatProblems} from './problems.ts';

/** Describes the problems that a schema finds. */
function problemsOf(schema: v.GenericSchema, value: unknown, options?: CheckOptions): unknown {
  const checked = checkValue(schema, value, options);
  return 'value' in checked ? [] : formatProblems(checked.found);
}

const WRONG_TYPES: readonly (readonly [schema: v.GenericSchema, value: unknown, received: string, expected: string])[] =
  [
    [v.string(), 1, 'is a number', 'has to be a string'],
    [v.string(), null, 'is null', 'has to be a string'],
    [v.string(), ['a'], 'is an array', 'has to be a string'],
    [v.number(), '1', 'is a string', 'has to be a number'],
    [v.number(), true, 'is true', 'has to be a number'],
    [v.number(), {}, 'is an object', 'has to be a number'],
    [v.pipe(v.number(), v.finite()), Infinity, 'is a number', 'has to be a number'],
    [v.boolean(), 0, 'is a number', 'has to be true or false'],
    [v.boolean(), 'true', 'is a string', 'has to be true or false'],
    [open({}), [], 'is an array', 'has to be an object'],
    [closed({}), false, 'is false', 'has to be an object'],
    [closed({}), [], 'is an array', 'has to be an object'],
    [ANY_OBJECT, 1, 'is a number', 'has to be an object'],
    [ANY_OBJECT, [], 'is an array', 'has to be an object'],
    [v.array(v.string()), {}, 'is an object', 'has to be an array'],
    [v.date(), 'x', 'is a string', 'has to be Date'],
  ];

const SURROUNDINGS: Readonly<Record<string, (list: v.GenericSchema) => v.GenericSchema>> = {
  'in an object': list => open({list}),
  'in a variant': list => withoutArrays(v.variant('kind', [closed({kind: v.literal('a'), list})])),
  'in a union': list => v.union([open({list}), v.never()]),
};

describe('checkValue()', () => {
  for (const [schema, value, received, expected] of WRONG_TYPES) {
    test(`says that ${JSON.stringify(value)} ${received} and ${expected}`, () => {
      const problem = `${received} and ${expected}`;
      assert.deepEqual(problemsOf(open({a: schema}), {a: value}, {withReceived: true}), [{path: '$.a', problem}]);
      assert.deepEqual(problemsOf(open({a: schema}), {a: value}), [{path: '$.a', problem: expected}]);
    });
  }

  test('says that a member is missing, not that it is undefined', () => {
    const schema = open({a: v.string(), b: open({c: v.number()})});
    assert.deepEqual(problemsOf(schema, {b: {}}), [
      {path: '$.a', problem: 'is missing'},
      {path: '$.b.c', problem: 'is missing'},
    ]);
  });

  test('repeats the message of a rule of the schema', () => {
    const schema = open({url: v.pipe(v.string(), v.endsWith('/', 'does not end in "/"'))});
    assert.deepEqual(problemsOf(schema, {url: 'https://a.example'}), [{path: '$.url', problem: 'does not end in "/"'}]);
  });

  test('names elements by their index, and the whole document by $', () => {
    assert.deepEqual(problemsOf(v.array(open({'a b': v.string()})), [{'a b': ''}, {'a b': 1}]), [
      {path: '$[1]["a b"]', problem: 'has to be a string'},
    ]);
    assert.deepEqual(problemsOf(open({}), 'x'), [{path: '$', problem: 'has to be an object'}]);
  });

  test('describes a hundred problems at most, the first ones', () => {
    const describe = (count: number): readonly unknown[] =>
      problemsOf(
        v.array(v.string()),
        Array.from({length: count}, () => 1),
      ) as readonly unknown[];
    assert.equal(describe(100).length, 100);
    assert.deepEqual(describe(101), describe(100));
  });

  test('names every unknown member of a closed object, and shortens its name', () => {
    const long = 'x'.repeat(100);
    assert.deepEqual(
      problemsOf(closed({a: v.string()}), JSON.parse(`{"constructor": 1, "__proto__": 2, "${long}": 3}`)),
      [
        {path: '$.a', problem: 'is missing'},
        {path: '$.constructor', problem: 'is not known here'},
        {path: '$.__proto__', problem: 'is not known here'},
        {path: `$.${'x'.repeat(64)}`, problem: 'is not known here'},
      ],
    );
  });

  for (const [name, schemaOf] of Object.entries(SURROUNDINGS))
    test(`of far too many problems ${name} it describes the first, and looks for no more`, () => {
      let checks = 0;
      const wrong = v.pipe(
        v.unknown(),
        v.check(() => {
          checks++;
          return false;
        }),
      );
      const found = (count: number): number =>
        (problemsOf(schemaOf(v.array(wrong)), {kind: 'a', list: new Array(count).fill(0)}) as readonly unknown[])
          .length;
      assert.deepEqual([found(900), checks], [100, 900]);
      assert.equal(found(100_000), 1);
      assert.ok(checks < 50_000, `${checks} checks`);
    });

  test('keeps members of any names', () => {
    const given = JSON.parse('{"constructor": 1, "__proto__": {}, "a b": ""}');
    const checked = checkValue(ANY_OBJECT, given);
    assert.deepEqual('value' in checked && Object.keys(checked.value), Object.keys(given));
  });

  test('finds unknown members of closed objects in others, beside other problems of theirs', () => {
    const inner = v.optional(closed({a: v.optional(v.string())}));
    assert.deepEqual(
      problemsOf(closed({inner, list: v.array(closed({}))}), {inner: {a: 1, b: 2, c: 3}, list: [{d: 1}], e: 1, f: 1}),
      [
        {path: '$.inner.a', problem: 'has to be a string'},
        {path: '$.inner.b', problem: 'is not known here'},
        {path: '$.inner.c', problem: 'is not known here'},
        {path: '$.list[0].d', problem: 'is not known here'},
        {path: '$.e', problem: 'is not known here'},
        {path: '$.f', problem: 'is not known here'},
      ],
    );
  });

  test('takes a missing named member for missing, and goes on after a named one', () => {
    const short = named(
      'a short text',
      v.pipe(
        v.string(),
        v.maxLength(1),
        v.transform(text => text.length),
      ),
    );
    assert.deepEqual(problemsOf(open({a: short, b: v.optional(short), c: short}), {c: 'long'}), [
      {path: '$.a', problem: 'is missing'},
      {path: '$.c', problem: 'has to be a short text'},
    ]);
    assert.deepEqual(checkValue(open({a: short}), {a: 'x'}), {value: {a: 1}});
  });

  test('reports a named kind as one problem', () => {
    const list = named('a list of texts', v.array(v.string()));
    assert.deepEqual(
      problemsOf(open({list, mode: oneOf('a', 'b', 'c'), only: oneOf('a')}), {list: [1, 2], mode: 'd', only: 1}),
      [
        {path: '$.list', problem: 'has to be a list of texts'},
        {path: '$.mode', problem: 'has to be "a", "b" or "c"'},
        {path: '$.only', problem: 'has to be "a"'},
      ],
    );
  });
});
