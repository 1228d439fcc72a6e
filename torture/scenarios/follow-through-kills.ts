import {createClient} from 'crewroom/client';
import {openEventStream} from '../../test/support/event-stream.ts';
import {findFreePort} from '../../test/support/free-port.ts';
import {checkBeginning, checkContinuity} from '../continuity.ts';
import {ClientFollower} from '../followers/client-follower.ts';
import {type Follower, type FollowerOptions, lastKey} from '../followers/follower.ts';
import {SseFollower} from '../followers/sse-follower.ts';
import {WebSocketFollower} from '../followers/web-socket-follower.ts';
import type {LoggedChange} from '../history.ts';
import {runKillRounds} from '../kill-rounds.ts';
import {LossError} from '../loss-error.ts';
import {readChanges} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import type {ServiceProcess} from '../service-process.ts';

/** C9: a subscriber that reconnects after a kill has received every event. */
export const FOLLOW_THROUGH_KILLS: Scenario = {
  id: 'C9',
  name: 'Subscribers that reconnect after each kill miss no event, get none twice, and all in order',
  rounds: {quick: 4, standard: 60},
  run: async context => {
    const port = await findFreePort();
    const changes: LoggedChange[] = [];
    const followers = createFollowers(context, `http://127.0.0.1:${port}`);
    const following = Promise.all(followers.map(follower => follower.run()));
    // Awaited after the rounds; an earlier rejection must not end the process.
    following.catch(() => {});
    await runKillRounds(context, {
      port,
      onChanges: received => changes.push(...received),
      afterLast: async service => {
        const last = await writeLast(service, followers);
        const rest = await readChanges(service.url, Number(changes.at(-1)?.revision ?? 0));
        // Expiries before the last write come before it; later ones need not be received.
        changes.push(...rest.filter(({revision}) => Number(revision) <= last));
        context.report(`${followers.length} subscribers receive their last events`);
        await following;
        check(followers, changes, context);
        await checkOldCursors(service, context);
      },
    });
  },
};

function createFollowers({random, signal}: ScenarioContext, url: string): readonly Follower[] {
  const options = (name: string, prefix: string): FollowerOptions => ({url, prefix, random: random.fork(name), signal});
  return [
    new SseFollower(options('sse', '')),
    new SseFollower(options('sse of one writer', 'writer-3/')),
    new SseFollower({...options('late', 'writer-1/'), initial: true}),
    new WebSocketFollower(options('web socket', '')),
    new WebSocketFollower(options('web socket of the shared entries', 'shared/')),
    new ClientFollower(options('client', '')),
    new ClientFollower(options('client of expiring entries', 'writer-2/expiring/')),
  ];
}

/** Writes an entry of every prefix in one commit, so that each subscriber recognises the end. @returns Its revision. */
async function writeLast({url}: ServiceProcess, followers: readonly Follower[]): Promise<number> {
  const prefixes = new Set(followers.map(({prefix}) => prefix));
  // Last key of those who follow everything.
  const keys = Array.from(prefixes, lastKey).sort((a, b) => b.length - a.length);
  const operations = keys.map(key => ({kind: 'put', key, value: 'last'}) as const);
  const {revision} = await createClient({baseUrl: url}).entries.transact({operations});
  return revision;
}

function check(followers: readonly Follower[], changes: readonly LoggedChange[], {count}: ScenarioContext): void {
  for (const follower of followers) {
    const present = follower instanceof SseFollower ? follower.present : undefined;
    const {revision = 0} = present ?? {};
    if (present !== undefined) checkBeginning(present, follower.prefix, changes);
    checkContinuity(
      follower,
      changes.filter(change => Number(change.revision) > revision),
    );
    count('events checked', follower.received.length);
  }
}

/** Maximum size of the values in the change log, in bytes, as documented. */
const LOG_BYTES = 64 * 1024 * 1024;

/** Values that the log keeps whole, and the number of them that one transaction of 2 MiB takes. */
const FILLER_BYTES = 60 * 1024;
const FILLERS = 30;
const COMMIT_BYTES = FILLERS * FILLER_BYTES;

/** Fills the log, and finds the cursors from which the log still serves every event. */
async function checkOldCursors({url}: ServiceProcess, {report}: ScenarioContext): Promise<void> {
  report('filling the change log');
  const {entries} = createClient({baseUrl: url});
  let revision = 0;
  for (let bytes = 0; bytes < LOG_BYTES * 1.25; bytes += COMMIT_BYTES) {
    const json = `"${String(bytes).padEnd(FILLER_BYTES, '.')}"`;
    const operations = Array.from(
      {length: FILLERS},
      (_, index) => ({kind: 'put', key: `filler/${index}`, value: Buffer.from(json)}) as const,
    );
    ({revision} = await entries.transact({operations}));
  }
  // Expiries meanwhile have commits of their own, which only adds expected events.
  const kept = revision - Math.floor((LOG_BYTES * 0.75) / COMMIT_BYTES);
  await checkCursor(url, {cursor: kept, mayBeReset: false});
  // The log may keep a little more than documented; then it must keep all of it.
  for (const cursor of [0, 1, revision - Math.ceil(LOG_BYTES / COMMIT_BYTES)])
    await checkCursor(url, {cursor, mayBeReset: true});
  const {kind} = await readFirstEvent(url, 0);
  if (kind !== 'reset') throw new LossError(`The first revision is no longer in the log, and its cursor got ${kind}`);
}

interface CheckedCursor {
  readonly cursor: number;
  readonly mayBeReset: boolean;
}

async function checkCursor(url: string, {cursor, mayBeReset}: CheckedCursor): Promise<void> {
  const {kind, revision} = await readFirstEvent(url, cursor);
  if (kind === 'reset' ? mayBeReset : Number(revision) === cursor + 1) return;
  throw new LossError(`The cursor ${cursor} got ${kind} of revision ${revision}`);
}

async function readFirstEvent(url: string, after: number): Promise<LoggedChange> {
  await using stream = await openEventStream(`${url}/api/events?after=${after}`);
  return JSON.parse((await stream.next()).data) as LoggedChange;
}
