import type {PluginLogLine, PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {AppError} from '../../core/failures/app-error.ts';

/** A service that follows the directory of plugins. */
export interface FollowingService {
  /** Reads the state of a plugin; undefined if the service does not know it. */
  status(id: string): Promise<PluginStatus | undefined>;
  /** Reads the last lines that a plugin logged. */
  logs(id: string): Promise<readonly PluginLogLine[]>;
}

/** The wait for a service, and its clock. */
export interface Waiting {
  /** Waits; rejects once the signal is aborted. */
  readonly pause: (timeMs: number) => Promise<unknown>;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  readonly signal: AbortSignal;
}

/** Interval of requests for the status, in milliseconds. The service polls the directory twice a second. */
const PAUSE_MS = 200;

/**
 * Longest wait for a state, in milliseconds: it takes the service a second to see new files, five to end the old background, and
 * some to load the new one on a slow machine.
 */
const WAIT_MAX_MS = 30_000;

/** Outcome of the start of a new version: its state, or the reason why it does not run. */
export type StartOutcome = Pick<PluginStatus, 'state'> | {readonly problem: string};

/** Waits until the service has started the version with this stamp, or it is certain that it does not run. */
export async function awaitStart(
  service: FollowingService,
  {id, stamp}: {readonly id: string; readonly stamp: string},
  waiting: Waiting,
): Promise<StartOutcome> {
  let endsBefore: number | undefined;
  let last = 'the service has not noticed it';
  const verdict = await poll(waiting, async () => {
    const status = await service.status(id);
    if (status?.stamp !== stamp) return undefined;
    endsBefore ??= status.ends;
    last = `it is still ${status.state}`;
    return judge(status, endsBefore);
  });
  return verdict ?? {problem: `${last} after ${WAIT_MAX_MS / 1000} seconds`};
}

/**
 * Waits until the background of a plugin that was removed has ended, with its service or before. Never fails if the service does: the
 * files of the plugin are gone already.
 *
 * @returns Whether it has ended.
 */
export async function awaitEnd(service: FollowingService, id: string, waiting: Waiting): Promise<boolean> {
  const ended = poll(waiting, async () => {
    const status = await service.status(id);
    // A plugin in development may have the same id.
    return status === undefined || status.inDevelopment ? true : undefined;
  });
  try {
    return (await ended) ?? false;
  } catch (error) {
    if (error instanceof AppError) return error.failure?.code === 'service-unreachable';
    throw error;
  }
}

/** Repeats a request until its result is defined. @returns Undefined after {@link WAIT_MAX_MS}. */
async function poll<T>({pause, elapsedMs, signal}: Waiting, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const startMs = elapsedMs();
  do {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(PAUSE_MS);
  } while (elapsedMs() - startMs < WAIT_MAX_MS);
  return undefined;
}

/** Returns the outcome that a status of the new version means; undefined while it may still change. */
function judge({state, reason, ends}: PluginStatus, endsBefore: number): StartOutcome | undefined {
  switch (state) {
    case 'running':
    case 'page-only':
    case 'waiting':
      return {state};
    case 'broken':
    case 'stopped':
      return {problem: reason ?? `it is ${state}`};
    case 'restarting':
      // Also the state before the first start, while the old version ends.
      return ends > endsBefore ? {problem: reason ?? 'it ended'} : undefined;
    default:
      return undefined;
  }
}

/** Describes the failure of a request to the service. @throws {Error} Other errors, unchanged. */
export function describeServiceFailure(error: unknown): string {
  if (error instanceof AppError) return error.message;
  throw error;
}
