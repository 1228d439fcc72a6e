import {EXIT} from '../../failures/exit-codes.ts';
import type {CliContext, StopSignal} from './context.ts';

/** The part of the context that {@link listenForStop} uses. */
export type StopRequestDeps = Pick<
  CliContext,
  'environment' | 'elapsedMs' | 'onSignal' | 'exitNow' | 'sendSignal' | 'processId' | 'platform'
>;

/** A request to stop, by a signal. */
export interface StopRequest {
  /** Resolves with the first signal, even if it came before the wait. */
  readonly asked: Promise<StopSignal>;
  /** Returns whether a signal has come. */
  readonly isAsked: () => boolean;
  /** Does what a signal does; a terminal that handles no Ctrl+C sends a character in place of SIGINT. */
  ask(signal: StopSignal): void;
  /**
   * Restores the default handling of signals. To be called last: if the terminal was closed, it ends the process as the closing would have at
   * once. An ordinary end would restore the terminal, and Node aborts when that is gone.
   */
  release(): void;
}

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'];

/**
 * Time in which a second SIGINT counts as the first, in milliseconds, if a package manager runs this process: the terminal sends
 * Ctrl+C to both, and the package manager forwards its own.
 */
const REPEATED_WITHIN_MS = 500;

/**
 * Listens for SIGINT, SIGTERM, SIGHUP (the terminal or the window was closed) and SIGBREAK (Ctrl+Break on Windows); a SIGINT after the first
 * signal ends the process at once.
 */
export function listenForStop(context: StopRequestDeps): StopRequest {
  const {environment, elapsedMs} = context;
  const graceMs = environment['npm_lifecycle_event'] === undefined ? 0 : REPEATED_WITHIN_MS;
  let askedAtMs: number | undefined;
  let isClosed = false;
  let resolveAsked: (signal: StopSignal) => void;
  const asked = new Promise<StopSignal>(resolve => {
    resolveAsked = resolve;
  });
  const ask = (signal: StopSignal): void => {
    isClosed ||= signal === 'SIGHUP';
    if (askedAtMs === undefined) {
      askedAtMs = elapsedMs();
      resolveAsked(signal);
    } else if (signal === 'SIGINT' && elapsedMs() - askedAtMs >= graceMs) {
      context.exitNow(EXIT.interrupted);
    }
  };
  const listen = (signal: StopSignal): (() => void) => context.onSignal(signal, () => ask(signal));
  const releases = SIGNALS.map(listen);
  const release = (): void => {
    for (const each of releases) each();
    if (isClosed && context.platform !== 'win32') context.sendSignal(context.processId, 'SIGHUP');
  };
  return {asked, isAsked: () => askedAtMs !== undefined, ask, release};
}
