import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {ManualTimers} from '../../../../test/support/background.ts';
import {SILENT_LOG} from '../../../core/domain/log.ts';
import {EngineFailure} from '../engine/driver.ts';
import {EtcdSpace, type EtcdSpaceDeps} from './member-facts.ts';

type MemberSpace = Awaited<ReturnType<EtcdSpaceDeps['readSpace']>>;

/** Pause between two checks, in milliseconds. */
const CHECK_MS = 5000;

interface Checked {
  readonly space: EtcdSpace;
  readonly logged: readonly string[];
  /** Checks again, and waits until that is done. */
  readonly check: () => Promise<void>;
}

/** Watches a member that reports these spaces, one after the other; `denied` for files that cannot be read. */
async function watch(...reports: readonly (MemberSpace | 'denied')[]): Promise<Checked> {
  const left = [...reports];
  const logged: string[] = [];
  const timers = new ManualTimers();
  const readSpace = async (): Promise<MemberSpace> => {
    const report = left.shift();
    if (report === 'denied') throw new EngineFailure('denied', 'a file cannot be read');
    return report ?? 'unreported';
  };
  const log = {...SILENT_LOG, error: (message: string) => void logged.push(message)};
  const space = new EtcdSpace({readSpace, timers, log});
  const endTick = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
  await endTick();
  const check = async (): Promise<void> => {
    assert.equal(timers.fire(CHECK_MS), 1);
    await endTick();
  };
  return {space, logged, check};
}

describe('the space of etcd', () => {
  test('is kept for deletions from 80 % of the quota on, until there is more', async () => {
    const {space, check} = await watch({usedBytes: 80, quotaBytes: 100}, {usedBytes: 79, quotaBytes: 100});
    assert.throws(() => space.assertSpace(), {kind: 'full'});
    await check();
    space.assertSpace();
    space.close();
  });

  test('makes the engine full only once it refuses puts: at its quota, or by an alarm', async () => {
    const used = (usedBytes: number, problem?: string): MemberSpace => ({usedBytes, quotaBytes: 100, problem});
    // etcd 3.4 gives no reason, such as a missing leader.
    const silent = 'it is not healthy';
    const refusing = [used(100), used(10, 'ALARM NOSPACE'), used(80, silent)];
    const {space, check} = await watch(used(99), ...refusing, used(79, silent), used(10));
    assert.equal(space.fullBecause, undefined);
    for (const expected of [/uses 100 of 100 bytes/, /uses 10 of 100 bytes; compact/, /uses 80 of 100 bytes/]) {
      await check();
      assert.match(space.fullBecause ?? '', expected);
    }
    for (let count = 1; count <= 2; count++) {
      await check();
      assert.equal(space.fullBecause, undefined);
    }
    space.close();
  });

  test('stays as it was while files are being replaced, or nothing is reported', async () => {
    const {space, check} = await watch({usedBytes: 90, quotaBytes: 100}, 'denied', 'silent', 'unreported');
    for (let count = 1; count <= 3; count++) {
      await check();
      assert.throws(() => space.assertSpace(), {kind: 'full'});
    }
    space.close();
  });

  test('is not logged as unknown while etcd does not answer', async () => {
    const {space, logged, check} = await watch('silent', 'silent');
    await check();
    assert.deepEqual(logged, []);
    space.close();
  });

  test('is logged once if it is not known', async () => {
    const {space, logged, check} = await watch();
    await check();
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /does not report its space/);
    space.assertSpace();
    space.close();
  });
});
