import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {SILENT_LOG} from '../../../core/domain/log.ts';
import {type MemberFacts, MemberSpace} from './member-facts.ts';

const LEADER: Omit<MemberFacts, 'usedBytes'> = {
  member: 'a',
  version: '3.5.21',
  quotaBytes: 100,
  isLeader: true,
  aheadMs: 0,
  dateMs: Number.NaN,
};

function used(usedBytes: number): MemberFacts {
  return {...LEADER, usedBytes};
}

describe('the space of a member', () => {
  test('is kept for deletions from 80 % of the quota on, until there is more', () => {
    const space = new MemberSpace(SILENT_LOG);
    space.learn(used(80));
    assert.throws(() => space.assertSpace(), {kind: 'full'});
    space.learn(used(79));
    space.assertSpace();
  });

  test('makes the engine full only once it refuses puts: at its quota, or by an alarm', () => {
    const space = new MemberSpace(SILENT_LOG);
    // etcd 3.4 gives no reason, such as a missing leader.
    const silent = 'it is not healthy';
    const puts = /^undefined$/;
    for (const {usedBytes, problem, expected} of [
      {usedBytes: 99, expected: puts},
      {usedBytes: 100, expected: /uses 100 of 100 bytes/},
      {usedBytes: 10, problem: 'ALARM NOSPACE', expected: /uses 10 of 100 bytes; compact/},
      {usedBytes: 80, problem: silent, expected: /uses 80 of 100 bytes/},
      {usedBytes: 79, problem: silent, expected: puts},
      {usedBytes: 10, expected: puts},
    ]) {
      space.learn(used(usedBytes), problem);
      assert.match(String(space.fullBecause), expected);
    }
  });

  test('stays as it was while nothing is reported', () => {
    const space = new MemberSpace(SILENT_LOG);
    space.learn(used(90));
    for (const facts of ['silent', 'unreported'] as const) {
      space.learn(facts);
      assert.throws(() => space.assertSpace(), {kind: 'full'});
    }
  });

  test('is logged once if it is not known, and not while etcd does not answer', () => {
    const logged: string[] = [];
    const space = new MemberSpace({...SILENT_LOG, error: (message: string) => void logged.push(message)});
    space.learn('silent');
    assert.deepEqual(logged, []);
    for (let count = 1; count <= 2; count++) space.learn('unreported');
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /does not report its space/);
    space.assertSpace();
  });
});
