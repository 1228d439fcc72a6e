import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import type {Check, Exchange, Outcome, Write} from './exchange.ts';
import {findAnomaly} from './find-anomaly.ts';
import {mutations, simulatedHistories} from './simulated-histories.ts';
import {tryAllOrders} from './try-all-orders.ts';

/** Time of the request, and time of the answer. */
type During = readonly [requestedAt: number, answeredAt: number];

const NEVER = Number.POSITIVE_INFINITY;
const UNKNOWN: Outcome = {kind: 'unknown'};

function read(
  [requestedAt, answeredAt]: During,
  found: Readonly<Record<string, readonly [string, number] | 'absent'>>,
): Exchange {
  return {
    kind: 'read',
    requestedAt,
    answeredAt,
    found: Object.entries(found).map(([key, seen]) => ({
      key,
      entry: seen === 'absent' ? seen : {value: seen[0], revision: seen[1]},
    })),
  };
}

function commit(
  [requestedAt, answeredAt]: During,
  outcome: Outcome | number,
  writes: readonly Write[],
  ...checks: Check[]
): Exchange {
  return {
    kind: 'commit',
    requestedAt,
    answeredAt,
    checks,
    writes,
    outcome: typeof outcome === 'number' ? {kind: 'committed', revision: outcome} : outcome,
  };
}

function put(during: During, outcome: Outcome | number, value: string, ...checks: Check[]): Exchange {
  return commit(during, outcome, [{kind: 'put', key: 'a', value}], ...checks);
}

function remove(during: During, outcome: Outcome, ...checks: Check[]): Exchange {
  return commit(during, outcome, [{kind: 'delete', key: 'a'}], ...checks);
}

function patch(during: During, outcome: Outcome | number, member: string): Exchange {
  return commit(during, outcome, [{kind: 'patch', key: 'a', member}]);
}

function refused(actual: number | 'absent'): Outcome {
  return {kind: 'refused', conflicts: [{key: 'a', actual}]};
}

function isAt(expected: Check['expected'], key = 'a'): Check {
  return {key, expected};
}

const DELETED: Outcome = {kind: 'committed'};

interface Example {
  readonly name: string;
  readonly history: readonly Exchange[];
}

const RIGHT: readonly Example[] = [
  {name: 'nothing at all', history: []},
  {
    name: 'one after the other',
    history: [read([1, 2], {a: 'absent'}), put([3, 4], 1, '1'), read([5, 6], {a: ['1', 1]})],
  },
  {
    name: 'reads that see a write before and after it while it is under way',
    history: [put([1, 2], 1, '1'), put([3, 8], 2, '2'), read([4, 5], {a: ['1', 1]}), read([6, 7], {a: ['2', 2]})],
  },
  {
    name: 'one winner of a revision, and losers whose answers name it',
    history: [
      put([1, 2], 1, '1'),
      put([3, 6], 2, 'x', isAt(1)),
      put([4, 7], refused(2), 'y', isAt(1)),
      put([5, 8], refused(2), 'z', isAt(1)),
    ],
  },
  {
    name: 'two writers who both create an entry, one of whom is refused',
    history: [put([1, 3], 1, 'x', isAt('absent')), put([2, 4], refused(1), 'y', isAt('absent'))],
  },
  {
    name: 'a deletion, and writes after it',
    history: [
      put([1, 2], 1, '1'),
      remove([3, 6], DELETED, isAt('present')),
      read([4, 5], {a: 'absent'}),
      put([7, 8], 3, '2', isAt('absent')),
    ],
  },
  {
    name: 'a write without an answer that becomes visible much later',
    history: [
      put([1, 2], 1, '1'),
      put([3, NEVER], UNKNOWN, '2'),
      read([4, 5], {a: ['1', 1]}),
      read([6, 7], {a: ['2', 2]}),
    ],
  },
  {
    name: 'a write without an answer that never becomes visible',
    history: [put([1, 2], 1, '1'), put([3, NEVER], UNKNOWN, '2'), read([4, 5], {a: ['1', 1]})],
  },
  {
    name: 'a write without an answer that only a refusal shows',
    history: [put([1, 2], 1, '1'), put([3, NEVER], UNKNOWN, '2'), put([4, 5], refused(2), '3', isAt(1))],
  },
  {
    name: 'an entry that a write without an answer must have created, and that was deleted before any read',
    history: [put([1, NEVER], UNKNOWN, '1'), remove([2, 3], DELETED, isAt('present')), read([4, 5], {a: 'absent'})],
  },
  {
    name: 'a write that was interrupted by a crash after it reached the disk',
    history: [put([1, 3], UNKNOWN, '1'), read([4, 5], {a: ['1', 1]})],
  },
  {
    name: 'patches of which each adds its member',
    history: [
      patch([1, 4], 1, 'x'),
      patch([2, 5], 2, 'y'),
      patch([3, 9], UNKNOWN, 'z'),
      read([6, 7], {a: ['["x","y"]', 2]}),
      patch([8, 10], 4, 'w'),
      read([11, 12], {a: ['["w","x","y","z"]', 4]}),
    ],
  },
  {
    name: 'two keys that are written and read together',
    history: [
      commit(
        [1, 4],
        1,
        [
          {kind: 'put', key: 'a', value: '1'},
          {kind: 'put', key: 'b', value: '1'},
        ],
        isAt('absent'),
        isAt('absent', 'b'),
      ),
      read([2, 3], {a: 'absent', b: 'absent'}),
      read([5, 6], {a: ['1', 1], b: ['1', 1]}),
    ],
  },
  {
    name: 'revisions that two keys share',
    history: [put([1, 2], 1, '1'), commit([3, 4], 2, [{kind: 'put', key: 'b', value: '1'}]), put([5, 6], 3, '2')],
  },
  {
    name: 'a revision that must belong to one of two writes without an answer',
    history: [put([1, NEVER], UNKNOWN, '1'), put([2, NEVER], UNKNOWN, '2'), put([3, 4], 2, '3')],
  },
];

const WRONG: readonly Example[] = [
  {
    name: 'a revision that no commit can have',
    history: [put([1, 2], 1, '1'), put([3, 4], 3, '2')],
  },
  {
    name: 'more commits than revisions',
    history: [put([1, 2], 1, '1'), remove([3, 4], DELETED, isAt('present')), put([5, 6], 2, '2')],
  },
  {
    name: 'a stale read',
    history: [put([1, 2], 1, '1'), put([3, 4], 2, '2'), read([5, 6], {a: ['1', 1]})],
  },
  {
    name: 'a read that does not show an acknowledged write',
    history: [put([1, 2], 1, '1'), read([3, 4], {a: 'absent'})],
  },
  {
    name: 'two reads that show two writes in two orders',
    history: [put([1, 6], 1, '1'), put([2, 7], 2, '2'), read([3, 4], {a: ['2', 2]}), read([5, 8], {a: ['1', 1]})],
  },
  {
    name: 'a lost update',
    history: [put([1, 2], 1, '1'), put([3, 5], 2, 'x', isAt(1)), put([4, 6], 3, 'y', isAt(1))],
  },
  {
    name: 'an entry that two writers created',
    history: [put([1, 3], 1, 'x', isAt('absent')), put([2, 4], 2, 'y', isAt('absent'))],
  },
  {
    name: 'one revision for two commits of two keys',
    history: [put([1, 2], 1, '1'), commit([3, 4], 1, [{kind: 'put', key: 'b', value: '1'}])],
  },
  {
    name: 'a revision of another key below a known one',
    history: [put([1, 2], 5, '1'), commit([3, 4], 4, [{kind: 'put', key: 'b', value: '1'}])],
  },
  {
    name: 'a read from the future',
    history: [read([1, 2], {a: ['1', 1]}), put([3, 4], 1, '1')],
  },
  {
    name: 'a read of a value that was never written',
    history: [put([1, 2], 1, '1'), read([3, 4], {a: ['2', 1]})],
  },
  {
    name: 'a read of a revision that was never written',
    history: [put([1, 2], 1, '1'), read([3, 4], {a: ['1', 2]})],
  },
  {
    name: 'a refusal though the revision was right',
    history: [put([1, 2], 1, '1'), put([3, 4], refused(1), '2', isAt(1))],
  },
  {
    name: 'a refusal with an old revision',
    history: [put([1, 2], 1, '1'), put([3, 4], 2, '2'), put([5, 6], refused(1), '3', isAt('absent'))],
  },
  {
    name: 'a refused write that becomes visible',
    history: [put([1, 2], 1, '1'), put([3, 4], refused(1), '2', isAt('absent')), read([5, 6], {a: ['2', 2]})],
  },
  {
    name: 'a write without an answer that was seen, and is missing later',
    history: [
      put([1, 2], 1, '1'),
      put([3, NEVER], UNKNOWN, '2'),
      read([4, 5], {a: ['2', 2]}),
      read([6, 7], {a: ['1', 1]}),
    ],
  },
  {
    name: 'a write without an answer that is visible before its request',
    history: [read([1, 2], {a: ['1', 1]}), put([3, NEVER], UNKNOWN, '1')],
  },
  {
    name: 'a write without an answer that happened although its check did not hold',
    history: [
      put([1, 2], 1, '1'),
      put([3, 4], 2, '2'),
      put([5, NEVER], UNKNOWN, '3', isAt(1)),
      read([6, 7], {a: ['3', 3]}),
    ],
  },
  {
    name: 'a write interrupted by a crash that becomes visible later than right after it',
    history: [put([1, 2], UNKNOWN, '1'), read([3, 4], {a: 'absent'}), read([5, 6], {a: ['1', 1]})],
  },
  {
    name: 'two entries from one write without an answer',
    history: [put([1, NEVER], UNKNOWN, '1'), read([2, 3], {a: ['1', 1]}), read([4, 5], {a: ['1', 2]})],
  },
  {
    name: 'an entry that is present again after its deletion',
    history: [put([1, 2], 1, '1'), remove([3, 4], DELETED, isAt('present')), read([5, 6], {a: ['1', 1]})],
  },
  {
    name: 'an entry that two callers deleted',
    history: [put([1, 2], 1, '1'), remove([3, 5], DELETED, isAt('present')), remove([4, 6], DELETED, isAt('present'))],
  },
  {
    name: 'a patch that removed the member of another patch',
    history: [patch([1, 3], 1, 'x'), patch([2, 4], 2, 'y'), read([5, 6], {a: ['["y"]', 2]})],
  },
  {
    name: 'half a transaction',
    history: [
      commit([1, 4], 1, [
        {kind: 'put', key: 'a', value: '1'},
        {kind: 'put', key: 'b', value: '1'},
      ]),
      read([2, 3], {a: ['1', 1], b: 'absent'}),
    ],
  },
  {
    name: 'half a transaction without an answer, in two reads',
    history: [
      commit([1, NEVER], UNKNOWN, [
        {kind: 'put', key: 'a', value: '1'},
        {kind: 'put', key: 'b', value: '1'},
      ]),
      read([2, 3], {a: ['1', 1]}),
      read([4, 5], {b: 'absent'}),
    ],
  },
  {
    name: 'a transaction of which one check did not hold',
    history: [
      commit([1, 2], 1, [{kind: 'put', key: 'b', value: '1'}]),
      commit([3, 4], 2, [{kind: 'put', key: 'a', value: '1'}], isAt('absent', 'b')),
    ],
  },
];

describe('findAnomaly()', () => {
  for (const {name, history} of RIGHT) test(`accepts ${name}`, () => assert.equal(findAnomaly(history), undefined));

  for (const {name, history} of WRONG) test(`finds ${name}`, () => assert.notEqual(findAnomaly(history), undefined));

  test('names the state of the store, and the answers that do not fit', () => {
    const history = [put([1, 2], 1, '1'), put([3, 4], 2, '2'), read([5, 6], {a: ['1', 1]})];
    assert.equal(
      findAnomaly(history),
      [
        'no order explains all answers; after 2 of 3 answers the store would be at revision 2 and contain',
        'a = 2 (revision 2); none of these can be next:',
        '[5, 6] read a = 1 (revision 1)',
      ].join('\n'),
    );
  });

  test('accepts no history if it gives up', () => {
    const history = [put([1, 2], 1, '1'), read([3, 4], {a: ['1', 1]})];
    assert.match(findAnomaly(history, {configurationsMax: 0}) ?? '', /^no order was found within 0 configurations/);
  });

  test('accepts the answers of a store, with concurrent requests, lost answers and crashes', () => {
    fc.assert(fc.property(simulatedHistories({exchangesMax: 60}), history => findAnomaly(history) === undefined));
  });

  test('agrees with a search of all orders, also if an answer was changed', () => {
    let rejected = 0;
    const changed = simulatedHistories({exchangesMax: 6}).chain(mutations);
    fc.assert(
      fc.property(changed, history => {
        const isRight = tryAllOrders(history);
        if (!isRight) rejected++;
        assert.equal(findAnomaly(history) === undefined, isRight);
      }),
      {numRuns: 1000},
    );
    assert.ok(rejected > 50, `${rejected} of 1000 were wrong`);
  });
});
