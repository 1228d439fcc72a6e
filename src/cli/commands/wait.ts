import {AppError} from '../../core/failures/app-error.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {explainReadOnly} from '../doctor/read-only.ts';
import {readDuration} from '../input/flag-values.ts';
import {type ConnectedClient, connect} from '../service/connection.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {startProgress} from '../terminal/progress.ts';

/** Default of `--timeout`, in seconds: a hundred times what a start takes. */
const WAIT_SECONDS = 30;

/** Time between two attempts, in milliseconds. */
const INTERVAL_MS = 100;

/** `crewroom wait`: waits until the service is ready. */
export async function run(call: CallOf<'wait'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const seconds =
    flags.timeout === undefined ? WAIT_SECONDS : readDuration(flags.timeout, {command: 'wait', flag: '--timeout'});
  const endsAtMs = context.elapsedMs() + seconds * 1000;
  const progress = startProgress(context);
  const {service, url} = await connect(call);
  try {
    let reason: AppError | undefined;
    for (;;) {
      progress.show(() => (reason === undefined ? `Waiting for ${url}` : `Waiting for ${url}: ${reason.message}`));
      const problem = await findProblem(service, Math.max(1, Math.ceil(endsAtMs - context.elapsedMs())));
      if (problem === undefined) return {json: {url, ready: true}};
      // A time-out says less than any earlier reason: the last attempt has little time.
      if (reason === undefined || problem.failure?.code !== 'service-timeout') reason = problem;
      if (context.elapsedMs() + INTERVAL_MS >= endsAtMs) throw reason;
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
  service: Pick<ConnectedClient['service'], 'readiness' | 'about'>,
  timeoutMs: number,
): Promise<AppError | undefined> {
  try {
    const {ready} = await service.readiness({timeoutMs});
    if (ready) return undefined;
    // Passes when the service is started again, or etcd has space.
    const storeKind = await service.about().then(
      about => about.storeKind,
      () => undefined,
    );
    if (storeKind === 'etcd')
      return new AppError({code: 'unavailable', what: 'store', problem: explainReadOnly(storeKind)});
    return new AppError({code: 'store-read-only', problem: '/readyz reports it'});
  } catch (error) {
    if (error instanceof AppError && PASSING.has(error.code)) return error;
    throw error;
  }
}

/** Failures that pass once the service has started. */
const PASSING: ReadonlySet<string> = new Set(['service-unreachable', 'service-timeout']);
