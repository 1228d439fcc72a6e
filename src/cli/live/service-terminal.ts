import type {LogLevel} from '../../config/config.ts';
import type {Requests} from '../../domain/recorded-request.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';
import type {OwnService} from '../service/owner-code.ts';
import type {CliContext, StopSignal} from '../terminal/context.ts';
import {createLiveLines} from '../terminal/live-lines.ts';
import {createLog} from '../terminal/log.ts';
import type {StopRequest} from '../terminal/stop-request.ts';
import {styleOf} from '../terminal/style.ts';
import {createRequestPrinter, printRequests, withoutFailedRequests} from './print-requests.ts';
import {listenForServiceKeys} from './service-keys.ts';

/** A service that listens. */
export interface TerminalService {
  readonly crewroom: {readonly requests: Requests; readonly config: OwnService['config']};
  /** Its address for people, such as `http://localhost:7172`. */
  readonly address: string;
}

export interface ServiceTerminalOptions {
  readonly context: CliContext;
  readonly logLevel: LogLevel;
  readonly requests: RequestChoice;
  readonly stop: StopRequest;
}

/**
 * Opens the terminal of a user who runs a service, on stderr. Standard input is read only once the service listens, and only if it is a terminal too.
 * Dispose of it to restore the terminal.
 */
export function openServiceTerminal({context, logLevel, requests, stop}: ServiceTerminalOptions) {
  const {nowMs} = context;
  const style = styleOf(context.stderr, context);
  const lines = createLiveLines(context);
  const log = createLog({level: logLevel, write: text => lines.print(text), nowMs, style});
  const print = createRequestPrinter(lines, context);
  let restore: (() => void) | undefined;
  return {
    /** Writes lines for people. Failed requests are left out if they are printed as requests. */
    log: requests === 'off' ? log : withoutFailedRequests(log),
    /** Prints a text of whole lines, such as a banner. */
    print: lines.print,
    /** Prints requests from now on, and listens for keys. */
    serve: ({crewroom, address}: TerminalService): void => {
      const {requests: recorded, config} = crewroom;
      restore = listenForServiceKeys({context, lines, stop, address, config, requests: recorded, print});
      if (restore !== undefined) lines.print(style.dim('  Press h for help\n\n'));
      const onMissed = (count: number): void => lines.print(style.dim(`${count} requests came too fast to show\n`));
      printRequests(crewroom.requests, {choice: requests, print, onMissed}).catch(error =>
        log.error('requests are no longer printed', {error}),
      );
    },
    /** Reports that the service stops, because of a signal or a key. */
    stopping: (signal: StopSignal): void => {
      // A terminal that handles Ctrl+C itself shows ^C: begin a new line.
      const lineBreak = signal === 'SIGINT' && restore === undefined ? '\n' : '';
      const text = 'Stopping: requests in flight are finished; press Ctrl+C again to stop at once';
      lines.print(`${lineBreak}${style.dim(text)}\n`);
    },
    [Symbol.dispose]: (): void => restore?.(),
  };
}
