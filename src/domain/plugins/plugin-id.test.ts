import assert from 'node:assert/strict';
import {posix} from 'node:path';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {isPluginId} from './plugin-id.ts';

describe('isPluginId()', () => {
  for (const text of ['a', '0', 'com.example.hello', 'Com.Example.Hello-2', 'a_b', 'a..b', `${'a'.repeat(252)}z`]) {
    test(`accepts ${text.slice(0, 30)}`, () => {
      assert.equal(isPluginId(text), true);
    });
  }

  for (const {name, text} of [
    {name: 'the empty text', text: ''},
    {name: '254 characters', text: 'a'.repeat(254)},
    {name: 'a dot', text: '.'},
    {name: 'two dots, the folder above', text: '..'},
    {name: 'a dot at its beginning, which hides a file', text: '.hidden'},
    {name: 'a dot at its end, which Windows drops', text: 'a.'},
    {name: 'a dash at its beginning, which looks like a flag', text: '-rf'},
    {name: 'a dash at its end', text: 'a-'},
    {name: 'an underscore at its end', text: 'a_'},
    {name: 'a slash', text: 'a/b'},
    {name: 'a backslash', text: 'a\\b'},
    {name: 'a drive', text: 'C:a'},
    {name: 'a space', text: 'a b'},
    {name: 'a per cent sign', text: 'a%2fb'},
    {name: 'a null character', text: 'a\0b'},
    {name: 'a line break after it', text: 'a\n'},
    {name: 'a letter beyond ASCII', text: 'ä'},
    {name: 'a letter that looks like one of ASCII', text: '\u0430bc'},
  ]) {
    test(`refuses ${name}`, () => {
      assert.equal(isPluginId(text), false);
    });
  }

  test('accepts no name that leads out of a folder, or that a URL would change', () => {
    const anyText = fc.string({unit: fc.constantFrom(...'aZ0._-/\\:%? \0é'), maxLength: 5});
    fc.assert(
      fc.property(anyText, text => {
        if (!isPluginId(text)) return;
        assert.equal(posix.normalize(posix.join('/plugins', text)), `/plugins/${text}`);
        assert.equal(new URL(`http://localhost/plugins/${text}/`).pathname, `/plugins/${text}/`);
      }),
      {numRuns: 500},
    );
  });
});
