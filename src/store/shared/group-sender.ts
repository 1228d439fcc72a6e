import type {Revision} from '../../domain/revision.ts';
import type {Timers} from '../../domain/timers.ts';
import {waitForTime} from '../../domain/wait-for-time.ts';
import type {ResultReader} from './engine/commit-ids.ts';
import {type Driver, EngineFailure, type GuardedWrite, isEngineFailure, type StoredValue} from './engine/driver.ts';
import {decodeHead} from './engine/head.ts';

/** Pause before the first repetition of a request, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 20;
const PAUSE_MS_MAX = 500;

/** A group to be written. */
export interface SentGroup {
  /** The id of the group, in the head that it writes. */
  readonly id: string;
  /** The revision after which it was planned. */
  readonly after: Revision;
  readonly write: GuardedWrite;
  /** Time by `elapsedMs` when to give up. */
  readonly deadlineMs: number;
}

/**
 * Result of sending a group. `overtaken`: it was written, and others after it. `conflict`: it was not written and never will be, since
 * the head is another.
 */
export type SentResult =
  | {readonly kind: 'written'; readonly version: number}
  | {readonly kind: 'overtaken' | 'conflict'; readonly found: StoredValue | undefined};

/** Dependencies of {@link sendGroup}. */
export interface SenderDeps {
  readonly driver: Driver;
  readonly results: ResultReader;
  readonly timers: Timers;
  readonly elapsedMs: () => number;
}

/**
 * Sends a group until its outcome is known. The same request can be sent any number of times: it compares the head, which the first
 * one that is applied replaces.
 *
 * @throws {EngineFailure} `unknown` if the outcome is not known at the deadline; `unavailable`, `full`, `denied` if nothing was written.
 */
export async function sendGroup(group: SentGroup, deps: SenderDeps): Promise<SentResult> {
  let isDoubtful = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    try {
      const answer = await deps.driver.compareAndWrite(group.write);
      if (answer.kind === 'written') return answer;
      return isDoubtful ? await resolve(group, answer.found, deps.results) : answer;
    } catch (error) {
      if (!isEngineFailure(error, 'unknown', 'unavailable')) throw isDoubtful ? stillUnknown(error) : error;
      isDoubtful ||= error.kind === 'unknown';
      if (deps.elapsedMs() + pauseMs >= group.deadlineMs) throw isDoubtful ? stillUnknown(error) : error;
    }
    await waitForTime(pauseMs, {timers: deps.timers, signals: []});
  }
}

/** Finds out whether an earlier attempt was written, after the head has changed. */
async function resolve(
  {id, after}: SentGroup,
  found: StoredValue | undefined,
  results: ResultReader,
): Promise<SentResult> {
  const head = found === undefined ? undefined : decodeHead(found);
  if (head?.head.group === id && head.head.staged === undefined) return {kind: 'written', version: head.version};
  const isWritten = head?.head.group === id || (await results.hasGroup(id, after));
  return {kind: isWritten ? 'overtaken' : 'conflict', found};
}

function stillUnknown(error: unknown): EngineFailure {
  return new EngineFailure('unknown', error instanceof Error ? error.message : String(error), {cause: error});
}
