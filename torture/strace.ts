import {spawn} from 'node:child_process';
import {once} from 'node:events';

/** A system call of a service to kill it at: the N-th of this name that one of its threads makes on the traced paths. */
export interface KillPoint {
  readonly call: string;
  /** From 1. */
  readonly count: number;
}

/** System calls that fail with an error instead of being made. */
export interface CallFault {
  readonly call: string;
  /** Such as `ENOSPC`. */
  readonly error: string;
  /** The first that fails, of this name and on the traced paths, from 1. */
  readonly first: number;
  /** Whether all that follow fail too. */
  readonly lasts: boolean;
}

/** What is traced. */
export interface TraceOptions {
  /** Names of system calls; those that this machine does not have are left out. */
  readonly calls: readonly string[];
  /** Only calls on these files and directories. @default {all} */
  readonly paths?: readonly string[];
  /** Where the trace is written. */
  readonly output: string;
  /** How much of each buffer is written down, in bytes. @default {none} */
  readonly textBytes?: number;
  /** The service dies when it enters this call; the call does not happen. */
  readonly killAt?: KillPoint | undefined;
  /** What fails; each thread counts its own calls. @default {nothing} */
  readonly faults?: readonly CallFault[];
}

/** With one thread for the disk, the N-th call of a kind is the same one each time. */
export const ONE_DISK_THREAD = {UV_THREADPOOL_SIZE: '1'} as const;

/** Undefined when this machine can trace processes; otherwise what is missing. */
export async function findMissingTracer(): Promise<string | undefined> {
  const canTrace = await succeeds('strace', ['-f', '-qq', '-o', '/dev/null', 'true']);
  return canTrace ? undefined : 'strace, and the right to trace';
}

/** A command, to which that of a service is appended, which runs it under the tracer. */
export function traceFromStart(options: TraceOptions): readonly string[] {
  // Not with --seccomp-bpf, which is quicker, but then nothing is killed at calls that are chosen by their paths.
  return ['strace', ...formatOptions(options)];
}

/** Traces a service that runs already, and every thread of it. It ends with the service. */
export async function traceRunning(processId: number, options: TraceOptions): Promise<void> {
  const tracer = spawn('strace', [...formatOptions(options), '-p', String(processId)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // It says so once it has all threads.
  let said = '';
  for await (const text of tracer.stderr.setEncoding('utf8')) {
    said += text;
    if (said.includes(' attached')) break;
  }
  if (!said.includes(' attached')) throw new Error(`Cannot trace process ${processId}: ${said}`);
}

function formatOptions({
  calls,
  paths = [],
  output,
  textBytes = 0,
  killAt,
  faults = [],
}: TraceOptions): readonly string[] {
  // A question mark lets a name be unknown, as some are on other processors.
  const names = calls.map(call => `?${call}`).join(',');
  const inject = killAt === undefined ? [] : ['-e', `inject=${killAt.call}:signal=SIGKILL:when=${killAt.count}`];
  for (const {call, error, first, lasts} of faults)
    inject.push('-e', `inject=${call}:error=${error}:when=${first}${lasts ? '+' : ''}`);
  const filter = paths.flatMap(path => ['-P', path]);
  return ['-f', '-tt', '-yy', '-s', String(textBytes), '-o', output, '-e', `trace=${names}`, ...filter, ...inject];
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  try {
    const [code] = await once(spawn(command, args, {stdio: 'ignore'}), 'close');
    return code === 0;
  } catch {
    return false;
  }
}
