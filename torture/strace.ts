import {spawn} from 'node:child_process';
import {once} from 'node:events';

/**
 * A system call at which to kill a service: the N-th of this name that one of its threads makes on the traced paths.
 */
export interface KillPoint {
  readonly call: string;
  /** Counted from 1. */
  readonly count: number;
}

/** System calls that return an error without being made. */
export interface CallFault {
  readonly call: string;
  /** Error name, such as `ENOSPC`. */
  readonly error: string;
  /** The first call of this name on the traced paths that fails, from 1. */
  readonly first: number;
  /** True if all later calls fail too. */
  readonly lasts: boolean;
}

/** Options of a trace. */
export interface TraceOptions {
  /** Names of system calls; those that this machine does not have are left out. */
  readonly calls: readonly string[];
  /** Limits the trace to these files and directories. @default {all} */
  readonly paths?: readonly string[];
  /** File of the trace. */
  readonly output: string;
  /** Number of bytes of each buffer in the trace. @default {none} */
  readonly textBytes?: number;
  /** Kills the service when it enters this call; the call does not happen. */
  readonly killAt?: KillPoint | undefined;
  /** Calls that fail, counted per thread. @default {none} */
  readonly faults?: readonly CallFault[];
}

/** Uses one thread for the disk, so that the N-th call of a kind is always the same. */
export const ONE_DISK_THREAD = {UV_THREADPOOL_SIZE: '1'} as const;

/** Undefined if this machine can trace processes; otherwise what is missing. */
export async function findMissingTracer(): Promise<string | undefined> {
  const canTrace = await succeeds('strace', ['-f', '-qq', '-o', '/dev/null', 'true']);
  return canTrace ? undefined : 'strace, and the right to trace';
}

/** Returns a command that runs the service's command, appended to it, under the tracer. */
export function traceFromStart(options: TraceOptions): readonly string[] {
  // Not with --seccomp-bpf, which is faster, but then strace does not inject kills into calls chosen by path.
  return ['strace', ...formatOptions(options)];
}

/** Traces a running service with all its threads. It ends with the service. */
export async function traceRunning(processId: number, options: TraceOptions): Promise<void> {
  const tracer = spawn('strace', [...formatOptions(options), '-p', String(processId)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // strace prints this once it has attached to all threads.
  let output = '';
  for await (const text of tracer.stderr.setEncoding('utf8')) {
    output += text;
    if (output.includes(' attached')) break;
  }
  if (!output.includes(' attached')) throw new Error(`Cannot trace process ${processId}: ${output}`);
}

function formatOptions({
  calls,
  paths = [],
  output,
  textBytes = 0,
  killAt,
  faults = [],
}: TraceOptions): readonly string[] {
  // With a question mark strace ignores unknown names: some calls do not exist on other processors.
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
