import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {DOCUMENT_MEMBERS_MAX, DocumentObject, describeBreadth, describeSurplus} from './document-object.ts';
import {JsonIndex} from './json-index.ts';
import {TooBroad} from './json-limits.ts';
import {encodeJsonText, parseJsonText} from './json-text.ts';

function open(text: string): {readonly object: DocumentObject; readonly problems: readonly DocumentProblem[]} {
  const problems: DocumentProblem[] = [];
  const index = new JsonIndex(encodeJsonText(text));
  const object = new DocumentObject({index, span: index.root, path: '$', report: each => problems.push(each)});
  return {object, problems};
}

type Read = (object: DocumentObject) => unknown;
const STRING: Read = object => object.string('a');
const LIST: Read = object => object.list('a');
const NOTHING: Read = () => undefined;

/** A name of the case, a text, the members that are read, and the problem that is reported. */
const PROBLEMS: readonly (readonly [name: string, text: string, read: Read, problem: string])[] = [
  ['a value that is not an object', '[1]', STRING, '$ has to be an object'],
  ['a missing member', '{}', STRING, '$.a is missing'],
  ['a number in place of a string', '{"a":1}', STRING, '$.a has to be a string'],
  ['an object in place of an array', '{"a":{}}', LIST, '$.a has to be an array'],
  ['a duplicate member', '{"a":"1","a":"2"}', STRING, '$.a occurs more than once'],
  ['a list that is missing, once', '{}', LIST, '$.a is missing'],
  [
    'a member that is read a second time as missing',
    '{"a":1}',
    object => [object.value('a'), object.value('a')],
    '$.a is missing',
  ],
  ['null in place of a string', '{"a":null}', STRING, '$.a has to be a string'],
  ['a string in place of an array', '{"a":"[]"}', LIST, '$.a has to be an array'],
  [
    'an array in place of an object, whatever is asked of it',
    '[]',
    object => [object.has('a'), object.value('a'), object.string('a'), object.list('a')],
    '$ has to be an object',
  ],
  ['a string in place of an object', '"{}"', NOTHING, '$ has to be an object'],
  ['a name with capital letters after a dot', '{"ttlSeconds":1}', NOTHING, '$.ttlSeconds is not known here'],
  ['a name of 64 letters after a dot', `{"${'x'.repeat(64)}":1}`, NOTHING, `$.${'x'.repeat(64)} is not known here`],
  [
    'a duplicate name of 64 letters',
    `{"${'x'.repeat(64)}":1,"${'x'.repeat(64)}":2}`,
    object => object.value('x'.repeat(64)),
    `$.${'x'.repeat(64)} occurs more than once`,
  ],
  ['a name that looks like a path in brackets', '{"a.b[0]":1}', NOTHING, '$["a.b[0]"] is not known here'],
  ['a name with an escape, decoded', '{"\\u0061\\n":1}', NOTHING, '$["a\\n"] is not known here'],
  [
    'a name of the language, of which an object has none by itself',
    '{}',
    object => [object.has('constructor'), object.string('constructor')],
    '$.constructor is missing',
  ],
  [
    'an unknown member, with its name in brackets if it is no identifier',
    '{"a b":1}',
    NOTHING,
    '$["a b"] is not known here',
  ],
  [
    'the first 64 characters of a long unknown name',
    `{"${'x'.repeat(100)}":1}`,
    NOTHING,
    `$.${'x'.repeat(64)} is not known here`,
  ],
  [
    'two unknown names with the same beginning as one',
    `{"${'x'.repeat(1000)}a":1,"${'x'.repeat(1000)}b":1}`,
    NOTHING,
    `$.${'x'.repeat(64)} is not known here`,
  ],
];

describe('DocumentObject', () => {
  for (const [name, text, read, problem] of PROBLEMS) {
    test(`reports ${name}`, () => {
      const {object, problems} = open(text);
      read(object);
      object.end();
      assert.deepEqual(
        problems.map(each => `${each.path} ${each.problem}`),
        [problem],
      );
    });
  }

  test('reads strings with their escapes, and lists with the place of each element', () => {
    const {object, problems} = open('{"text":"\\u0061\\n","list":[1,{"a":2}]}');
    assert.equal(object.string('text'), 'a\n');
    assert.deepEqual(
      object.list('list').map(({index, span, path}) => [path, Buffer.from(index.json(span)).toString()]),
      [
        ['$.list[0]', '1'],
        ['$.list[1]', '{"a":2}'],
      ],
    );
    object.end();
    assert.deepEqual(problems, []);
  });

  test('reports every problem, in the order in which it is found', () => {
    const {object, problems} = open('{"a":1,"b":{},"c":3,"a":2,"d":4}');
    assert.equal(object.string('a'), undefined);
    assert.deepEqual(object.list('b'), []);
    assert.equal(object.string('missing'), undefined);
    assert.deepEqual(object.list('absent'), []);
    object.end();
    assert.deepEqual(
      problems.map(({path, problem}) => `${path} ${problem}`),
      [
        '$.a occurs more than once',
        '$.a has to be a string',
        '$.b has to be an array',
        '$.missing is missing',
        '$.absent is missing',
        '$.c is not known here',
        '$.d is not known here',
      ],
    );
  });

  test('reads the last of duplicate members', () => {
    const {object} = open('{"a":"1","a":"2"}');
    assert.equal(object.string('a'), '2');
  });

  test('keeps the bytes of a value as they are', () => {
    const {object} = open('{"value": [ 1.0 , "\\u00e9" ] }');
    const place = object.value('value');
    assert.ok(place);
    assert.equal(place.path, '$.value');
    assert.equal(Buffer.from(place.index.json(place.span)).toString(), '[ 1.0 , "\\u00e9" ]');
  });

  test('reads objects in lists in objects, and reports their paths to the same place', () => {
    const {object, problems} = open('{"list":[{"name":"x"},{"na me":[1]}]}');
    const [first, second] = object.list('list');
    assert.ok(first && second);
    assert.equal(new DocumentObject(first).string('name'), 'x');
    const inner = new DocumentObject(second);
    assert.deepEqual(
      inner.list('na me').map(({path}) => path),
      ['$.list[1]["na me"][0]'],
    );
    inner.string('name');
    assert.deepEqual(problems, [{path: '$.list[1].name', problem: 'is missing'}]);
  });

  test('decodes no more of a string than the caller needs to refuse it', () => {
    const {object} = open(`{"a":"${'x'.repeat(100_000)}","b":"${'y'.repeat(10)}"}`);
    const text = object.string('a', 10) ?? '';
    assert.ok(text.length > 10 && text.length < 100, `${text.length} characters`);
    assert.equal(object.string('b', 10), 'y'.repeat(10));
  });

  test('has a member only until it is read', () => {
    const {object} = open('{"a":1}');
    assert.equal(object.has('a'), true);
    object.value('a');
    assert.equal(object.has('a'), false);
  });
});

describe('describeBreadth()', () => {
  const cases: readonly {readonly path: readonly PropertyKey[]; readonly shown: string}[] = [
    {path: [], shown: '$'},
    {path: ['operations'], shown: '$.operations'},
    {path: ['a', 0, 'b c'], shown: '$.a[0]["b c"]'},
    {path: [12_345], shown: '$[12345]'},
    {path: ['x'.repeat(64)], shown: `$.${'x'.repeat(64)}`},
    {path: ['x'.repeat(65), 'y'], shown: `$.${'x'.repeat(64)}.y`},
  ];
  for (const {path, shown} of cases) {
    test(`names ${shown.slice(0, 30)}`, () => {
      assert.deepEqual(describeBreadth(new TooBroad(path, 7)), {path: shown, problem: 'has more than 7 elements'});
    });
  }

  test('names the part of a text that has too many elements', () => {
    const parse = (): unknown =>
      parseJsonText(Buffer.from('{"long name":[{"a":[1,2,3]}]}'), {breadthMax: [9, 9, 9, 2]});
    assert.throws(parse, error => {
      assert.ok(error instanceof TooBroad);
      assert.deepEqual(describeBreadth(error), {path: '$["long name"][0].a', problem: 'has more than 2 elements'});
      return true;
    });
  });
});

test('describeSurplus() names the limit', () => {
  assert.equal(describeSurplus(1000), 'has more than 1000 elements');
});

test('DOCUMENT_MEMBERS_MAX is four times the members of an operation', () => {
  const members = ['kind', 'key', 'value', 'ttlSeconds'];
  assert.equal(DOCUMENT_MEMBERS_MAX, 4 * members.length);
});
