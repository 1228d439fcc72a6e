import {openService} from '../../app/app.ts';
import type {Service} from '../../app/crewroom.ts';
import type {Log} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import type {Config} from '../../platform/config/config.ts';
import {startDetached} from '../autostart/detached.ts';
import type {CallOf} from '../catalogue/commands.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';
import {readSettings} from '../input/settings.ts';
import {logRequests, withoutFailedRequests} from '../live/print-requests.ts';
import {openServiceTerminal} from '../live/service-terminal.ts';
import {formatBanner, mainAddress, type StartedService, startedFields} from '../output/banner.ts';
import {type CliContext, escapeText, type StopSignal, styleOf} from '../terminal/context.ts';
import {createLog, joinLogs} from '../terminal/log.ts';
import {listenForStop, programParts, type StopRequest} from '../terminal/stop-request.ts';

/** `crewroom start`: serves until a signal or a key stops it. */
export async function run(call: CallOf<'start'>): Promise<ExitCode> {
  if (call.flags.detached === true) return startDetached(call);
  // First of all: a signal during start-up stops the service in good order too.
  const stop = listenForStop(call.context);
  let reporters: readonly Reporter[] = [];
  let file: Awaited<ReturnType<typeof openFileLog>>;
  try {
    const {config} = await readSettings(call);
    const {flags, context} = call;
    file = await openFileLog(config, context);
    const isForPeople = context.stderr.isTerminal && flags.json === undefined;
    // The parser has checked it.
    const requests = flags.requests as RequestChoice | undefined;
    // A second file, such as that of launchd, would grow without a limit.
    const log = context.stderr.isFile ? file?.log : undefined;
    const both = file !== undefined && log === undefined;
    reporters = [
      isForPeople
        ? reportToPeople(config, {requests, context, stop})
        : reportToPrograms(config, {requests, context, log}),
      ...(both ? [reportToPrograms(config, {requests: 'off', context, log: file?.log})] : []),
    ];
    const options = {
      log: reporters.map(each => each.log).reduce(joinLogs),
      newStoreId: flags.newStoreId === true,
      ...programParts(context, stop),
    };
    // All paths are absolute by now.
    context.leaveFolder();
    await serve(() => openService(config, options), reporters, stop);
    return EXIT.ok;
  } catch (error) {
    if (file !== undefined) logFailure(error, file.log);
    throw error;
  } finally {
    for (const each of reporters) each[Symbol.dispose]();
    await file?.[Symbol.asyncDispose]();
    stop.release();
  }
}

/** Opens the log file, in the form for programs; undefined if none is configured. Disposing of it writes the lines that wait. */
async function openFileLog({logFile: path, logLevel: level}: Config, {stderr, nowMs}: CliContext) {
  if (path === '') return undefined;
  const {openLogFile} = await import('../terminal/log-file.ts');
  const onFailure = ({message}: Error): void =>
    void stderr.write(escapeText(`crewroom: Cannot write to ${JSON.stringify(path)} any more: ${message}\n`));
  const file = await openLogFile(path, {onFailure});
  const log = createLog({level, write: line => file.write(line), nowMs});
  return {log, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]()};
}

/** Logs the reason why the service ends; it is printed as well, but a service manager may drop that. */
function logFailure(error: unknown, log: Log): void {
  if (error instanceof AppError) log.error(error.message, {code: error.code});
  else log.error('internal error', {error});
}

/** Reports the state of the service, to people or to programs. */
interface Reporter extends Disposable {
  readonly log: Log;
  started(service: Started): void;
  stopping(signal: StopSignal): void;
  stopped(): void;
}

interface Started extends StartedService {
  readonly crewroom: Service;
}

async function serve(open: () => Promise<Service>, reporters: readonly Reporter[], stop: StopRequest): Promise<void> {
  const crewroom = await open();
  try {
    // Start-up may take a single tick of the event loop; a signal that came meanwhile is delivered after it.
    await nextTick();
    if (!stop.isAsked()) {
      const started = await listen(crewroom, stop);
      for (const each of reporters) each.started(started);
    }
    const signal = await stop.asked;
    for (const each of reporters) each.stopping(signal);
  } finally {
    await crewroom[Symbol.asyncDispose]();
  }
  for (const each of reporters) each.stopped();
}

/** Listens, and waits until the folders of plugins were read. Plugins may still be starting. */
async function listen(crewroom: Service, stop: StopRequest): Promise<Started> {
  const listening = await crewroom.listen();
  await Promise.race([crewroom.plugins.ready(), stop.asked]);
  return {crewroom, ...listening};
}

interface ReporterDeps {
  /** The value of the flag; undefined if it is not given. */
  readonly requests: RequestChoice | undefined;
  readonly context: CliContext;
}

function reportToPeople(
  {logLevel}: Config,
  {requests, context, stop}: ReporterDeps & {readonly stop: StopRequest},
): Reporter {
  const style = styleOf(context.stderr, context);
  const terminal = openServiceTerminal({context, stop, logLevel, requests: requests ?? DEFAULT_REQUESTS[logLevel]});
  return {
    log: terminal.log,
    started: service => {
      terminal.print(formatBanner({...service, startMs: context.elapsedMs()}, style));
      terminal.serve({crewroom: service.crewroom, address: mainAddress(service)});
    },
    stopping: signal => terminal.stopping(signal),
    stopped: () => terminal.print(`${style.dim('Stopped')}\n`),
    [Symbol.dispose]: () => terminal[Symbol.dispose](),
  };
}

/** The requests that are printed for people without the flag, by what they want to read. */
const DEFAULT_REQUESTS: {readonly [L in Config['logLevel']]: RequestChoice} = {
  error: 'off',
  info: 'refused',
  debug: 'refused',
};

/** @param deps With the log of a log file, in place of standard error. */
function reportToPrograms({logLevel}: Config, deps: ReporterDeps & {readonly log: Log | undefined}): Reporter {
  const {requests = 'off', context} = deps;
  const {stderr, nowMs, processId} = context;
  const log = deps.log ?? createLog({level: logLevel, write: text => void stderr.write(text), nowMs});
  return {
    log: requests === 'off' ? log : withoutFailedRequests(log),
    started: service => {
      log.info('started', startedFields(service, processId));
      logRequests(service.crewroom.requests, requests, log);
    },
    stopping: signal => log.info('stopping', {signal}),
    stopped: () => log.info('stopped'),
    [Symbol.dispose]: () => {},
  };
}
