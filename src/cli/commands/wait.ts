import {AppError} from '../../domain/app-error.ts';
import type {FailureCode} from '../../domain/failure.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {WAIT} from '../catalogue/service-commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {readTime} from '../input/flag-values.ts';
import {type ConnectedClient, connect} from '../service/connection.ts';
import {startProgress} from '../terminal/progress.ts';

/** Default of `--timeout`, in seconds: a hundred times what a start takes. */
const WAIT_SECONDS = 30;

/** Time between two attempts, in milliseconds. */
const INTERVAL_MS = 100;

/** `crewroom wait`: waits until the service is ready. */
export async function run(call: CallOf<typeof WAIT>): Promise<ExitCode> {
  const {context, flags} = call;
  const seconds =
    flags.timeout === undefined ? WAIT_SECONDS : readTime(flags.timeout, {command: 'wait', flag: '--timeout'});
  const timeoutMs = seconds * 1000;
  const endsAtMs = context.elapsedMs() + timeoutMs;
  const progress = startProgress(context);
  const {service, url} = await connect(call, {timeoutMs});
  try {
    for (;;) {
      progress.show(() => `Waiting for ${url}`);
      const problem = await findProblem(service, {url, timeoutMs});
      if (problem === undefined) return EXIT.ok;
      if (context.elapsedMs() + INTERVAL_MS >= endsAtMs) throw problem;
      await context.pause(INTERVAL_MS);
    }
  } finally {
    await progress.clear();
  }
}

/**
 * Returns why the service is not ready yet; undefined if it is.
 *
 * @throws {AppError} Every failure that waiting cannot resolve.
 */
async function findProblem(
  service: Pick<ConnectedClient['service'], 'readiness'>,
  about: {readonly url: string; readonly timeoutMs: number},
): Promise<AppError | undefined> {
  try {
    const {ready} = await service.readiness();
    return ready ? undefined : new AppError({code: 'service-timeout', ...about});
  } catch (error) {
    if (error instanceof AppError && PASSING.has(error.failure.code)) return error;
    throw error;
  }
}

/** Failures that pass once the service has started. */
const PASSING: ReadonlySet<FailureCode> = new Set(['service-unreachable', 'service-timeout']);
