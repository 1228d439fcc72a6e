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
import type {Scenario} from '../scenario.ts';

/** Time from one kill to the next, in milliseconds. */
const KILL_MS = {quick: 3000, standard: 10_000};

/** E1, the leaders: under two services that write, the leader is killed again and again. */
export const KILL_LEADERS: Scenario = {
  id: 'E1L',
  name: 'Two services share a store in etcd whose leader is killed every ten seconds: one order explains all answers',
  rounds: {quick: 2, standard: 60},
  findMissing: findMissingEngine,
  run: async context => {
    const {directory, rounds, quick, random, report, count, signal} = context;
    await using cluster = await EtcdCluster.start(MEMBERS);
    const [first, second] = await startTwo(cluster, context, 'data');
    const recorder = new HistoryRecorder();
    const follower = new ClientFollower({
      prefix: RACE_PREFIX,
      random: random.fork('follower'),
      signal,
      url: second.url,
    });
    const followed = follower.run();
    followed.catch(() => {});
    const race = new Race(
      [first, second].map(({url}) => recorder.watch(url, ANSWER_MS_MAX)),
      random.fork('race'),
    );
    let longestMs = 0;
    const changes: Changes[number][] = [];
    // Again and again, since the log keeps the newest changes only.
    const readOn = async (): Promise<void> => {
      changes.push(...(await readChanges(second.url, Number(changes.at(-1)?.revision ?? 0))));
    };
    for (let round = 1; round <= rounds; round++) {
      report(`kill ${round} of ${rounds}, at most ${longestMs} ms without an answer`);
      await cluster.restart(cluster.findLeader());
      longestMs = Math.max(longestMs, await watch(race, quick ? KILL_MS.quick : KILL_MS.standard));
      await readOn();
      count('kills');
    }
    await race.end();
    const {revision} = await createClient({baseUrl: first.url}).entries.put(lastKey(RACE_PREFIX), '"last"');
    await followed;
    await readOn();
    checkContinuity(follower, changes);
    count('events checked', follower.received.length);
    assertLogged(recorder.history, changes, revision);
    for (const {process} of [first, second]) await process.stop();
    recorder.cutOff();
    await assertLinearizable(recorder.history, join(directory, 'kill-leaders.history.json'));
    countExchanges(recorder.history, count);
    count('ms without an answer at most', longestMs);
  },
};

/** Result of {@link readChanges}. */
type Changes = Awaited<ReturnType<typeof readChanges>>;

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
