import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {createClient} from 'crewroom/client';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {assertLogged} from '../assert-logged.ts';
import {checkContinuity} from '../continuity.ts';
import {ANSWER_MS_MAX, findMissingEngine, MEMBERS, type Sharer, startTwo} from '../engine.ts';
import {ClientFollower} from '../followers/client-follower.ts';
import {lastKey} from '../followers/follower.ts';
import {SseFollower} from '../followers/sse-follower.ts';
import {HistoryRecorder} from '../linearizability/recorder.ts';
import {Race} from '../race.ts';
import {assertLinearizable, countExchanges, RACE_PREFIX} from '../race-steps.ts';
import {readChanges} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';

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
      await runRound(cluster, round, context);
      context.count('rounds');
    }
  },
};

async function runRound(cluster: EtcdCluster, round: number, context: ScenarioContext): Promise<void> {
  const {directory, signal, report, count, random, quick} = context;
  const sharers = await startTwo(cluster, context, `${round}`);
  const recorder = new HistoryRecorder();
  const stoppedMs = quick ? STOPPED_MS.quick : STOPPED_MS.standard;
  const race = new Race(
    // The second service is stopped too, and answers only after that.
    sharers.map(({url}, at) => recorder.watch(url, ANSWER_MS_MAX + at * stoppedMs)),
    random.fork(`round ${round}`),
  );
  const [first, second] = sharers;
  const following = {prefix: RACE_PREFIX, random: random.fork(`followers ${round}`), signal};
  const followers = [
    new SseFollower({...following, url: first.url}),
    new ClientFollower({...following, url: first.url}),
    new SseFollower({...following, url: second.url}),
  ];
  const followed = Promise.all(followers.map(follower => follower.run()));
  followed.catch(() => {});
  const steps = quick ? STEPS.quick : STEPS.standard;
  for (const fault of FAULTS) {
    report(`round ${round} of ${context.rounds}, ${fault}`);
    await race.progress(steps);
    await inject(fault, {cluster, sharers, race, stoppedMs});
    await cluster.ready();
    count('faults');
  }
  await race.progress(steps);
  await race.end();
  const last = await createClient({baseUrl: first.url}).entries.put(lastKey(RACE_PREFIX), '"last"');
  report(`round ${round} of ${context.rounds}, ${followers.length} subscribers receive their last events`);
  await followed;
  const changes = await readChanges(second.url, 0);
  for (const follower of followers) {
    checkContinuity(follower, changes);
    count('events checked', follower.received.length);
  }
  assertLogged(recorder.history, changes, last.revision);
  for (const {process} of sharers) await process.stop();
  recorder.cutOff();
  await assertLinearizable(recorder.history, join(directory, `share-engine-${round}.history.json`));
  countExchanges(recorder.history, count);
}

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
