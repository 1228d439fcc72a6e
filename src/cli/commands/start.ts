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
import {openReporter, type ServiceReporter, type Started} from '../live/service-reporter.ts';
import {formatBanner} from '../output/banner.ts';
import {type CliContext, escapeText} from '../terminal/context.ts';
import {createLog, joinLogs} from '../terminal/log.ts';
import {listenForStop, programParts, type StopRequest} from '../terminal/stop-request.ts';

/** `crewroom start`: serves until a signal or a key stops it. */
export async function run(call: CallOf<'start'>): Promise<ExitCode> {
  if (call.flags.detached === true) return startDetached(call);
  // First of all: a signal during start-up stops the service in good order too.
  const stop = listenForStop(call.context);
  let reporters: readonly ServiceReporter[] = [];
  let file: Awaited<ReturnType<typeof openFileLog>>;
  try {
    const {config} = await readSettings(call);
    const {flags, context} = call;
    file = await openFileLog(config, context);
    // The parser has checked it.
    const requests = flags.requests as RequestChoice | undefined;
    // A second file, such as that of launchd, would grow without a limit.
    const log = context.stderr.isFile ? file?.log : undefined;
    const both = file !== undefined && log === undefined;
    const reporting = {context, logLevel: config.logLevel, stop};
    reporters = [
      openReporter({...reporting, requests, json: flags.json === true, log}),
      ...(both ? [openReporter({...reporting, requests: 'off', json: true, log: file?.log})] : []),
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

async function serve(
  open: () => Promise<Service>,
  reporters: readonly ServiceReporter[],
  stop: StopRequest,
): Promise<void> {
  const crewroom = await open();
  try {
    // Start-up may take a single tick of the event loop; a signal that came meanwhile is delivered after it.
    await nextTick();
    if (!stop.isAsked()) {
      const started = await listen(crewroom, stop);
      for (const each of reporters) each.started(started, (...shown) => formatBanner(started, ...shown));
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
