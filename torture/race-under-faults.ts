import {join} from 'node:path';
import {createClient} from 'crewroom/client';
import {assertLogged} from './assert-logged.ts';
import {checkContinuity} from './continuity.ts';
import {ANSWER_MS_MAX, type Sharer} from './engine.ts';
import {ClientFollower} from './followers/client-follower.ts';
import {lastKey} from './followers/follower.ts';
import {SseFollower} from './followers/sse-follower.ts';
import {HistoryRecorder} from './linearizability/recorder.ts';
import {Race} from './race.ts';
import {assertLinearizable, countExchanges, RACE_PREFIX} from './race-steps.ts';
import {readChanges} from './read-back.ts';
import type {ScenarioContext} from './scenario.ts';

/** Two services on one engine, which write and read at the same time. */
export interface SharedRace {
  readonly sharers: readonly [Sharer, Sharer];
  /** Steps of all writers together before each fault, and after the last. */
  readonly steps: number;
  /** Time that a fault lasts, in milliseconds. */
  readonly stoppedMs: number;
}

/** Faults, one after the other. */
export interface FaultContext<F extends string> extends ScenarioContext {
  readonly faults: readonly F[];
  /** Makes a fault, and ends it. */
  readonly inject: (fault: F, race: Race) => Promise<void>;
}

/** Races under faults. Rejects unless one order explains all answers, and every subscriber got every event once. */
export async function raceUnderFaults<F extends string>(
  {sharers, steps, stoppedMs}: SharedRace,
  round: number,
  {directory, signal, report, count, random, rounds, faults, inject}: FaultContext<F>,
): Promise<void> {
  const recorder = new HistoryRecorder();
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
  for (const fault of faults) {
    report(`round ${round} of ${rounds}, ${fault}`);
    await race.progress(steps);
    await inject(fault, race);
    count('faults');
  }
  await race.progress(steps);
  await race.end();
  const last = await createClient({baseUrl: first.url}).entries.put(lastKey(RACE_PREFIX), 'last');
  report(`round ${round} of ${rounds}, ${followers.length} subscribers receive their last events`);
  await followed;
  const changes = await readChanges(second.url, 0);
  for (const follower of followers) {
    checkContinuity(follower, changes);
    count('events checked', follower.received.length);
  }
  assertLogged(recorder.history, changes, last.revision);
  for (const {process} of sharers) await process.stop();
  recorder.cutOff();
  await assertLinearizable(recorder.history, join(directory, `race-${round}.history.json`));
  countExchanges(recorder.history, count);
}
