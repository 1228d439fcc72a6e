import {Backoff} from '../../time/backoff.ts';
import type {Timers} from '../../time/timers.ts';
import {wait} from '../../time/wait.ts';
import type {Attempt} from './attempt.ts';
import type {ResultReader} from './engine/commit-ids.ts';
import {type Driver, type GuardedWrite, isEngineFailure, type StoredValue} from './engine/driver.ts';
import {decodeHead} from './engine/head.ts';

/** Pause before the first repetition of a request, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 20;
const PAUSE_MS_MAX = 500;

/** A group to be written. */
export interface SentGroup {
  readonly attempt: Attempt;
  /** The era in which it was planned. */
  readonly era: number;
  readonly write: GuardedWrite;
}

/**
 * Result of sending a group. `overtaken`: it was written, and others after it. `conflict`: it was not written and never will be, since
 * the head is another.
 */
export type SentResult =
  | {readonly kind: 'written'; readonly version: number}
  | {readonly kind: 'overtaken' | 'conflict'; readonly found: StoredValue | undefined};

export interface SenderDeps {
  readonly driver: Driver;
  readonly results: ResultReader;
  readonly timers: Timers;
}

/**
 * Sends a group until its outcome is known, or the time of the attempt is over. The same request can be sent any number of times: it
 * compares the head, which the first one that is applied replaces. The attempt is in doubt from the first request on, until it is known
 * that none was applied.
 *
 * @throws {EngineFailure}
 */
export async function sendGroup(group: SentGroup, deps: SenderDeps): Promise<SentResult> {
  const {attempt, write} = group;
  let isDoubtful = false;
  const backoff = new Backoff({firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MS_MAX});
  for (;;) {
    attempt.assertOpen();
    attempt.isInDoubt = true;
    try {
      const answer = await deps.driver.compareAndWrite(write);
      if (answer.kind === 'written') return answer;
      const result = isDoubtful ? await resolve(group, answer.found, deps.results) : answer;
      if (result.kind === 'conflict') attempt.isInDoubt = false;
      return result;
    } catch (error) {
      isDoubtful ||= isEngineFailure(error, 'unknown');
      attempt.isInDoubt = isDoubtful;
      if (!isEngineFailure(error, 'unknown', 'unavailable')) throw error;
      attempt.problem = error.message;
    }
    await wait(backoff.next(), {timers: deps.timers, signals: []});
  }
}

/** Finds out whether an earlier request was applied, after the head has changed. */
async function resolve(
  {attempt: {group}, era, write}: SentGroup,
  found: StoredValue | undefined,
  results: ResultReader,
): Promise<SentResult> {
  if (found?.value.equals(write.value)) return {kind: 'written', version: found.version};
  const head = found === undefined ? undefined : decodeHead(found);
  const isWritten = head?.head.group === group || (await results.hasGroup(group, era));
  return {kind: isWritten ? 'overtaken' : 'conflict', found};
}
