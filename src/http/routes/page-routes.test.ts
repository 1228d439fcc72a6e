import assert from 'node:assert/strict';
import {test} from 'vitest';
import {withScripts} from './page-routes.ts';

const withBoth = () => withScripts(undefined, {reportsErrors: true, isDark: true}) ?? assert.fail();

for (const {what, before} of [
  {what: 'a document type', before: '<!DOCTYPE html>'},
  {what: 'a byte order mark, which is Latin-1 here', before: '\xef\xbb\xbf<!doctype html>'},
])
  test(`the scripts of a page in development, in a dark window, stand behind ${what}, on its line`, () => {
    const [first = '', second] = withBoth().apply(`${before}\n<p>`).split('\n');
    assert.ok(first.startsWith(`${before}<script>`) && first.endsWith('</script>'), first);
    assert.equal(second, '<p>');
  });

test('a document without a type gets no script', () => {
  assert.equal(withBoth().apply('<p>'), '<p>');
});

test('a document that needs no script is not rewritten', () => {
  assert.equal(withScripts(undefined, {reportsErrors: false, isDark: false}), undefined);
});
