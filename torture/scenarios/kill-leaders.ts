import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
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

/** Pause between two commits whose answers are timed, in milliseconds. */
const PULSE_MS = 50;

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
    const pulse = new Pulse(first.url);
    const changes: Changes[number][] = [];
    // Again and again, since the log keeps the newest changes only.
    const readOn = async (): Promise<void> => {
      changes.push(...(await readChanges(second.url, Number(changes.at(-1)?.revision ?? 0))));
    };
    for (let round = 1; round <= rounds; round++) {
      report(`kill ${round} of ${rounds}, at most ${pulse.longestMs} ms without a commit`);
      await delay(quick ? KILL_MS.quick : KILL_MS.standard, undefined, {signal});
      await cluster.restart(cluster.findLeader());
      await cluster.ready();
      await race.progress(1);
      await readOn();
      count('kills');
    }
    await race.end();
    await pulse.end();
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
    count('ms without a commit at most', pulse.longestMs);
  },
};

/** Result of {@link readChanges}. */
type Changes = Awaited<ReturnType<typeof readChanges>>;

/** Commits again and again, and measures the longest time between two answers, in milliseconds. */
class Pulse {
  longestMs = 0;
  readonly #running: Promise<void>;
  #isEnded = false;

  constructor(url: string) {
    this.#running = this.#run(url);
    // Reported by `end`.
    this.#running.catch(() => {});
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }

  async #run(url: string): Promise<void> {
    const {entries} = createClient({baseUrl: url, attemptsMax: 100});
    for (let count = 0, lastMs = performance.now(); !this.#isEnded; count++) {
      await entries.put('pulse', `${count}`);
      const nowMs = performance.now();
      this.longestMs = Math.max(this.longestMs, Math.round(nowMs - lastMs));
      lastMs = nowMs;
      await delay(PULSE_MS);
    }
  }
}
