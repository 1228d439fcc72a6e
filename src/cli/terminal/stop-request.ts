import type {CliContext, StopSignal} from './context.ts';

/** The exit code of an interrupted process, as shells have it: 128 and the number of SIGINT. */
export const INTERRUPTED_EXIT_CODE = 130;

/** The part of the context that {@link listenForStop} uses. */
export type StopRequestDeps = Pick<CliContext, 'environment' | 'elapsedMs' | 'onSignal' | 'exitNow'>;

/** Waits for somebody to ask the service to stop. */
export interface StopRequest {
  /** Resolves with the first signal, also one that came before anybody waited. */
  readonly asked: Promise<StopSignal>;
  /** Whether it was asked already. */
  readonly isAsked: () => boolean;
  /** Leaves signals to the system again. */
  release(): void;
}

/**
 * How long a second SIGINT counts as the first, in milliseconds, where a package manager runs us: the
 * terminal sends Ctrl+C to both, and the package manager passes its own on.
 */
const REPEATED_WITHIN_MS = 500;

/** Listens for SIGINT and SIGTERM from now on; a SIGINT after either of them ends the process at once. */
export function listenForStop(context: StopRequestDeps): StopRequest {
  const {environment, elapsedMs} = context;
  const graceMs = environment['npm_lifecycle_event'] === undefined ? 0 : REPEATED_WITHIN_MS;
  let askedAtMs: number | undefined;
  let resolveAsked: (signal: StopSignal) => void;
  const asked = new Promise<StopSignal>(resolve => {
    resolveAsked = resolve;
  });
  const listen = (signal: StopSignal): (() => void) =>
    context.onSignal(signal, () => {
      if (askedAtMs === undefined) {
        askedAtMs = elapsedMs();
        resolveAsked(signal);
      } else if (signal === 'SIGINT' && elapsedMs() - askedAtMs >= graceMs) {
        context.exitNow(INTERRUPTED_EXIT_CODE);
      }
    });
  const releases = [listen('SIGINT'), listen('SIGTERM')];
  const release = (): void => {
    for (const each of releases) each();
  };
  return {asked, isAsked: () => askedAtMs !== undefined, release};
}
