import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {dirname} from 'node:path';
import {AppError, messageOf} from '../../core/failures/app-error.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {makeDirectory} from '../../core/files/directory.ts';
import {addressesOf, formatAddress, serviceUrl} from '../../platform/system/loopback.ts';
import {describePortHolder, findPortHolder} from '../../platform/system/port-holder.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {refusedUsage} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import {connect} from '../service/connection.ts';
import {escapeControls, escapeText, jsonLine} from '../terminal/context.ts';

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
export async function startDetached(call: CallOf<'start'>): Promise<ExitCode> {
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
