import assert from 'node:assert/strict';
import {posix} from 'node:path';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {isPluginId} from './plugin-id.ts';

describe('isPluginId()', () => {
  for (const text of [
    'a.b',
    '0.0',
    'com.example.hello',
    'Com.Example.Hello-2',
    'a_-b.c',
    'a..b',
    `a.${'a'.repeat(250)}z`,
  ]) {
    test(`accepts ${text.slice(0, 30)}`, () => {
      assert.equal(isPluginId(text), true);
    });
  }

  for (const {name, text} of [
    {name: 'the empty text', text: ''},
    {name: '254 characters', text: `a.${'a'.repeat(252)}`},
    {name: 'no dot, as the paths of the service', text: 'store'},
    {name: 'a dot', text: '.'},
    {name: 'two dots, the folder above', text: '..'},
    {name: 'a dot at its beginning, which hides a file', text: '.hidden'},
    {name: 'a dot at its end, which Windows drops', text: 'a.'},
    {name: 'a dash at its beginning, which looks like a flag', text: '-rf.a'},
    {name: 'a dash at its end', text: 'a.a-'},
    {name: 'an underscore at its end', text: 'a.a_'},
    {name: 'a slash', text: 'a.b/c'},
    {name: 'a backslash', text: 'a.b\\c'},
    {name: 'a drive', text: 'C:a.b'},
    {name: 'a device of Windows with an extension', text: 'COM1.example'},
    {name: 'a space', text: 'a.b c'},
    {name: 'a per cent sign', text: 'a.b%2fc'},
    {name: 'a null character', text: 'a.b\0c'},
    {name: 'a line break after it', text: 'a.b\n'},
    {name: 'a letter beyond ASCII', text: 'a.ä'},
    {name: 'a letter that looks like one of ASCII', text: '\u0430bc.d'},
  ]) {
    test(`refuses ${name}`, () => {
      assert.equal(isPluginId(text), false);
    });
  }

  test('accepts no name that leads out of a folder, or that a URL would change', () => {
    const anyText = fc.string({unit: fc.constantFrom(...'aZ0._-/\\:%? \0é'), minLength: 1, maxLength: 3});
    fc.assert(
      fc.property(anyText, anyText, (first, last) => {
        const text = `${first}.${last}`;
        fc.pre(isPluginId(text));
        assert.equal(posix.normalize(posix.join('/plugins', text)), `/plugins/${text}`);
        assert.equal(new URL(`http://localhost/plugins/${text}/`).pathname, `/plugins/${text}/`);
      }),
      {numRuns: 500},
    );
  });
});
