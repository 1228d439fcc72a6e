import type {Service} from '../../app/crewroom.ts';
import type {Log} from '../../core/domain/log.ts';
import {openAddress} from '../../platform/system/open-address.ts';
import {describeHalves} from '../../plugins/directory/plugin-halves.ts';
import {logRequests, withoutFailedRequests} from '../live/print-requests.ts';
import {openServiceTerminal, type ServiceTerminalOptions} from '../live/service-terminal.ts';
import {mainAddress, startedFields} from '../output/banner.ts';
import {describeBackEnd, formatDevBanner, type StartedPlugin, shellAddress} from '../output/dev-banner.ts';
import {escapeControls, jsonLine, styleOf} from '../terminal/context.ts';
import {createLog} from '../terminal/log.ts';
import {wrapIndented} from '../terminal/table.ts';

/** Reports what happens in `crewroom dev`, to people or to programs. Dispose of it to restore the terminal. */
export interface DevReporter extends Disposable {
  readonly log: Log;
  /** Longest wait for the plugin to load before {@link started}, in milliseconds; programs wait for the outcome. */
  readonly patienceMs: number | undefined;
  /** Reports that the plugin was started, or could not be, and prints requests from now on. */
  started(started: Started): Promise<void>;
  /** Reports a fact that the author may want to act on. */
  note(text: string): void;
  stopping(): void;
}

interface Started extends StartedPlugin {
  readonly crewroom: Service;
}

export interface DevReporterOptions extends ServiceTerminalOptions {
  /** True to print JSON on a terminal too, and one line on standard output once the plugin was started. */
  readonly json: boolean;
  /** True to open the page in the browser, if a terminal is there. */
  readonly opens: boolean;
}

/** Creates the reporter: for people if standard error is a terminal. */
export function createDevReporter(options: DevReporterOptions): DevReporter {
  return options.context.stderr.isTerminal && !options.json ? reportToPeople(options) : reportToPrograms(options);
}

/** Time after which people who see nothing take a command for dead, in milliseconds. */
const PATIENCE_MS = 2000;

function reportToPeople({opens, ...options}: DevReporterOptions): DevReporter {
  const {context, stop} = options;
  const style = styleOf(context.stderr, context);
  const terminal = openServiceTerminal(options);
  return {
    log: terminal.log,
    patienceMs: PATIENCE_MS,
    note: text => terminal.print(`${style.yellow('!')} ${wrapIndented(escapeControls(text), 2, style)}\n`),
    started: async started => {
      terminal.print(formatDevBanner({...started, startMs: context.elapsedMs()}, style));
      terminal.serve({crewroom: started.crewroom, address: mainAddress(started)});
      const problem = opens ? await openAddress(shellAddress(started), context) : undefined;
      if (problem !== undefined) terminal.print(`${style.dim(`No browser was opened: ${problem}`)}\n`);
    },
    stopping: () => void stop.asked.then(signal => terminal.stopping(signal)),
    [Symbol.dispose]: () => terminal[Symbol.dispose](),
  };
}

function reportToPrograms({context, logLevel, requests: choice, json}: DevReporterOptions): DevReporter {
  const {stdout, stderr, nowMs, processId} = context;
  const log = createLog({level: logLevel, write: text => void stderr.write(text), nowMs});
  return {
    log: choice === 'off' ? log : withoutFailedRequests(log),
    patienceMs: undefined,
    note: text => log.info(text),
    started: async started => {
      log.info('started', startedFields(started, processId));
      const {crewroom, plugin, port, urls, portHolder} = started;
      if (portHolder !== undefined) log.info(`Port 7172 is held by ${portHolder}, so this is ${port}`);
      for (const text of started.backEnd === undefined ? [] : describeBackEnd(started.backEnd))
        log.info(`Back end: ${text}`);
      for (const place of describeHalves(started.halves)) log.info(`Found its ${place}`);
      for (const warning of plugin?.warnings ?? []) log.info(`Warning: ${warning}`);
      logRequests(crewroom.requests, choice, log);
      const line = {url: urls[0], port, plugin: plugin?.id, state: plugin?.state, reason: plugin?.reason};
      const {url, pilots} = started.backEnd ?? {};
      const backEnd = url === undefined ? undefined : {url, pilots};
      if (json) await stdout.write(jsonLine({...line, open: shellAddress(started), backEnd}));
    },
    stopping: () => log.info('stopping'),
    [Symbol.dispose]: () => {},
  };
}
