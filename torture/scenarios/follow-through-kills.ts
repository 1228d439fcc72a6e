import {createClient} from 'crewroom/client';
import {openEventStream} from '../../test/support/event-stream.ts';
import {findFreePort} from '../../test/support/free-port.ts';
import {judgeBeginning, judgeContinuity} from '../continuity.ts';
import {ClientFollower} from '../followers/client-follower.ts';
import {type Follower, type FollowerOptions, lastKey} from '../followers/follower.ts';
import {SseFollower} from '../followers/sse-follower.ts';
import {WebSocketFollower} from '../followers/web-socket-follower.ts';
import {LossError, type Told} from '../history.ts';
import {runKillRounds} from '../kill-rounds.ts';
import {readChanges} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import type {ServiceProcess} from '../service-process.ts';

/** C9: whoever comes back after a kill was told of everything. */
export const FOLLOW_THROUGH_KILLS: Scenario = {
  id: 'C9',
  name: 'Subscribers that come back after each kill miss nothing, get nothing twice, and all in order',
  rounds: {quick: 4, standard: 60},
  run: async context => {
    const port = await findFreePort();
    const changes: Told[] = [];
    const followers = createFollowers(context, `http://127.0.0.1:${port}`);
    const following = Promise.all(followers.map(follower => follower.run()));
    // It is waited for after the rounds; a failure before that is not to end the process.
    following.catch(() => {});
    await runKillRounds(context, {
      port,
      onChanges: told => changes.push(...told),
      afterLast: async service => {
        const last = await writeLast(service, followers);
        const rest = await readChanges(service.url, Number(changes.at(-1)?.revision ?? 0));
        // What expired before the last write comes before it; what does after it, nobody has to be told.
        changes.push(...rest.filter(({revision}) => Number(revision) <= last));
        context.report(`${followers.length} subscribers come to their end`);
        await following;
        judge(followers, changes, context);
        await judgeOldCursors(service, context);
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
    new WebSocketFollower(options('web socket of what is shared', 'shared/')),
    new ClientFollower(options('client', '')),
    new ClientFollower(options('client of what expires', 'writer-2/expiring/')),
  ];
}

/** Writes something of every prefix in one commit, so that each subscriber knows when it was told all. @returns Its revision. */
async function writeLast({url}: ServiceProcess, followers: readonly Follower[]): Promise<number> {
  const prefixes = new Set(followers.map(({prefix}) => prefix));
  // Those who follow everything are to be told theirs last.
  const keys = Array.from(prefixes, lastKey).sort((a, b) => b.length - a.length);
  const operations = keys.map(key => ({kind: 'put', key, json: '"last"'}) as const);
  const {revision} = await createClient({baseUrl: url}).entries.transact({operations});
  return revision;
}

function judge(followers: readonly Follower[], changes: readonly Told[], {count}: ScenarioContext): void {
  for (const follower of followers) {
    const present = follower instanceof SseFollower ? follower.present : undefined;
    const {revision = 0} = present ?? {};
    if (present !== undefined) judgeBeginning(present, follower.prefix, changes);
    judgeContinuity(
      follower,
      changes.filter(change => Number(change.revision) > revision),
    );
    count('events judged', follower.told.length);
  }
}

/** How many bytes of values the change log keeps at most, as the documents say. */
const LOG_BYTES = 64 * 1024 * 1024;

/** Values that the log keeps whole, and as many of them as one transaction takes. */
const FILLER_BYTES = 60 * 1024;
const FILLERS = 120;
const COMMIT_BYTES = FILLERS * FILLER_BYTES;

/** Fills the log, and looks from which cursors on it still tells everything. */
async function judgeOldCursors({url}: ServiceProcess, {report}: ScenarioContext): Promise<void> {
  report('filling the change log');
  const {entries} = createClient({baseUrl: url});
  let revision = 0;
  for (let bytes = 0; bytes < LOG_BYTES * 1.25; bytes += COMMIT_BYTES) {
    const json = `"${String(bytes).padEnd(FILLER_BYTES, '.')}"`;
    const operations = Array.from(
      {length: FILLERS},
      (_, index) => ({kind: 'put', key: `filler/${index}`, json}) as const,
    );
    ({revision} = await entries.transact({operations}));
  }
  // What expires meanwhile has commits of its own, which only adds to what has to be there.
  const kept = revision - Math.floor((LOG_BYTES * 0.75) / COMMIT_BYTES);
  await judgeCursor(url, {cursor: kept, mayBeReset: false});
  // Where the log ends it may keep a little more than it says; then it has to be all of it.
  for (const cursor of [0, 1, revision - Math.ceil(LOG_BYTES / COMMIT_BYTES)])
    await judgeCursor(url, {cursor, mayBeReset: true});
  const {kind} = await readFirstEvent(url, 0);
  if (kind !== 'reset')
    throw new LossError(`The first revision is not in the log any more, and its cursor got ${kind}`);
}

interface JudgedCursor {
  readonly cursor: number;
  readonly mayBeReset: boolean;
}

async function judgeCursor(url: string, {cursor, mayBeReset}: JudgedCursor): Promise<void> {
  const {kind, revision} = await readFirstEvent(url, cursor);
  if (kind === 'reset' ? mayBeReset : Number(revision) === cursor + 1) return;
  throw new LossError(`The cursor ${cursor} got ${kind} of revision ${revision}`);
}

async function readFirstEvent(url: string, since: number): Promise<Told> {
  await using stream = await openEventStream(`${url}/api/events?since=${since}`);
  return JSON.parse((await stream.next()).data) as Told;
}
