import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {DocumentObject, describeBreadth} from './document-object.ts';
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

  test('has a member only until it is read', () => {
    const {object} = open('{"a":1}');
    assert.equal(object.has('a'), true);
    object.value('a');
    assert.equal(object.has('a'), false);
  });
});

test('describeBreadth() names the part that has too many elements', () => {
  const parse = (): unknown => parseJsonText(Buffer.from('{"long name":[{"a":[1,2,3]}]}'), {breadthMax: [9, 9, 9, 2]});
  assert.throws(parse, error => {
    assert.ok(error instanceof TooBroad);
    assert.deepEqual(describeBreadth(error), {path: '$["long name"][0].a', problem: 'has more than 2 elements'});
    return true;
  });
});
