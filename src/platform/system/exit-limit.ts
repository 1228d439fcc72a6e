import {type ChildProcess, spawn} from 'node:child_process';

export interface ExitLimitOptions {
  /** The program of Node. */
  readonly node: string;
  /** Id of this process. */
  readonly processId: number;
  /** Time until the process ends, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the process. */
  readonly exit: () => void;
  /** Printed on standard error if `exit` does not end the process. */
  readonly lastWord: string;
}

/** Time that `exit` may take, in milliseconds. */
const EXIT_MS = 2000;

/** Kills a process after a time, unless its pipe to this program is closed before: then it has ended, or is not to be killed. */
const WATCHER = `
  const [processId, timeoutMs, lastWord] = process.argv.slice(1);
  process.stdin.on('close', () => process.exit()).on('error', () => {}).resume();
  setTimeout(() => {
    try {
      process.kill(Number(processId), 'SIGKILL');
      require('node:fs').writeSync(3, lastWord + '\\n');
    } catch {}
    process.exit();
  }, Number(timeoutMs));`;

/**
 * Ends this process after a time. A process of its own watches this: `exit` never returns while a thread of this process waits in a call
 * of the operating system (libuv joins its threads), and is never called while such a call blocks the event loop. Then it is killed.
 *
 * @returns A function that lifts the limit.
 */
export function limitExit({node, processId, timeoutMs, exit, lastWord}: ExitLimitOptions): () => void {
  const timer = setTimeout(exit, timeoutMs).unref();
  const args = ['-e', WATCHER, String(processId), String(timeoutMs + EXIT_MS), lastWord];
  const watcher = startWatcher(node, args);
  return () => {
    clearTimeout(timer);
    watcher?.stdin?.destroy();
  };
}

/** Starts the watcher. Undefined if that fails: without it the process may stay, as it would have without a limit. */
function startWatcher(node: string, args: readonly string[]): ChildProcess | undefined {
  try {
    // Not as standard error: Node restores a terminal there, at its end, to what it found at its start, which keys may have changed.
    const stdio = ['pipe', 'ignore', 'ignore', process.stderr.fd] as const;
    const watcher = spawn(node, args, {stdio: [...stdio], env: {}, detached: true, windowsHide: true});
    watcher.on('error', () => {}).unref();
    watcher.stdin?.on('error', () => {});
    return watcher;
  } catch {
    // Some errors are thrown, such as ENOMEM.
    return undefined;
  }
}

/**
 * Lets this process end though a process that it started, and has killed, has not: one that waits for a broken file system cannot be killed. Nor
 * can another that holds its pipes keep this one alive, such as a process that it started in a group of its own.
 */
export function abandon(child: ChildProcess): void {
  if (child.connected) child.disconnect();
  // Missing if this process has reached its limit of open files.
  for (const pipe of child.stdio ?? []) pipe?.destroy();
  child.unref();
}
