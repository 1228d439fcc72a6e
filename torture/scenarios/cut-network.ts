import {setTimeout as delay} from 'node:timers/promises';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {findMissingEngine, MEMBERS, startSharer} from '../engine.ts';
import {canMakeNetworks, Gate, Network} from '../network.ts';
import {raceUnderFaults} from '../race-under-faults.ts';
import type {Scenario} from '../scenario.ts';

/** Steps of all writers together before each fault, and after the last. */
const STEPS = {quick: 40, standard: 200};

/** Parts of the network that are cut, one after the other, and repaired before the next. */
const FAULTS = [
  'cut off the leader',
  'cut off a follower',
  'cut what the leader sends to a follower',
  'cut what a follower sends to the leader',
  'cut off a service',
] as const;

/** Time for which the network is cut, in milliseconds. */
const CUT_MS = {quick: 4000, standard: 60_000};

/** E5: partitions of one member, of one service, and in one direction. */
export const CUT_NETWORK: Scenario = {
  id: 'E5',
  name: 'Two services share a store in etcd; members and a service are cut off, also in one direction: one order explains all answers',
  rounds: {quick: 1, standard: 3},
  findMissing: async () =>
    (await findMissingEngine()) ?? (canMakeNetworks() ? undefined : 'the right to make network namespaces'),
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      using network = new Network(MEMBERS, process.pid);
      await using cluster = await EtcdCluster.start(MEMBERS, [], network.hosts);
      await using gates = await openGates(cluster.addresses);
      const sharers = [
        await startSharer({cluster, context, name: `first-${round}`}),
        await startSharer({cluster: gates, context, name: `second-${round}`}),
      ] as const;
      const {steps, stoppedMs} = context.quick
        ? {steps: STEPS.quick, stoppedMs: CUT_MS.quick}
        : {steps: STEPS.standard, stoppedMs: CUT_MS.standard};
      await raceUnderFaults({sharers, steps, stoppedMs}, round, {
        ...context,
        faults: FAULTS,
        inject: async (fault, race) => {
          const leader = cluster.findLeader();
          const follower = (leader + 1) % MEMBERS;
          if (fault === 'cut off the leader') network.cutOff(leader);
          else if (fault === 'cut off a follower') network.cutOff(follower);
          else if (fault === 'cut off a service') gates.cut();
          else if (fault === 'cut what the leader sends to a follower') network.cutOneWay(leader, follower);
          else network.cutOneWay(follower, leader);
          // The first service goes on: two members that are left find a leader.
          await race.progress(20, 0);
          await delay(stoppedMs);
          network.repair();
          gates.repair();
          await cluster.ready();
        },
      });
      context.count('rounds');
    }
  },
};

interface Gates extends AsyncDisposable {
  readonly addresses: readonly string[];
  cut(): void;
  repair(): void;
}

/** Opens a gate to each member. */
async function openGates(members: readonly string[]): Promise<Gates> {
  const gates = await Promise.all(members.map(member => Gate.open(member)));
  return {
    addresses: gates.map(({address}) => address),
    cut: () => {
      for (const gate of gates) gate.cut();
    },
    repair: () => {
      for (const gate of gates) gate.repair();
    },
    [Symbol.asyncDispose]: async () => {
      for (const gate of gates) await gate[Symbol.asyncDispose]();
    },
  };
}
