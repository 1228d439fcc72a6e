import {describe, expect, test} from 'vitest';
import {judgeBeginning, judgeContinuity} from './continuity.ts';
import {describeTold} from './followers/follower.ts';
import type {Told} from './history.ts';

const CHANGES: readonly Told[] = [
  {kind: 'entry-written', key: 'a/1', revision: '1', value: 1},
  {kind: 'entry-written', key: 'b/1', revision: '1', value: 1},
  {kind: 'entry-written', key: 'a/2', revision: '2', value: {n: 2}},
  {kind: 'entry-deleted', key: 'a/1', revision: '3'},
  {kind: 'entry-written', key: 'a/3', revision: '4', value: 3, expiresAt: '2026-01-01T00:00:00.000Z'},
  {kind: 'entry-expired', key: 'a/3', revision: '5'},
];

const [FIRST, , SECOND, THIRD, FOURTH, FIFTH] = CHANGES.map(describeTold) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

describe('what a subscriber is told', () => {
  const cases = [
    {name: 'everything of its prefix, once and in order', told: [FIRST, SECOND, THIRD, FOURTH, FIFTH]},
    {name: 'everything but one', told: [FIRST, THIRD, FOURTH, FIFTH], says: 'Lost: '},
    {name: 'everything but the last', told: [FIRST, SECOND, THIRD, FOURTH], says: 'Lost at the end: '},
    {name: 'nothing', told: [], says: 'Lost at the end: '},
    {name: 'something twice', told: [FIRST, SECOND, SECOND, THIRD, FOURTH, FIFTH], says: 'Doubled: '},
    {name: 'the last twice', told: [FIRST, SECOND, THIRD, FOURTH, FIFTH, FIFTH], says: 'Doubled: '},
    {name: 'two in the wrong order', told: [SECOND, FIRST, THIRD, FOURTH, FIFTH], says: 'Out of order: '},
    {
      name: 'another value',
      told: [FIRST, describeTold({...(CHANGES[2] as Told), value: {n: 3}}), THIRD, FOURTH, FIFTH],
      says: 'Never happened: ',
    },
    {
      name: 'something of another prefix',
      told: [FIRST, describeTold(CHANGES[1] as Told), SECOND, THIRD, FOURTH, FIFTH],
      says: 'Never happened: ',
    },
  ];
  for (const {name, told, says} of cases) {
    test(`${says === undefined ? 'passes' : 'is rejected'} when it is ${name}`, () => {
      const judge = () => judgeContinuity({name: 'a subscriber', prefix: 'a/', told, run: async () => {}}, CHANGES);
      if (says === undefined) judge();
      else expect(judge).toThrow(says);
    });
  }
});

describe('what a subscriber that begins with what is present is told', () => {
  const cases = [
    {name: 'what was there at that revision', revision: 3, told: [SECOND]},
    {name: 'what was there, or expired by then', revision: 4, told: [SECOND]},
    {name: 'what was there and is to expire', revision: 4, told: [SECOND, FOURTH]},
    {name: 'less than was there', revision: 2, told: [SECOND], says: 'Lost at the beginning'},
    {name: 'what was deleted before', revision: 3, told: [FIRST, SECOND], says: 'Told to be there at revision 3'},
    {name: 'what came later', revision: 1, told: [FIRST, SECOND], says: 'Told to be there at revision 1'},
  ];
  for (const {name, revision, told, says} of cases) {
    test(`${says === undefined ? 'passes' : 'is rejected'} when it is ${name}`, () => {
      const judge = () => judgeBeginning({told, revision}, 'a/', CHANGES);
      if (says === undefined) judge();
      else expect(judge).toThrow(says);
    });
  }
});
