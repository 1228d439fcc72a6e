import assert from 'node:assert/strict';
import {test} from 'vitest';
import {PackageList} from './package-files.ts';

test('a list has at most 20,000 files and folders', () => {
  const list = new PackageList('"a"');
  for (let at = 0; at < 20_000; at++) list.addFolder(String(at));
  assert.throws(() => list.addFolder('one more'), {
    failure: {code: 'invalid-package', source: '"a"', problem: 'it has more than 20000 files and folders'},
  });
});
