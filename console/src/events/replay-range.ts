import {metricValue, readMetrics} from '../overview/metrics-text.ts';
import {callService, requestService} from '../service/call-service.ts';

/** Revisions whose changes the service can replay. */
export interface ReplayRange {
  /** The last revision that the change log has trimmed, 0 for none: changes after it can be replayed. */
  readonly after: number;
  /** The revision of the last commit. */
  readonly last: number;
}

/** Answer of a long poll: the members that are read here. */
interface Polled {
  readonly events: readonly {readonly kind: string}[];
  /** The id of the store, and a revision. */
  readonly cursor: string;
}

/** Asks the service which revisions it can replay. @throws {CallFailure} */
export async function loadReplayRange(): Promise<ReplayRange> {
  const samples = readMetrics(await (await requestService('/metrics')).text());
  const last = metricValue(samples, 'crewroom_store_revision') ?? 0;
  return {after: metricValue(samples, 'crewroom_store_trimmed_revision') ?? 0, last};
}

/**
 * Finds the revision after which a list is filled, or after which all changes are that the service still has. One commit may have a thousand changes, so
 * commits are halved until too few are left.
 *
 * @throws {CallFailure}
 */
export async function findLastChanges({after, last}: ReplayRange, changesMax: number): Promise<number> {
  let filling: number | undefined;
  for (let commits = Math.min(last - after, changesMax); commits > 0; commits = Math.ceil(commits / 2)) {
    const found = await askAfter(last - commits, last);
    if (found === 'too-many') filling = commits;
    if (found === 'all' || commits === 1) return last - (filling ?? commits);
  }
  return last;
}

/** Asks for changes: whether one answer has all after a revision. */
async function askAfter(after: number, last: number): Promise<'all' | 'too-many' | 'reset'> {
  const {events, cursor} = await callService<Polled>(`/api/events?waitSeconds=1&after=${after}`);
  if (events[0]?.kind === 'reset') return 'reset';
  return Number(cursor.split('-')[1]) >= last ? 'all' : 'too-many';
}
