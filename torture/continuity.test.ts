import {describe, expect, test} from 'vitest';
import {checkBeginning, checkContinuity} from './continuity.ts';
import {formatEvent} from './followers/follower.ts';
import type {LoggedChange} from './history.ts';

const CHANGES: readonly LoggedChange[] = [
  {kind: 'entry-written', key: 'a/1', revision: '1', value: 1},
  {kind: 'entry-written', key: 'b/1', revision: '1', value: 1},
  {kind: 'entry-written', key: 'a/2', revision: '2', value: {n: 2}},
  {kind: 'entry-deleted', key: 'a/1', revision: '3'},
  {kind: 'entry-written', key: 'a/3', revision: '4', value: 3, expiresAt: '2026-01-01T00:00:00.000Z'},
  {kind: 'entry-expired', key: 'a/3', revision: '5'},
];

const [FIRST, , SECOND, THIRD, FOURTH, FIFTH] = CHANGES.map(formatEvent) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

describe('the events of a subscriber', () => {
  const cases = [
    {name: 'all changes of its prefix, once and in order', received: [FIRST, SECOND, THIRD, FOURTH, FIFTH]},
    {name: 'all changes but one', received: [FIRST, THIRD, FOURTH, FIFTH], message: 'Lost: '},
    {name: 'all changes but the last', received: [FIRST, SECOND, THIRD, FOURTH], message: 'Lost at the end: '},
    {name: 'nothing', received: [], message: 'Lost at the end: '},
    {name: 'a change twice', received: [FIRST, SECOND, SECOND, THIRD, FOURTH, FIFTH], message: 'Doubled: '},
    {name: 'the last change twice', received: [FIRST, SECOND, THIRD, FOURTH, FIFTH, FIFTH], message: 'Doubled: '},
    {
      name: 'two changes in the wrong order',
      received: [SECOND, FIRST, THIRD, FOURTH, FIFTH],
      message: 'Out of order: ',
    },
    {
      name: 'another value',
      received: [FIRST, formatEvent({...(CHANGES[2] as LoggedChange), value: {n: 3}}), THIRD, FOURTH, FIFTH],
      message: 'Never happened: ',
    },
    {
      name: 'a change of another prefix',
      received: [FIRST, formatEvent(CHANGES[1] as LoggedChange), SECOND, THIRD, FOURTH, FIFTH],
      message: 'Never happened: ',
    },
  ];
  for (const {name, received, message} of cases) {
    test(`${message === undefined ? 'passes' : 'is rejected'} when it is ${name}`, () => {
      const check = () => checkContinuity({name: 'a subscriber', prefix: 'a/', received, run: async () => {}}, CHANGES);
      expect(problemOf(check)).toEqual(message === undefined ? '' : expect.stringContaining(message));
    });
  }
});

describe('the events of a subscriber that starts with the present entries', () => {
  const cases = [
    {name: 'the entries at that revision', revision: 3, received: [SECOND]},
    {name: 'the entries at that revision, without one that had expired by then', revision: 4, received: [SECOND]},
    {name: 'the entries at that revision, one of them with a time to live', revision: 4, received: [SECOND, FOURTH]},
    {name: 'one entry too few', revision: 2, received: [SECOND], message: 'Missing from the snapshot'},
    {
      name: 'an entry that was deleted before',
      revision: 3,
      received: [FIRST, SECOND],
      message: 'Wrong in the snapshot of revision 3',
    },
    {
      name: 'an entry of a later revision',
      revision: 1,
      received: [FIRST, SECOND],
      message: 'Wrong in the snapshot of revision 1',
    },
  ];
  for (const {name, revision, received, message} of cases) {
    test(`${message === undefined ? 'passes' : 'is rejected'} when it is ${name}`, () => {
      const check = () => checkBeginning({received, revision}, 'a/', CHANGES);
      expect(problemOf(check)).toEqual(message === undefined ? '' : expect.stringContaining(message));
    });
  }
});

function problemOf(check: () => void): string {
  try {
    check();
    return '';
  } catch (error) {
    return String(error);
  }
}
