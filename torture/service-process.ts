import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Maximum time of a start, in milliseconds; longer than a start under a tracer takes. */
const START_TIMEOUT_MS = 60_000;

/** Options of a service process. */
export interface ServiceOptions {
  readonly dataDir: string;
  /** @default {a free port} */
  readonly port?: number | undefined;
  /** Arguments of Node that replace the built service, followed by those of the service. @default {the command line} */
  readonly program?: readonly string[];
  /** More flags of `crewroom start`. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Program and arguments that run the service, such as `strace` or `prlimit`. */
  readonly under?: readonly string[];
  /** Kills it, and all processes it started, when aborted. */
  readonly signal: AbortSignal;
}

/** End of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last part of its standard error. */
  readonly stderr: string;
}

/** The real service, `crewroom start`, in a process of its own. */
export interface ServiceProcess {
  /** Process id of the service itself, also under a tracer. */
  readonly processId: number;
  readonly port: number;
  /** Such as `http://127.0.0.1:43210`. */
  readonly url: string;
  readonly exited: Promise<Exit>;
  /** Its standard error so far. */
  readonly output: () => string;
  /** Resolves once its output satisfies this, or it has ended. */
  until(what: (output: string) => boolean): Promise<void>;
  /** Kills it without warning, and waits until it has ended. */
  kill(): Promise<Exit>;
  /** Asks it to stop (SIGTERM), and waits. */
  stop(): Promise<Exit>;
}

/** The service ended before it was ready. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exit: Exit;

  constructor(exit: Exit) {
    super(`The service ended before it was ready: ${exit.signal ?? `exit code ${exit.code}`}\n${exit.stderr}`);
    this.exit = exit;
  }
}

/**
 * Starts the built service on a free port, and waits until it is ready.
 *
 * @throws {StartError} If it ends before, killed or refused.
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const {dataDir, port = 0, args: more = []} = options;
  const args = ['start', '--json', '--port', String(port), '--data-dir', dataDir, ...more];
  const running = run(args, options);
  const {child} = running;
  const timer = setTimeout(running.killGroup, START_TIMEOUT_MS);
  const started = await running.until(findStarted);
  clearTimeout(timer);
  if (started === undefined) throw new StartError(await running.exited);
  const signalService = (signal: NodeJS.Signals): Promise<Exit> => {
    try {
      process.kill(started.processId, signal);
    } catch {
      // It has ended already.
    }
    return running.exited;
  };
  return {
    processId: started.processId,
    port: started.port,
    url: `http://127.0.0.1:${started.port}`,
    exited: running.exited,
    output: running.output,
    until: async what => {
      await running.until(text => what(text) || undefined);
    },
    kill: () => (child.exitCode === null ? signalService('SIGKILL') : running.exited),
    stop: () => signalService('SIGTERM'),
  };
}

/** Runs a command of `crewroom`, such as `doctor`, to its end. @returns Its exit and output. */
export async function runCommand(
  args: readonly string[],
  options: Omit<ServiceOptions, 'dataDir' | 'port'>,
): Promise<Exit & {readonly stdout: string}> {
  const running = run(args, options);
  let stdout = '';
  running.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return {...(await running.exited), stdout};
}

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly output: () => string;
  /** Waits until `find` finds something in its output; undefined if it ends before. */
  until<T>(find: (text: string) => T | undefined): Promise<T | undefined>;
  /** Kills it and all processes it started. */
  readonly killGroup: () => void;
}

function run(args: readonly string[], options: Omit<ServiceOptions, 'dataDir' | 'port'>): Running {
  const {under = [], program: main = [MAIN], environment = {}, signal} = options;
  signal.throwIfAborted();
  const [program = process.execPath, ...rest] = [...under, process.execPath, ...main, ...args];
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {PATH: process.env['PATH'], HOME: '/nonexistent', ...environment},
    // A process group of its own, so that a tracer and its tracees are killed together.
    detached: true,
  });
  const killGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  signal.addEventListener('abort', killGroup);
  let output = '';
  const listeners = new Set<() => void>();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const listener of listeners) listener();
  });
  const exited = once(child, 'close').then(([code, exitSignal]): Exit => {
    signal.removeEventListener('abort', killGroup);
    return {code, signal: exitSignal, stderr: output};
  });
  return {
    child,
    exited,
    output: () => output,
    until: async find => {
      const {promise, look} = watch(() => find(output));
      listeners.add(look);
      try {
        return await Promise.race([promise, exited.then(() => find(output))]);
      } finally {
        listeners.delete(look);
      }
    },
    killGroup,
  };
}

/** Polls until `look` returns a value. */
function watch<T>(find: () => T | undefined): {readonly promise: Promise<T>; readonly look: () => void} {
  let look = (): void => {};
  const promise = new Promise<T>(resolve => {
    look = () => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
  });
  look();
  return {promise, look};
}

interface Started {
  readonly processId: number;
  readonly port: number;
}

function findStarted(text: string): Started | undefined {
  const line = text.split('\n').find(each => each.includes('"message":"started"') && each.endsWith('}'));
  return line === undefined ? undefined : (JSON.parse(line) as Started);
}
