import type {Service} from '../../app/crewroom.ts';
import type {Log, LogFields} from '../../core/domain/log.ts';
import type {LogLevel} from '../../platform/config/config.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';
import {formatStartTime, mainAddress, type StartedService, startedFields} from '../output/banner.ts';
import {type CliContext, escapeControls, type StopSignal, type Style, styleOf} from '../terminal/context.ts';
import {createLog} from '../terminal/log.ts';
import type {StopRequest} from '../terminal/stop-request.ts';
import {wrapIndented} from '../terminal/table.ts';
import {formatRequest} from './format-request.ts';
import {logRequests, printRequests, type RequestPrinter, withoutFailedRequests} from './print-requests.ts';
import {listenForServiceKeys} from './service-keys.ts';

/** Reports the state of the service that this process runs, to people or to programs. Dispose of it to restore the terminal. */
export interface ServiceReporter extends Disposable {
  /** Writes log lines. Failed requests are left out if they are printed as requests. */
  readonly log: Log;
  readonly isForPeople: boolean;
  /**
   * Reports that the service listens: to people by a banner, to programs by its facts. Prints requests from now on, and listens for keys.
   *
   * @param banner Formats the banner; `after` tells how long the start took.
   */
  started(service: Started, banner: (style: Style, after: string) => string, more?: LogFields): void;
  /** Reports a fact that the user may want to act on. */
  note(text: string): void;
  stopping(signal: StopSignal): void;
  stopped(): void;
}

/** A listening service of this process. */
export interface Started extends StartedService {
  readonly crewroom: Service;
}

export interface ReporterOptions {
  readonly context: CliContext;
  readonly logLevel: LogLevel;
  /** @default {refused ones to people, unless they only want errors; none to programs} */
  readonly requests: RequestChoice | undefined;
  readonly stop: StopRequest;
  /** True to report to programs on a terminal too. */
  readonly json: boolean;
  /** Log for programs. @default {standard error} */
  readonly log?: Log | undefined;
}

/** Opens a reporter: to people if standard error is a terminal. Standard input is read only once the service listens, and only if it is a terminal too. */
export function openReporter(options: ReporterOptions): ServiceReporter {
  return options.context.stderr.isTerminal && !options.json ? reportToPeople(options) : reportToPrograms(options);
}

function reportToPeople({context, logLevel, requests, stop}: ReporterOptions): ServiceReporter {
  const {nowMs, stderr} = context;
  const style = styleOf(stderr, context);
  const choice = requests ?? (logLevel === 'error' ? 'off' : 'refused');
  const write = (text: string): void => void stderr.write(text);
  const log = createLog({level: logLevel, write, nowMs, style});
  // Its width is read each time: the user may change it.
  const print: RequestPrinter = request => write(formatRequest(request, styleOf(stderr, context)));
  let restore: (() => void) | undefined;
  return {
    log: choice === 'off' ? log : withoutFailedRequests(log),
    isForPeople: true,
    started: (service, banner) => {
      write(banner(style, formatStartTime(context.elapsedMs(), style)));
      const {requests: recorded, config} = service.crewroom;
      const address = mainAddress(service);
      restore = listenForServiceKeys({context, write, stop, address, config, requests: recorded, print});
      if (restore !== undefined) write(style.dim('  Press h for help\n\n'));
      const onMissed = (count: number): void => write(style.dim(`${count} requests came too fast to show\n`));
      printRequests(recorded, {choice, print, onMissed}).catch(error =>
        log.error('requests are no longer printed', {error}),
      );
    },
    note: text => write(`${style.yellow('!')} ${wrapIndented(escapeControls(text), 2, style)}\n`),
    stopping: signal => {
      // A terminal that handles Ctrl+C itself shows ^C: begin a new line.
      const lineBreak = signal === 'SIGINT' && restore === undefined ? '\n' : '';
      const text = 'Stopping: requests in flight are finished; press Ctrl+C again to stop at once';
      write(`${lineBreak}${style.dim(wrapIndented(text, 0, style))}\n`);
    },
    stopped: () => write(`${style.dim('Stopped')}\n`),
    [Symbol.dispose]: () => restore?.(),
  };
}

function reportToPrograms({context, logLevel, requests = 'off', log: given}: ReporterOptions): ServiceReporter {
  const {stderr, nowMs, processId} = context;
  const log = given ?? createLog({level: logLevel, write: text => void stderr.write(text), nowMs});
  return {
    log: requests === 'off' ? log : withoutFailedRequests(log),
    isForPeople: false,
    started: (service, _banner, more) => {
      log.info('started', {...startedFields(service, processId), ...more});
      logRequests(service.crewroom.requests, requests, log);
    },
    note: text => log.info(text),
    stopping: signal => log.info('stopping', {signal}),
    stopped: () => log.info('stopped'),
    [Symbol.dispose]: () => {},
  };
}
