import type {ProgramName, ProgramStop} from '../../core/domain/program-stop.ts';
import {EXIT} from '../../core/failures/exit-codes.ts';
import type {CliContext, StopSignal} from './context.ts';

/** The part of the context that {@link listenForStop} uses. */
export type StopRequestDeps = Pick<
  CliContext,
  'environment' | 'elapsedMs' | 'onSignal' | 'exitNow' | 'limitExit' | 'sendSignal' | 'processId' | 'platform'
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
 * Longest time from the first signal to the end of the process, in milliseconds: a service with plugins takes seven seconds, and longer on
 * a busy machine. `crewroom stop` waits for some more.
 */
export const STOP_LIMIT_MS = 12_000;

/** Ends the process, with a message, if it has not stopped within {@link STOP_LIMIT_MS}. @returns A function that lifts the limit. */
export function limitStop({limitExit}: Pick<StopRequestDeps, 'limitExit'>): () => void {
  return limitExit(STOP_LIMIT_MS, `Cannot stop within ${STOP_LIMIT_MS / 1000} seconds: the process ends now`);
}

/** Returns the parts by which a service knows the program that runs it: how to end that, and how its user calls the command line. */
export function programParts(
  {processId, environment}: Pick<CliContext, 'processId' | 'environment'>,
  stop: Pick<StopRequest, 'ask'>,
): {readonly stop: ProgramStop; readonly command: ProgramName} {
  return {stop: {processId, ask: () => stop.ask('SIGTERM')}, command: programName({environment})};
}

/** Returns the words with which the user calls the command line. */
export function programName({environment}: Pick<CliContext, 'environment'>): ProgramName {
  return isRunByNpm(environment) ? 'npx crewroom' : 'crewroom';
}

/** Writes the commands in a text for people, such as "crewroom status", as the user calls them. */
export function asCalled(text: string, context: Pick<CliContext, 'environment'>): string {
  return text.replace(/(?<!npx |[\w./\\-])crewroom (?=[a-z]|--)/g, `${programName(context)} `);
}

/** Returns whether a package manager runs this process, by a script of a package or by the name of the command. */
function isRunByNpm(environment: CliContext['environment']): boolean {
  return environment['npm_lifecycle_event'] !== undefined;
}

/**
 * Listens for SIGINT, SIGTERM, SIGHUP (the terminal or the window was closed) and SIGBREAK (Ctrl+Break on Windows); a SIGINT after the first
 * signal ends the process at once. From the first one on the process has to end within {@link STOP_LIMIT_MS}.
 */
export function listenForStop(context: StopRequestDeps): StopRequest {
  const {environment, elapsedMs} = context;
  const graceMs = isRunByNpm(environment) ? REPEATED_WITHIN_MS : 0;
  let askedAtMs: number | undefined;
  let liftLimit = (): void => {};
  let isClosed = false;
  let isReleased = false;
  let resolveAsked: (signal: StopSignal) => void;
  const asked = new Promise<StopSignal>(resolve => {
    resolveAsked = resolve;
  });
  const ask = (signal: StopSignal): void => {
    isClosed ||= signal === 'SIGHUP';
    if (askedAtMs === undefined) {
      askedAtMs = elapsedMs();
      // A command that runs by itself since then may take as long as it likes.
      if (!isReleased) liftLimit = limitStop(context);
      resolveAsked(signal);
    } else if (signal === 'SIGINT' && elapsedMs() - askedAtMs >= graceMs) {
      context.exitNow(EXIT.interrupted);
    }
  };
  const listen = (signal: StopSignal): (() => void) => context.onSignal(signal, () => ask(signal));
  const releases = SIGNALS.map(listen);
  const release = (): void => {
    for (const each of releases) each();
    isReleased = true;
    liftLimit();
    if (isClosed && context.platform !== 'win32') context.sendSignal(context.processId, 'SIGHUP');
  };
  return {asked, isAsked: () => askedAtMs !== undefined, ask, release};
}
