import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {SAMPLE_TEXTS} from '../../../test/contracts/shared/samples.ts';
import {mergePlainly} from '../../../test/support/merge-plainly.ts';
import {decodeJsonText, encodeJsonText, type JsonText} from './json-text.ts';
import {applyMergePatch} from './merge-patch.ts';

function merge(target: string | undefined, patch: string): string {
  return decodeJsonText(
    applyMergePatch(target === undefined ? undefined : encodeJsonText(target), encodeJsonText(patch)),
  );
}

/** The test cases of RFC 7396, appendix A, in its order. */
const STANDARD_CASES = [
  {target: '{"a":"b"}', patch: '{"a":"c"}', result: '{"a":"c"}'},
  {target: '{"a":"b"}', patch: '{"b":"c"}', result: '{"a":"b","b":"c"}'},
  {target: '{"a":"b"}', patch: '{"a":null}', result: '{}'},
  {target: '{"a":"b","b":"c"}', patch: '{"a":null}', result: '{"b":"c"}'},
  {target: '{"a":["b"]}', patch: '{"a":"c"}', result: '{"a":"c"}'},
  {target: '{"a":"c"}', patch: '{"a":["b"]}', result: '{"a":["b"]}'},
  {target: '{"a":{"b":"c"}}', patch: '{"a":{"b":"d","c":null}}', result: '{"a":{"b":"d"}}'},
  {target: '{"a":[{"b":"c"}]}', patch: '{"a":[1]}', result: '{"a":[1]}'},
  {target: '["a","b"]', patch: '["c","d"]', result: '["c","d"]'},
  {target: '{"a":"b"}', patch: '["c"]', result: '["c"]'},
  {target: '{"a":"foo"}', patch: 'null', result: 'null'},
  {target: '{"a":"foo"}', patch: '"bar"', result: '"bar"'},
  {target: '{"e":null}', patch: '{"a":1}', result: '{"e":null,"a":1}'},
  {target: '[1,2]', patch: '{"a":"b","c":null}', result: '{"a":"b"}'},
  {target: '{}', patch: '{"a":{"bb":{"ccc":null}}}', result: '{"a":{"bb":{}}}'},
];

const EXACT_CASES = [
  {
    name: 'keeps numbers that JavaScript cannot hold',
    target: '{"id":9007199254740993,"volume":1.0,"zero":-0,"far":1e400,"a":1}',
    patch: '{"a":12345678901234567890}',
    result: '{"id":9007199254740993,"volume":1.0,"zero":-0,"far":1e400,"a":12345678901234567890}',
  },
  {
    name: 'keeps white space, around and in what it does not name',
    target: '{ "a" : [ 1 ,\n 2 ] ,\n\t"b": 1 , "c"\n:{ } }',
    patch: '{"b":2}',
    result: '{ "a" : [ 1 ,\n 2 ] ,\n\t"b": 2 , "c"\n:{ } }',
  },
  {
    name: 'keeps everything when nothing is named',
    target: '{ "a": 1 , }'.replace(', ', ''),
    patch: '{}',
    result: '{ "a": 1 }',
  },
  {name: 'keeps the space in an empty object', target: '{ \n}', patch: '{"a":null}', result: '{ \n}'},
  {
    name: 'keeps the order of members',
    target: '{"z":1,"10":2,"a":3,"9":4}',
    patch: '{"9":0,"z":0}',
    result: '{"z":0,"10":2,"a":3,"9":0}',
  },
  {
    name: 'keeps duplicate names that it does not name',
    target: '{"a":1,"b":0,"a":2}',
    patch: '{"b":1}',
    result: '{"a":1,"b":1,"a":2}',
  },
  {
    name: 'leaves one of duplicate names that it names',
    target: '{"a":1,"b":0,"a":{"c":2}}',
    patch: '{"a":{"d":3}}',
    result: '{"b":0,"a":{"c":2,"d":3}}',
  },
  {name: 'removes all of duplicate names', target: '{"a":1,"b":0,"a":2}', patch: '{"a":null}', result: '{"b":0}'},
  {
    name: 'takes the last of duplicate names in a patch',
    target: '{}',
    patch: '{"a":{"b":1},"c":1,"a":{"d":null,"e":2}}',
    result: '{"a":{"e":2},"c":1}',
  },
  {
    name: 'sees through escapes in names, and keeps them',
    target: '{"\\u0061":1,"b\\/":2}',
    patch: '{"a":5,"b/":null}',
    result: '{"\\u0061":5}',
  },
  {
    name: 'tells halves of surrogate pairs apart',
    target: '{"\\ud800":1,"\\ud801":2}',
    patch: '{"\\uD800":null}',
    result: '{"\\ud801":2}',
  },
  {
    name: 'tells a byte order mark in a name from none',
    target: '{"\ufeffa":1}',
    patch: '{"a":2}',
    result: '{"\ufeffa":1,"a":2}',
  },
  {
    name: 'takes names of the language as data',
    target: '{"constructor":1}',
    patch: '{"__proto__":{"polluted":true},"constructor":null,"toString":2}',
    result: '{"__proto__":{"polluted":true},"toString":2}',
  },
  {
    name: 'merges what is under __proto__',
    target: '{"__proto__":{"a":1.0}}',
    patch: '{"__proto__":{"b":2}}',
    result: '{"__proto__":{"a":1.0,"b":2}}',
  },
  {
    name: 'keeps null in arrays, and in members that it does not name',
    target: '{"a":null}',
    patch: '{"b":[null,{"c":null}]}',
    result: '{"a":null,"b":[null,{"c":null}]}',
  },
  {
    name: 'removes null from what is new, at any depth',
    target: '1',
    patch: '{ "a": null, "b" : {"c":null, "d": {"e": null}} }',
    result: '{ "b" : {"d": {}} }',
  },
  {
    name: 'sets new members apart like the last one',
    target: '{\n  "a": 1,\n  "b": 2\n}',
    patch: '{"c":3,"d":4}',
    result: '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4\n}',
  },
  {
    name: 'removes the first, a middle and the last member',
    target: '{ "a": 1, "b": 2, "c": 3, "d": 4 }',
    patch: '{"a":null,"c":null,"d":null}',
    result: '{ "b": 2 }',
  },
  {
    name: 'replaces all members by new ones',
    target: '{ "a": 1 }',
    patch: '{"a":null,"b":[ 2 ]}',
    result: '{ "b": [ 2 ] }',
  },
  {
    name: 'puts an object where there was none',
    target: '{"a":[1]}',
    patch: '{"a":{"b":1.0}}',
    result: '{"a":{"b":1.0}}',
  },
  {name: 'creates', target: undefined, patch: '{"a":{"b":null},"c":1.0}', result: '{"a":{},"c":1.0}'},
  {
    name: 'is not misled by brackets and quotes in texts',
    target: '{"a":"}\\"]{","b\\"":1}',
    patch: '{"b\\"":2,"c":"\\\\"}',
    result: '{"a":"}\\"]{","b\\"":2,"c":"\\\\"}',
  },
];

describe('applyMergePatch()', () => {
  for (const [index, {target, patch, result}] of STANDARD_CASES.entries()) {
    test(`does as RFC 7396 says, example ${index + 1}: ${target} and ${patch}`, () => {
      assert.equal(merge(target, patch), result);
    });
  }

  for (const {name, target, patch, result} of EXACT_CASES) {
    test(name, () => {
      assert.equal(merge(target, patch), result);
      assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
    });
  }

  for (const text of SAMPLE_TEXTS) {
    test(`takes ${JSON.stringify(text.slice(0, 24))} over byte for byte, beside what changes`, () => {
      assert.equal(merge(`{"kept": ${text} ,"a":1}`, '{"a":2}'), `{"kept": ${text} ,"a":2}`);
    });
  }

  for (const text of SAMPLE_TEXTS.filter(each => !each.startsWith('{'))) {
    test(`becomes ${JSON.stringify(text.slice(0, 24))} byte for byte, as a whole or in a member`, () => {
      assert.equal(merge('{"a":1}', text), text);
      assert.equal(merge('{"a":1}', `{"a":${text}}`), text === 'null' ? '{}' : `{"a":${text}}`);
    });
  }

  test('changes neither of the texts', () => {
    const [target, patch] = [encodeJsonText('{"a":1,"b":{"c":2}}'), encodeJsonText('{"b":{"c":null}}')];
    const before = [decodeJsonText(target), decodeJsonText(patch)];
    const result = applyMergePatch(target, patch);
    target.fill(0x20);
    assert.equal(decodeJsonText(result), '{"a":1,"b":{}}');
    assert.equal(decodeJsonText(patch), before[1]);
  });

  test('refuses a result that is too deep, and needs no calls for its depth', () => {
    const nest = (depth: number, inner: string): string => `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
    const deep = {depthMax: 20_000};
    const target = encodeJsonText(nest(15_000, '{"kept":1.0}'), deep);
    const patch = encodeJsonText(nest(15_000, '{"new":{"b":null}}'), deep);
    assert.equal(decodeJsonText(applyMergePatch(target, patch, deep)), nest(15_000, '{"kept":1.0,"new":{}}'));
    assert.throws(() => applyMergePatch(target, patch), {
      failure: {code: 'value-too-deep', depthMax: 256, position: 256 * 5},
    });
  });

  for (const {name, before, around} of [
    {name: 'before its name', before: 1023, around: 0},
    {name: 'around its colon', before: 0, around: 1023},
    {name: 'before its name and around its colon', before: 1000, around: 23},
  ]) {
    test(`copies 1,023 bytes of white space ${name} to new members, and not one byte more`, () => {
      const member = (size: number): string => `${' '.repeat(size)}"b"${' '.repeat(around)}:2`;
      const next = member(before).replace('"b"', '"c"').replace(':2', ':3');
      assert.equal(merge(`{"a":1,${member(before)}}`, '{"c":3}'), `{"a":1,${member(before)},${next}}`);
      assert.equal(merge(`{"a":1,${member(before + 1)}}`, '{"c":3}'), `{"a":1,${member(before + 1)},"c":3}`);
    });
  }

  test('makes a result of at most a kilobyte for each new member, whatever the white space', () => {
    const target = `{"a":1,${' '.repeat(1_000_000)}"b"${'\n'.repeat(1_000_000)}:2}`;
    const added = Array.from({length: 10_000}, (_, index) => `"${index}":0`).join();
    assert.equal(merge(target, `{${added}}`), `${target.slice(0, -1)},${added}}`);
  });

  test('does what plain objects would do', () => {
    const name = fc.constantFrom('a', 'b', 'c', '', '__proto__', 'é', '"');
    const {value} = fc.letrec<{value: unknown}>(tie => ({
      value: fc.oneof(
        {maxDepth: 4},
        {weight: 2, arbitrary: fc.constantFrom(null, 0, 1.5, 'x', true)},
        {weight: 1, arbitrary: fc.array(tie('value'), {maxLength: 3})},
        {weight: 4, arbitrary: fc.array(fc.tuple(name, tie('value')), {maxLength: 5}).map(Object.fromEntries)},
      ),
    }));
    const text = fc
      .tuple(value, fc.constantFrom(0, 2, '\t'))
      .map(([each, indent]) => JSON.stringify(each, null, indent));
    fc.assert(
      fc.property(fc.option(text, {nil: undefined}), text, (target, patch) => {
        const expected = mergePlainly(target === undefined ? undefined : JSON.parse(target), JSON.parse(patch));
        assert.deepEqual(JSON.parse(merge(target, patch)), expected);
      }),
      {numRuns: 1000},
    );
  });

  test('changes nothing when it is applied again, and nothing by an empty patch', () => {
    fc.assert(
      fc.property(fc.json({maxDepth: 4}), fc.json({maxDepth: 4}), (target, patch) => {
        const once = merge(target, patch);
        assert.deepEqual(JSON.parse(merge(once, patch)), JSON.parse(once));
        assert.equal(merge(target, '{}'), target.startsWith('{') ? target : '{}');
      }),
    );
  });

  /** Values that a parser would change. */
  const RAW = ['1.0', '1e400', '-0', '9007199254740993', '"\\u0061"', '[ 1 ,2 ]', '"é"', 'null', 'true', '[]'];
  const anyMembers = fc.uniqueArray(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.constantFrom(...RAW)), {
    selector: ([name]) => name,
    maxLength: 6,
  });

  test('keeps the bytes and the order of every member, and writes new ones like the last one', () => {
    const spacings = [
      {before: '', colon: ':', end: ''},
      {before: ' ', colon: ' : ', end: ' '},
      {before: '\n  ', colon: ': ', end: '\n'},
    ];
    fc.assert(
      fc.property(anyMembers, anyMembers, fc.constantFrom(...spacings), (target, patch, spacing) => {
        const changes = new Map(patch);
        const kept = target
          .map(([name, value]) => [name, changes.get(name) ?? value] as const)
          .filter(([name]) => changes.get(name) !== 'null');
        const names = new Set(target.map(([name]) => name));
        const added = patch.filter(([name, value]) => !names.has(name) && value !== 'null');
        fc.pre(target.length > 0 && kept.length + added.length > 0);
        assert.equal(
          merge(writeObject(target, spacing), writeObject(patch)),
          writeObject([...kept, ...added], spacing),
        );
      }),
      {numRuns: 500},
    );
  });

  test('is as if each member of a patch were a patch of its own', () => {
    fc.assert(
      fc.property(anyMembers, anyMembers, (target, patch) => {
        const oneByOne = patch.reduce((text, member) => merge(text, writeObject([member])), writeObject(target));
        assert.equal(merge(writeObject(target), writeObject(patch)), oneByOne);
      }),
    );
  });

  for (const {name, target, patch, result} of [
    {name: 'a result of exactly the limit', target: '{"a":[[]]}', patch: '{"b":[[]]}', result: '{"a":[[]],"b":[[]]}'},
    {name: 'a patch that removes what is too deep', target: '{"a":[[[]]]}', patch: '{"a":null}', result: '{}'},
    {name: 'a patch that replaces what is too deep', target: '{"a":[[[]]]}', patch: '{"a":[]}', result: '{"a":[]}'},
    {name: 'a patch that replaces a value that is too deep', target: '[[[[]]]]', patch: '1', result: '1'},
  ]) {
    test(`accepts ${name}`, () => {
      assert.equal(decodeJsonText(applyMergePatch(deep(target), deep(patch), {depthMax: 3})), result);
    });
  }

  for (const {name, target, patch, position} of [
    {name: 'the patch adds it', target: '{"a":1}', patch: '{"b":[[[]]]}', position: 13},
    {name: 'the value has it already', target: '{"a":[[[]]]}', patch: '{"b":1}', position: 7},
    {name: 'there was no value', target: undefined, patch: '[[[[]]]]', position: 3},
    {name: 'the deepest part of the patch is null', target: '{}', patch: '{"a":{"b":{"c":{"d":null}}}}', position: 15},
  ]) {
    test(`refuses a result of a level more than the limit if ${name}, with its position in the result`, () => {
      const before = target === undefined ? undefined : deep(target);
      assert.throws(() => applyMergePatch(before, deep(patch), {depthMax: 3}), {
        failure: {code: 'value-too-deep', depthMax: 3, position},
      });
    });
  }
});

describe('a name in a patch', () => {
  /** Ways to write the same name. */
  const NAMES = [
    ['a', '\\u0061'],
    ['é', '\\u00e9', '\\u00E9'],
    ['/\\t', '\\/\\t', '\\u002f\\u0009'],
    ['😀é', '\\ud83d\\ude00é', '😀\\u00e9', '\\uD83D\\uDE00\\u00e9'],
    ['\\ud800', '\\uD800'],
    ['\ufffd', '\\ufffd'],
    ['Ã©', '\\u00c3\\u00a9', 'Ã\\u00a9'],
    ['€', '\\u20ac'],
    ['\u0080', '\\u0080'],
  ];

  test('finds a member of the same name, however both are written, and no other', () => {
    const spellings = NAMES.flatMap((names, index) => names.map(name => ({name, index})));
    for (const given of spellings) {
      for (const {name, index} of spellings) {
        const merged = merge(`{"${given.name}":1}`, `{"${name}":2}`);
        const expected = given.index === index ? `{"${given.name}":2}` : `{"${given.name}":1,"${name}":2}`;
        assert.equal(merged, expected);
      }
    }
  });
});

/** A text of any depth. */
function deep(text: string): JsonText {
  return encodeJsonText(text, {depthMax: Infinity});
}

/** Writes an object by hand. */
function writeObject(
  members: readonly (readonly [name: string, value: string])[],
  {before = '', colon = ':', end = ''} = {},
): string {
  return `{${members.map(([name, value]) => `${before}"${name}"${colon}${value}`).join(',')}${end}}`;
}
