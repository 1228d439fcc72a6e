import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createWriteStream, readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {setTimeout} from 'node:timers/promises';
import {CORES, pinned} from './machine.ts';

/** Maximum time until a server answers. */
const START_TIMEOUT_MS = 30_000;
/** Interval of polls until it answers. */
const POLL_MS = 2;
/** Clock ticks per second in the figures of Linux. Source: sysconf(_SC_CLK_TCK), the same on every common platform. */
const TICKS_PER_SECOND = 100;

/** A started server, on the core for servers. */
export interface ServerProcess {
  readonly directory: string;
  readonly process: ChildProcess;
  readonly processId: number;
  /** Stops it, by its own process id. */
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

// Ends all started processes, however the run ends.
process.once('exit', killServers);

/** Ends every server that was not stopped, such as the first of two if the second did not start. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts a server.
 *
 * @param command Program and arguments.
 * @param directory Working directory.
 */
export async function startServer(
  command: readonly string[],
  directory: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<ServerProcess> {
  const [program = '', ...args] = pinned(command, CORES?.server);
  const child = spawn(program, args, {
    cwd: directory,
    env: {...process.env, ...environment},
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  await once(child, 'spawn');
  running.add(child);
  child.once('exit', () => running.delete(child));
  // Beside the directory, not in it: a store uses that alone.
  child.stderr?.pipe(createWriteStream(stderrFile(directory)));
  return {directory, process: child, processId: child.pid ?? 0, stop: () => stop(child)};
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Returns the first line that a server prints. @throws {Error} If it ends before, or takes too long. */
export async function readFirstLine(server: ServerProcess): Promise<string> {
  const {process: child} = server;
  if (child.stdout === null) throw new Error('Cannot read a line: standard output is not read');
  const lines = createInterface(child.stdout);
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const [line] = await Promise.race([once(lines, 'line', {signal}), failOnExit(server, signal)]);
  child.stdout.resume();
  return String(line);
}

/** Waits until a server that prints no address answers. @throws {Error} If it ends before, or takes too long. */
export async function waitUntilAnswered(server: ServerProcess, url: string): Promise<void> {
  server.process.stdout?.resume();
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const failed = failOnExit(server, signal);
  while (!(await Promise.race([failed, answers(url)]))) await setTimeout(POLL_MS, undefined, {signal});
}

async function failOnExit({process: child, directory}: ServerProcess, signal: AbortSignal): Promise<never> {
  const [code, killedBy] = await once(child, 'close', {signal});
  const stderr = readFileSync(stderrFile(directory), 'utf8').trim();
  throw new Error(`${child.spawnargs.join(' ')} ended at once, with ${killedBy ?? `exit code ${code}`}: ${stderr}`);
}

function stderrFile(directory: string): string {
  return `${directory}.stderr.txt`;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Memory of processes, in megabytes. */
export interface Memory {
  /** Resident memory, mapped files included. */
  readonly residentMb: number;
  /** Resident memory without files: the system cannot take it back. */
  readonly ownMb: number;
}

/** Returns the current memory of processes; NaN if the system does not provide it. */
export function readMemory(processIds: readonly number[]): Memory {
  const sum = (name: string): number =>
    processIds.reduce((total, id) => {
      const status = readProcessFile(id, 'status');
      return total + Number(new RegExp(`${name}:\\s+([0-9]+) kB`).exec(status)?.[1]) / 1024;
    }, 0);
  return {residentMb: sum('VmRSS'), ownMb: sum('RssAnon')};
}

/** Returns the processor time of processes so far, in milliseconds; NaN if the system does not provide it. */
export function readProcessorTimeMs(processIds: readonly number[]): number {
  return processIds.reduce((total, id) => {
    // The name of the program, in parentheses, may contain spaces. Source: proc_pid_stat(5), fields 14 and 15.
    const fields = readProcessFile(id, 'stat').split(') ').at(-1)?.split(' ') ?? [];
    return total + ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000;
  }, 0);
}

/** Returns the ids of the processes that a process has started and that still run; none if the system does not provide them. */
export function findChildren(processId: number): readonly number[] {
  const ids = readProcessFile(processId, `task/${processId}/children`).trim();
  return ids === '' ? [] : ids.split(' ').map(Number);
}

function readProcessFile(processId: number, name: string): string {
  try {
    return readFileSync(`/proc/${processId}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
