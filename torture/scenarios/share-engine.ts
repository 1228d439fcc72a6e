import {setTimeout as delay} from 'node:timers/promises';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {findMissingEngine, MEMBERS, type Sharer, startTwo} from '../engine.ts';
import type {Race} from '../race.ts';
import {raceUnderFaults} from '../race-under-faults.ts';
import type {Scenario} from '../scenario.ts';

/** Steps of all writers together before each fault, and after the last. */
const STEPS = {quick: 40, standard: 200};

/** Faults, one after the other. What was stopped continues before the next. */
const FAULTS = [
  'kill the leader',
  'stop the leader',
  'stop a follower',
  'stop a service',
  'kill a service',
  'stop the majority',
] as const;

type Fault = (typeof FAULTS)[number];

/** Time for which processes are stopped, in milliseconds: longer than the service waits for a member. */
const STOPPED_MS = {quick: 3000, standard: 20_000};

/** E1: two services on one engine, whose members are killed and stopped, and they too. */
export const SHARE_ENGINE: Scenario = {
  id: 'E1',
  name: 'Two services share a store in etcd; members and services are killed and stopped: one order explains all answers',
  rounds: {quick: 1, standard: 10},
  findMissing: findMissingEngine,
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      await using cluster = await EtcdCluster.start(MEMBERS);
      const sharers = await startTwo(cluster, context, `${round}`);
      const stoppedMs = context.quick ? STOPPED_MS.quick : STOPPED_MS.standard;
      await raceUnderFaults({sharers, stoppedMs, steps: context.quick ? STEPS.quick : STEPS.standard}, round, {
        ...context,
        faults: FAULTS,
        inject: async (fault, race) => {
          await inject(fault, {cluster, sharers, race, stoppedMs});
          await cluster.ready();
        },
      });
      context.count('rounds');
    }
  },
};

interface Injected {
  readonly cluster: EtcdCluster;
  readonly sharers: readonly [Sharer, Sharer];
  readonly race: Race;
  readonly stoppedMs: number;
}

async function inject(fault: Fault, {cluster, sharers, race, stoppedMs}: Injected): Promise<void> {
  const leader = cluster.findLeader();
  const followers = [leader + 1, leader + 2].map(index => index % MEMBERS);
  if (fault === 'kill the leader') return cluster.restart(leader);
  if (fault === 'kill a service') return sharers[1].restart();
  if (fault === 'stop a service') {
    process.kill(sharers[1].process.processId, 'SIGSTOP');
    // The other one goes on.
    await race.progress(20, 0);
    await delay(stoppedMs);
    process.kill(sharers[1].process.processId, 'SIGCONT');
    return;
  }
  const stopped = {
    'stop the leader': [leader],
    'stop a follower': followers.slice(0, 1),
    'stop the majority': followers,
  }[fault];
  for (const member of stopped) cluster.signal(member, 'SIGSTOP');
  // Two members that are left find a leader, and go on.
  if (stopped.length === 1) await race.progress(20);
  await delay(stoppedMs);
  for (const member of stopped) cluster.signal(member, 'SIGCONT');
}
