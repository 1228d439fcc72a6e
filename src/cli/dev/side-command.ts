import type {ChildProcess} from 'node:child_process';
import spawn from 'cross-spawn';
import {codeOf, messageOf} from '../../core/failures/app-error.ts';
import {EXIT} from '../../core/failures/exit-codes.ts';
import {URL_VARIABLE, variableOf} from '../../platform/config/config.ts';
import {type ServiceAddress, serviceUrl} from '../../platform/system/loopback.ts';
import {windowsProgram} from '../../platform/system/windows-programs.ts';
import {withoutProxy} from '../../platform/system/without-proxy.ts';
import {CANNOT_START_ADVICE, refusedUsage} from '../failures/report.ts';
import type {CliContext} from '../terminal/context.ts';

/** Time that a command has to end after a signal, in milliseconds; then it is killed. Dev servers need some tens. */
const END_TIMEOUT_MS = 3000;

/** A command that runs beside the service, such as a dev server. */
export interface SideCommand extends AsyncDisposable {
  /** Resolves with the exit code when it ends by itself, undefined if a signal ended it. Rejects if it cannot start. */
  readonly ended: Promise<number | undefined>;
}

export interface SideCommandDeps {
  readonly context: Pick<CliContext, 'platform' | 'environment' | 'pause' | 'elapsedMs'>;
  /** Folder in which it runs. */
  readonly directory: string;
  readonly address: ServiceAddress;
  /** Origin of the dev server that it starts; undefined if it starts none. Its port is in the variable `PORT`, by which many dev servers choose theirs. */
  readonly pageServer: string | undefined;
}

/**
 * Starts a command. Its output goes to standard error: standard output belongs to `--json`. Its standard input stays open and empty,
 * since some build tools end with it, and keys belong to `crewroom dev`.
 *
 * It leads a group of processes that ends with it: package managers start dev servers as processes of their own.
 */
export function startCommand([program = '', ...args]: readonly string[], deps: SideCommandDeps): SideCommand {
  const {context, directory, address, pageServer} = deps;
  const port = pageServer === undefined ? {} : {PORT: new URL(pageServer).port || '80'};
  const child = spawn(program, args, {
    cwd: directory,
    stdio: ['pipe', STDERR_FD, STDERR_FD],
    detached: context.platform !== 'win32',
    // Some dev servers open a browser of their own: the page is shown by the service.
    env: {BROWSER: 'none', ...childEnvironment(context.environment, address), ...port},
  });
  const ended = untilExit(child, {command: 'dev', program}).then(({exitCode}) => exitCode ?? undefined);
  // The caller may wait for it later.
  ended.catch(() => {});
  return {ended, [Symbol.asyncDispose]: () => end(child, context)};
}

const STDERR_FD = 2;

/**
 * Waits until a command ends, which `cross-spawn` started, by itself or by a signal.
 *
 * @throws {AppError} `invalid-usage` if it cannot be started.
 */
export function untilExit(
  child: ChildProcess,
  {command, program}: {readonly command: 'run' | 'dev'; readonly program: string},
): Promise<{readonly exitCode: number | null; readonly signal: NodeJS.Signals | null}> {
  return new Promise((resolve, reject) => {
    child.on('error', error => {
      const isMissing = codeOf(error) === 'ENOENT';
      // On Windows a shell has started before it finds no such program, and then this error comes in place of the exit. Other errors of a
      // child with an id are those of a signal that could not be sent.
      if (child.pid !== undefined && !isMissing) return;
      const problem = isMissing ? 'there is no such program' : messageOf(error);
      const text = `it cannot start ${JSON.stringify(program)}: ${problem}`;
      reject(refusedUsage(command, text, CANNOT_START_ADVICE, isMissing ? EXIT.noProgram : EXIT.notExecutable));
    });
    child.once('exit', (exitCode, signal) => resolve({exitCode, signal}));
  });
}

/** Interval in which the processes of a command are looked for while they end, in milliseconds. */
const INTERVAL_MS = 20;

/** Asks the processes of a command to end, and kills those that do not in time. */
async function end(child: ChildProcess, context: SideCommandDeps['context']): Promise<void> {
  const {pid} = child;
  const {pause, elapsedMs, platform, environment} = context;
  if (pid === undefined) return;
  child.stdin?.destroy();
  if (platform === 'win32') return endOnWindows(child, pid, windowsProgram('taskkill.exe', environment));
  const untilMs = elapsedMs() + END_TIMEOUT_MS;
  for (let hasProcess = sendToGroup(pid, 'SIGTERM'); hasProcess; hasProcess = sendToGroup(pid, 0)) {
    if (elapsedMs() >= untilMs) return void sendToGroup(pid, 'SIGKILL');
    await pause(INTERVAL_MS);
  }
}

/** Windows has no groups of processes: its own program ends a process with those that it started. */
async function endOnWindows(child: ChildProcess, processId: number, taskkill: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Its timer does not keep this process alive.
  const timeout = AbortSignal.timeout(END_TIMEOUT_MS);
  await new Promise<void>(resolve => {
    child.once('exit', () => resolve());
    timeout.addEventListener('abort', () => resolve(), {once: true});
    const words = ['/pid', String(processId), '/T', '/F'];
    spawn(taskkill, words, {stdio: 'ignore', windowsHide: true}).on('error', () => {});
  });
}

/** Sends a signal to a group; 0 only looks for it. @returns Whether a process of the group runs, even if its leader has ended. */
function sendToGroup(processId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-processId, signal);
  } catch {
    return false;
  }
}

/** Returns the environment of a command that runs beside a service: with its address, to which no request goes through a proxy. */
export function childEnvironment(
  environment: CliContext['environment'],
  address: ServiceAddress,
): Readonly<Record<string, string | undefined>> {
  return {
    ...environment,
    ...withoutProxy(environment, {isNode: false}),
    [URL_VARIABLE]: serviceUrl(address),
    [variableOf('host')]: address.host,
    [variableOf('port')]: String(address.port),
  };
}
