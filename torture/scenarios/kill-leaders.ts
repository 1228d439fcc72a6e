import {join} from 'node:path';
import {createClient} from 'crewroom/client';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {assertLogged} from '../assert-logged.ts';
import {checkContinuity} from '../continuity.ts';
import {ANSWER_MS_MAX, findMissingEngine, MEMBERS, startTwo} from '../engine.ts';
import {ClientFollower} from '../followers/client-follower.ts';
import {lastKey} from '../followers/follower.ts';
import {HistoryRecorder} from '../linearizability/recorder.ts';
import {Race} from '../race.ts';
import {assertLinearizable, countExchanges, RACE_PREFIX} from '../race-steps.ts';
import {readChanges} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';

/** Kills of a round, and the time from one to the next, in milliseconds. Ten rounds of the standard form take ten minutes. */
const KILLS = {quick: 2, standard: 6};
const KILL_MS = {quick: 3000, standard: 10_000};

/** E1, the leaders: under two services that write, the leader is killed again and again. */
export const KILL_LEADERS: Scenario = {
  id: 'E1L',
  name: 'Two services share a store in etcd whose leader is killed every ten seconds: one order explains all answers',
  rounds: {quick: 1, standard: 10},
  findMissing: findMissingEngine,
  run: async context => {
    let longestMs = 0;
    for (let round = 1; round <= context.rounds; round++) {
      await using cluster = await EtcdCluster.start(MEMBERS);
      longestMs = Math.max(longestMs, await runRound(cluster, round, context));
      context.report(`round ${round} of ${context.rounds}, at most ${longestMs} ms without an answer`);
    }
    context.count('ms without an answer at most', longestMs);
  },
};

/** @returns The longest time without an answer, in milliseconds. */
async function runRound(
  cluster: EtcdCluster,
  round: number,
  {directory, quick, random, count, signal, ...context}: ScenarioContext,
): Promise<number> {
  const [first, second] = await startTwo(cluster, {directory, signal}, `${round}`);
  const recorder = new HistoryRecorder();
  const chance = random.fork(`follower ${round}`);
  const follower = new ClientFollower({prefix: RACE_PREFIX, random: chance, signal, url: second.url});
  const followed = follower.run();
  followed.catch(() => {});
  const race = new Race(
    [first, second].map(({url}) => recorder.watch(url, ANSWER_MS_MAX)),
    random.fork(`race ${round}`),
  );
  let longestMs = 0;
  for (let kill = 1; kill <= KILLS[quick ? 'quick' : 'standard']; kill++) {
    context.report(`round ${round} of ${context.rounds}, kill ${kill}`);
    await cluster.restart(cluster.findLeader());
    longestMs = Math.max(longestMs, await watch(race, KILL_MS[quick ? 'quick' : 'standard']));
    await cluster.ready();
    count('kills');
  }
  await race.end();
  const {revision} = await createClient({baseUrl: first.url}).entries.put(lastKey(RACE_PREFIX), 'last');
  await followed;
  const changes = await readChanges(second.url, 0);
  checkContinuity(follower, changes);
  count('events checked', follower.received.length);
  assertLogged(recorder.history, changes, revision);
  for (const {process} of [first, second]) await process.stop();
  recorder.cutOff();
  await assertLinearizable(recorder.history, join(directory, `kill-leaders-${round}.history.json`));
  countExchanges(recorder.history, count);
  return longestMs;
}

/** Waits until a race has gone on for some time. @returns The longest time without a step, in milliseconds. */
async function watch(race: Race, durationMs: number): Promise<number> {
  let longestMs = 0;
  for (const endMs = performance.now() + durationMs; performance.now() < endMs; ) {
    const startMs = performance.now();
    await race.progress(1);
    longestMs = Math.max(longestMs, performance.now() - startMs);
  }
  return Math.round(longestMs);
}
