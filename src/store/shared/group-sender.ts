import {Backoff} from '../../time/backoff.ts';
import type {Timers} from '../../time/timers.ts';
import {wait} from '../../time/wait.ts';
import type {Attempt} from './attempt.ts';
import {eraOf, type ResultReader} from './engine/commit-ids.ts';
import {ABSENT, type Driver, type EngineAnswer, type GuardedWrite, isEngineFailure} from './engine/driver.ts';
import {stagedKey} from './engine/engine-keys.ts';
import {headIn, type KnownHead} from './engine/head.ts';
import {PART_BYTES_MAX} from './engine/stored-entry.ts';
import type {GroupRequest} from './group-request.ts';

/** Pause before the first repetition of a request, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 20;
const PAUSE_MS_MAX = 500;

/** A write without a head. */
const NOTHING = {value: Buffer.alloc(0), puts: [], removes: [], removedRanges: []};

/**
 * Result of sending a group. `overtaken`: it was written, and others after it. `conflict`: it was not written and never will be, since
 * the head is another.
 */
export type SentResult =
  | {readonly kind: 'written'; readonly version: number}
  | {readonly kind: 'overtaken' | 'conflict'; readonly answer: EngineAnswer};

export interface SenderDeps {
  readonly driver: Driver;
  readonly results: ResultReader;
  readonly timers: Timers;
}

/** A group to be written. */
export interface SentGroup {
  readonly attempt: Attempt;
  readonly base: KnownHead;
  readonly request: GroupRequest;
}

/**
 * Writes the parts of a group, which have no effect until a head names them, with some 512 KiB in each request. A mark that is older than some
 * minutes shows that no head ever will.
 *
 * @throws {EngineFailure}
 */
export async function writeParts(
  {attempt, request: {parts, write}}: SentGroup,
  nowMs: number,
  deps: SenderDeps,
): Promise<void> {
  const {usesReserve} = write;
  if (parts.length > 0 && attempt.mark === undefined) {
    const mark = stagedKey(attempt.group, nowMs);
    await repeat({...NOTHING, key: mark, version: ABSENT, usesReserve}, attempt, deps);
    attempt.mark = mark;
  }
  for (let from = 0; from < parts.length; ) {
    let [to, bytes] = [from, 0];
    while (to < parts.length && bytes < PART_BYTES_MAX) {
      bytes += parts[to]?.[1].length ?? 0;
      to++;
    }
    const [[key, value] = ['', NOTHING.value], ...puts] = parts.slice(from, to);
    // A conflict: an earlier request was applied, although it was not answered. Parts never change.
    await repeat({...NOTHING, key, value, version: ABSENT, puts, usesReserve}, attempt, deps);
    for (const [written] of parts.slice(from, to)) attempt.written.add(written);
    from = to;
  }
}

/**
 * Sends the write that commits a group until its outcome is known, or the time of the attempt is over. The same request can be sent any
 * number of times: it compares the head, which the first one that is applied replaces. The attempt is in doubt from the first request on,
 * until it is known that none was applied.
 *
 * @throws {EngineFailure}
 */
export async function sendGroup(group: SentGroup, deps: SenderDeps): Promise<SentResult> {
  const {attempt} = group;
  let isDoubtful = false;
  const onFailure = (error: unknown): void => {
    isDoubtful ||= isEngineFailure(error, 'unknown');
    attempt.isInDoubt = isDoubtful;
  };
  const onSend = (): void => {
    attempt.isInDoubt = true;
  };
  const answer = await repeat(group.request.write, attempt, {
    ...deps,
    onFailure,
    onSend,
  });
  if (answer.kind === 'written') return answer;
  const kind = isDoubtful ? await resolve(group, answer.answer, deps.results) : 'conflict';
  if (kind === 'conflict') attempt.isInDoubt = false;
  return {kind, answer: answer.answer};
}

interface RepeatOptions extends Pick<SenderDeps, 'driver' | 'timers'> {
  readonly onSend?: () => void;
  readonly onFailure?: (error: unknown) => void;
}

/** Sends a write until it is answered. */
async function repeat(
  write: GuardedWrite,
  attempt: Attempt,
  {driver, timers, onSend, onFailure}: RepeatOptions,
): ReturnType<Driver['compareAndWrite']> {
  const backoff = new Backoff({firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MS_MAX});
  for (;;) {
    attempt.assertOpen();
    onSend?.();
    try {
      return await driver.compareAndWrite(write);
    } catch (error) {
      onFailure?.(error);
      if (!isEngineFailure(error, 'unknown', 'unavailable')) throw error;
      attempt.problem = error.message;
    }
    await wait(backoff.next(), {timers, signals: []});
  }
}

/** Finds out whether an earlier request was applied, after the head has changed. */
async function resolve(
  {attempt: {group}, base, request}: SentGroup,
  answer: EngineAnswer,
  results: ResultReader,
): Promise<'overtaken' | 'conflict'> {
  const found = answer.found[0]?.[0];
  if (found?.value.equals(Buffer.from(request.write.value))) return 'overtaken';
  const isWritten = headIn(answer)?.head.group === group || (await results.hasGroup(group, eraOf(base.head)));
  return isWritten ? 'overtaken' : 'conflict';
}
