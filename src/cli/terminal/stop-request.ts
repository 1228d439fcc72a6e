import {EXIT} from '../../failures/exit-codes.ts';
import type {CliContext, StopSignal} from './context.ts';

/** The part of the context that {@link listenForStop} uses. */
export type StopRequestDeps = Pick<CliContext, 'environment' | 'elapsedMs' | 'onSignal' | 'exitNow'>;

/** A request to stop, by a signal. */
export interface StopRequest {
  /** Resolves with the first signal, even if it came before the wait. */
  readonly asked: Promise<StopSignal>;
  /** Returns whether a signal has come. */
  readonly isAsked: () => boolean;
  /** Does what a signal does; a terminal that handles no Ctrl+C sends a character in place of SIGINT. */
  ask(signal: StopSignal): void;
  /** Restores the default handling of signals. */
  release(): void;
}

/**
 * Time in which a second SIGINT counts as the first, in milliseconds, if a package manager runs this process: the terminal sends
 * Ctrl+C to both, and the package manager forwards its own.
 */
const REPEATED_WITHIN_MS = 500;

/** Listens for SIGINT and SIGTERM; a SIGINT after the first signal ends the process at once. */
export function listenForStop(context: StopRequestDeps): StopRequest {
  const {environment, elapsedMs} = context;
  const graceMs = environment['npm_lifecycle_event'] === undefined ? 0 : REPEATED_WITHIN_MS;
  let askedAtMs: number | undefined;
  let resolveAsked: (signal: StopSignal) => void;
  const asked = new Promise<StopSignal>(resolve => {
    resolveAsked = resolve;
  });
  const ask = (signal: StopSignal): void => {
    if (askedAtMs === undefined) {
      askedAtMs = elapsedMs();
      resolveAsked(signal);
    } else if (signal === 'SIGINT' && elapsedMs() - askedAtMs >= graceMs) {
      context.exitNow(EXIT.interrupted);
    }
  };
  const listen = (signal: StopSignal): (() => void) => context.onSignal(signal, () => ask(signal));
  const releases = [listen('SIGINT'), listen('SIGTERM')];
  const release = (): void => {
    for (const each of releases) each();
  };
  return {asked, isAsked: () => askedAtMs !== undefined, ask, release};
}
