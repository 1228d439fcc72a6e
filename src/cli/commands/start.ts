import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {dirname} from 'node:path';
import {openService} from '../../app/app.ts';
import type {Service} from '../../app/crewroom.ts';
import type {Log} from '../../core/domain/log.ts';
import {AppError, messageOf} from '../../core/failures/app-error.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {makeDirectory} from '../../core/files/directory.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import type {Config} from '../../platform/config/config.ts';
import {addressesOf, formatAddress, serviceUrl} from '../../platform/system/loopback.ts';
import {describePortHolder, findPortHolder} from '../../platform/system/port-holder.ts';
import type {CallOf} from '../catalogue/commands.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';
import {refusedUsage} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import {openReporter, type ServiceReporter, type Started} from '../live/service-reporter.ts';
import {formatBanner} from '../output/banner.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, escapeControls, escapeText, jsonLine} from '../terminal/context.ts';
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

/** Interval in which a service that starts is asked whether it serves, in milliseconds. */
const INTERVAL_MS = 100;

/** Longest start, in milliseconds: a hundred times what it takes. */
const START_TIMEOUT_MS = 30_000;

/**
 * `crewroom start --detached`: starts the service as a process of its own, without a terminal and without a window, and waits until it serves. Its
 * log is in the file of `--log-file`, or else in that of the platform.
 *
 * @throws {AppError} `address-in-use` if something answers on the port already; `invalid-usage` for any free port.
 */
async function startDetached(call: CallOf<'start'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {config} = await readSettings(call);
  if (config.port === 0) throw refusedUsage('start', '--detached needs a port', 'Name one with --port');
  const address = addressesOf(config.host)[0] ?? config.host;
  const holder = await findPortHolder({address, port: config.port});
  const taken = {code: 'address-in-use', address: formatAddress(address, config.port)} as const;
  if (holder !== undefined) throw new AppError({...taken, holder: describePortHolder(holder)});
  const logFile = config.logFile || context.paths.logFile;
  if (logFile === '')
    throw refusedUsage('start', 'this user has no home directory for a log', 'Name one with --log-file');
  await makeDirectory(dirname(logFile));
  const words = context.args.filter(word => word !== '--detached');
  const child = spawn(context.program.node, [context.program.script, ...words, '--log-file', logFile], {
    cwd: context.workingDirectory,
    env: {...context.environment},
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let errors = '';
  const exited = once(child, 'close').then(
    ([code]) => (code as ExitCode | null) ?? EXIT.failure,
    error => {
      errors += `crewroom: Cannot start the service: ${messageOf(error)}\n`;
      return EXIT.failure;
    },
  );
  // Missing without file descriptors.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exitCode = await untilServing(child, exited, call);
  if (exitCode === undefined) {
    // From then on its messages are in the log only.
    child.stderr?.destroy();
    child.unref();
    const url = serviceUrl(config);
    if (flags.json) await context.stdout.write(jsonLine({url, processId: child.pid, logFile}));
    else await context.stderr.write(`Started ${url} (process ${child.pid}); its log is ${escapeControls(logFile)}\n`);
    return EXIT.ok;
  }
  const messages = errors.split(/(?<=\n)/).filter(line => !line.startsWith('{'));
  await context.stderr.write(escapeText(messages.join('') || 'crewroom: The service did not start in time\n'));
  return exitCode;
}

/** Waits until a service serves. @returns Undefined then; else the exit code of its process, which does not run. */
async function untilServing(
  child: ChildProcess,
  exited: Promise<ExitCode>,
  call: CallOf<'start'>,
): Promise<ExitCode | undefined> {
  const {context} = call;
  const {service} = await connect(call);
  for (const endsAtMs = context.elapsedMs() + START_TIMEOUT_MS; context.elapsedMs() < endsAtMs; ) {
    const asked = service.readiness({timeoutMs: START_TIMEOUT_MS}).then(
      () => undefined,
      () => context.pause(INTERVAL_MS).then(() => 'again' as const),
    );
    const outcome = await Promise.race([exited, asked]);
    if (outcome !== 'again') return outcome;
  }
  child.kill('SIGKILL');
  return EXIT.failure;
}
