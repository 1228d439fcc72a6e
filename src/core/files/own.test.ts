import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {findOwnProblem, type OwnRule} from './own.ts';

const ME = 1000;
const OTHER = 1001;
const STICKY = 0o1777;

const CASES: readonly {
  readonly what: string;
  readonly rule: OwnRule['forbidden'];
  readonly uid: number;
  readonly mode: number;
  readonly problem?: {readonly owner?: number; readonly isOpen: boolean};
}[] = [
  {what: 'a private file', rule: 'reading', uid: ME, mode: 0o600},
  {what: 'a file that others may read', rule: 'reading', uid: ME, mode: 0o604, problem: {isOpen: true}},
  {what: 'a directory that the group may search', rule: 'reading', uid: ME, mode: 0o710, problem: {isOpen: true}},
  {what: 'a secret of the superuser', rule: 'reading', uid: 0, mode: 0o600, problem: {owner: 0, isOpen: false}},
  {what: 'a folder that others may read', rule: 'writing', uid: ME, mode: 0o755},
  {what: 'a folder that the group may write to', rule: 'writing', uid: ME, mode: 0o775, problem: {isOpen: true}},
  {what: 'a sticky folder of this user', rule: 'writing', uid: ME, mode: STICKY, problem: {isOpen: true}},
  {what: 'a sticky parent of the superuser', rule: 'replacing', uid: 0, mode: STICKY},
  {what: 'an open parent of the superuser', rule: 'replacing', uid: 0, mode: 0o777, problem: {isOpen: true}},
  {
    what: 'a sticky parent of another user',
    rule: 'replacing',
    uid: OTHER,
    mode: STICKY,
    problem: {owner: OTHER, isOpen: false},
  },
];

describe('findOwnProblem()', () => {
  for (const {what, rule, uid, mode, problem} of CASES)
    test(`${problem === undefined ? 'accepts' : 'refuses'} ${what} against ${rule}`, () => {
      const expected = problem && {owner: undefined, ...problem};
      assert.deepEqual(findOwnProblem({uid, mode}, {forbidden: rule, userId: ME}), expected);
      assert.equal(findOwnProblem({uid, mode}, {forbidden: rule, userId: undefined}), undefined);
    });
});
