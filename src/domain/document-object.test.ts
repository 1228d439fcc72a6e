import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {DOCUMENT_MEMBERS_MAX, DocumentObject, describeBreadth, describeSurplus} from './document-object.ts';
import type {DocumentProblem} from './failure.ts';
import {JsonIndex} from './json-index.ts';
import {TooBroad} from './json-limits.ts';
import {encodeJsonText, parseJsonText} from './json-text.ts';

function open(text: string): {readonly object: DocumentObject; readonly problems: readonly DocumentProblem[]} {
  const problems: DocumentProblem[] = [];
  const index = new JsonIndex(encodeJsonText(text));
  const object = new DocumentObject({index, span: index.root, path: '$', report: each => problems.push(each)});
  return {object, problems};
}

const PROBLEMS: readonly {
  readonly name: string;
  readonly text: string;
  readonly read: (object: DocumentObject) => unknown;
  readonly problem: DocumentProblem;
}[] = [
  {
    name: 'a value that is not an object',
    text: '[1]',
    read: object => object.string('a'),
    problem: {path: '$', problem: 'has to be an object'},
  },
  {
    name: 'a missing member',
    text: '{}',
    read: object => object.string('a'),
    problem: {path: '$.a', problem: 'is missing'},
  },
  {
    name: 'a number in place of a string',
    text: '{"a":1}',
    read: object => object.string('a'),
    problem: {path: '$.a', problem: 'has to be a string'},
  },
  {
    name: 'an object in place of an array',
    text: '{"a":{}}',
    read: object => object.list('a'),
    problem: {path: '$.a', problem: 'has to be an array'},
  },
  {
    name: 'a duplicate member',
    text: '{"a":"1","a":"2"}',
    read: object => object.string('a'),
    problem: {path: '$.a', problem: 'occurs more than once'},
  },
  {
    name: 'a list that is missing, once',
    text: '{}',
    read: object => object.list('a'),
    problem: {path: '$.a', problem: 'is missing'},
  },
  {
    name: 'a member that is read a second time as missing',
    text: '{"a":1}',
    read: object => [object.value('a'), object.value('a')],
    problem: {path: '$.a', problem: 'is missing'},
  },
  {
    name: 'null in place of a string',
    text: '{"a":null}',
    read: object => object.string('a'),
    problem: {path: '$.a', problem: 'has to be a string'},
  },
  {
    name: 'a string in place of an array',
    text: '{"a":"[]"}',
    read: object => object.list('a'),
    problem: {path: '$.a', problem: 'has to be an array'},
  },
  {
    name: 'an array in place of an object, whatever is asked of it',
    text: '[]',
    read: object => [object.has('a'), object.value('a'), object.string('a'), object.list('a')],
    problem: {path: '$', problem: 'has to be an object'},
  },
  {
    name: 'a string in place of an object',
    text: '"{}"',
    read: () => undefined,
    problem: {path: '$', problem: 'has to be an object'},
  },
  {
    name: 'a name with capital letters after a dot',
    text: '{"ttlSeconds":1}',
    read: () => undefined,
    problem: {path: '$.ttlSeconds', problem: 'is not known here'},
  },
  {
    name: 'a name of 64 letters after a dot',
    text: `{"${'x'.repeat(64)}":1}`,
    read: () => undefined,
    problem: {path: `$.${'x'.repeat(64)}`, problem: 'is not known here'},
  },
  {
    name: 'a duplicate name of 64 letters',
    text: `{"${'x'.repeat(64)}":1,"${'x'.repeat(64)}":2}`,
    read: object => object.value('x'.repeat(64)),
    problem: {path: `$.${'x'.repeat(64)}`, problem: 'occurs more than once'},
  },
  {
    name: 'a name that looks like a path in brackets',
    text: '{"a.b[0]":1}',
    read: () => undefined,
    problem: {path: '$["a.b[0]"]', problem: 'is not known here'},
  },
  {
    name: 'a name with an escape, decoded',
    text: '{"\\u0061\\n":1}',
    read: () => undefined,
    problem: {path: '$["a\\n"]', problem: 'is not known here'},
  },
  {
    name: 'a name of the language, of which an object has none by itself',
    text: '{}',
    read: object => [object.has('constructor'), object.string('constructor')],
    problem: {path: '$.constructor', problem: 'is missing'},
  },
  {
    name: 'an unknown member, with its name in brackets if it is no identifier',
    text: '{"a b":1}',
    read: () => undefined,
    problem: {path: '$["a b"]', problem: 'is not known here'},
  },
  {
    name: 'the first 64 characters of a long unknown name',
    text: `{"${'x'.repeat(100)}":1}`,
    read: () => undefined,
    problem: {path: `$["${'x'.repeat(64)}"]`, problem: 'is not known here'},
  },
  {
    name: 'two unknown names with the same beginning as one',
    text: `{"${'x'.repeat(1000)}a":1,"${'x'.repeat(1000)}b":1}`,
    read: () => undefined,
    problem: {path: `$["${'x'.repeat(64)}"]`, problem: 'is not known here'},
  },
];

describe('DocumentObject', () => {
  for (const {name, text, read, problem} of PROBLEMS) {
    test(`reports ${name}`, () => {
      const {object, problems} = open(text);
      read(object);
      object.end();
      assert.deepEqual(problems, [problem]);
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
