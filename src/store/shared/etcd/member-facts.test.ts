import assert from 'node:assert/strict';
import {test} from 'vitest';
import {findVersionProblem} from './member-facts.ts';

for (const [version, isAccepted] of [
  ['3.3.27', false],
  ['3.4.22', false],
  ['3.4.23', true],
  ['3.5.21', true],
  ['3.10.1', true],
  ['4.0.0-rc.1', true],
  ['', false],
] as const) {
  test(`${isAccepted ? 'accepts' : 'refuses'} etcd ${JSON.stringify(version)}`, () => {
    assert.equal(findVersionProblem(version) === undefined, isAccepted);
  });
}
