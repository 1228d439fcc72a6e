import assert from 'node:assert/strict';
import {pathToFileURL} from 'node:url';
import {describe, test} from 'vitest';
import {messageOfThrown, placeOfThrown} from './problem.ts';

describe('placeOfThrown()', () => {
  const directory = '/plugins/com.example';
  const stacks = [
    {
      name: 'a frame of a function',
      stack: 'at run (/plugins/com.example/background/index.js:12:5)',
      place: 'background/index.js:12',
    },
    {
      name: 'a frame without a function',
      stack: 'at /plugins/com.example/background/index.js:12:5',
      place: 'background/index.js:12',
    },
    {
      name: 'a frame of an ES module',
      stack: 'at run (file:///plugins/com.example/background/a.mjs:3:1)',
      place: 'background/a.mjs:3',
    },
    {
      name: 'the head of a syntax error',
      stack: '/plugins/com.example/background/index.js:7\n  }{\n',
      place: 'background/index.js:7',
    },
    {
      name: 'the first frame outside of packages',
      stack: [
        'Error: no',
        'at x (/plugins/com.example/background/node_modules/a/index.js:1:1)',
        'at y (/plugins/com.example/background/b.js:2:3)',
        'at z (/plugins/com.example/background/index.js:4:5)',
      ].join('\n'),
      place: 'background/b.js:2',
    },
    {
      name: 'no frame of another plugin',
      stack: 'at run (/plugins/com.example2/background/index.js:1:1)',
      place: undefined,
    },
    {name: 'no frame of Node', stack: 'at node:internal/main:1:1', place: undefined},
  ];
  for (const {name, stack, place} of stacks) {
    test(`finds ${name}`, () => {
      assert.equal(placeOfThrown(Object.assign(new Error('no'), {stack}), directory), place);
    });
  }

  for (const folder of ['/home/käse salat/a plugin', '/100%/a'])
    test(`finds a frame of an ES module in ${folder}, where it is percent-encoded`, () => {
      const url = pathToFileURL(`${folder}/my mod.mjs`).href;
      assert.equal(placeOfThrown(Object.assign(new Error('no'), {stack: `at ${url}:2:7`}), folder), 'my mod.mjs:2');
    });

  test('finds a frame whose file has a percent sign in its name', () => {
    const stack = 'at run (/plugins/com.example/100%25.js:2:7)';
    assert.equal(placeOfThrown(Object.assign(new Error('no'), {stack}), directory), '100%25.js:2');
  });

  test('finds nothing in a value that is not an error', () => {
    assert.equal(placeOfThrown('no', directory), undefined);
    assert.equal(placeOfThrown(Object.assign(new Error('no'), {stack: 12}), directory), undefined);
  });
});

describe('messageOfThrown()', () => {
  test('describes errors and everything else that may be thrown', () => {
    assert.equal(messageOfThrown(new TypeError('no')), 'TypeError: no');
    assert.equal(messageOfThrown('no'), "'no'");
    assert.equal(messageOfThrown(undefined), 'undefined');
    assert.equal(messageOfThrown({a: {b: {}}}), '{ a: { b: {} } }');
  });
});
