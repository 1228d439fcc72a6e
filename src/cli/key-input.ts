import type {Readable} from 'node:stream';
import {isForeground} from '../system/foreground.ts';

/** The part of Node's `process` that {@link readKeys} uses. */
export interface KeyHost {
  readonly stdin: KeyInput;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  on(signal: 'SIGCONT', listener: () => void): unknown;
  off(signal: 'SIGCONT', listener: () => void): unknown;
  kill(processId: number, signal: 'SIGTSTP'): unknown;
}

/** An input stream of a process; `isTTY` and `setRawMode` are missing if it is not a terminal. */
export type KeyInput = Readable & {readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown};

/** Characters that a terminal sends for Ctrl+C and Ctrl+Z while it does not handle them itself. */
const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

/**
 * Reads single keys from the terminal, which then neither echoes nor handles them: Ctrl+C is a key too. Ctrl+Z suspends the process as
 * usual. While the process runs in the background, there are no keys. Node restores the terminal when the process ends.
 *
 * @param onKey Called with the character of each key. Pasted text and special keys are ignored.
 * @returns A function that restores the terminal; undefined if standard input is not a terminal.
 */
export function readKeys(host: KeyHost, onKey: (key: string) => void): (() => void) | undefined {
  const {stdin, platform, pid} = host;
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return undefined;
  let isReading = false;
  const begin = (): void => {
    if (isReading || !isForeground(pid, platform)) return;
    isReading = true;
    stdin.setRawMode?.(true);
    stdin.on('data', take).resume();
  };
  const end = (): void => {
    if (!isReading) return;
    isReading = false;
    stdin.off('data', take).pause();
    stdin.setRawMode?.(false);
  };
  const suspend = (): void => {
    end();
    // The whole group, as the terminal would.
    host.kill(0, 'SIGTSTP');
    // Runs when the process continues, or at once if the system ignores the signal because no shell could continue the process.
    setImmediate(begin);
  };
  /** The shell may have changed the terminal meanwhile. */
  const again = (): void => {
    end();
    begin();
  };
  function take(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString('latin1');
    if (text.includes(CTRL_C)) onKey(CTRL_C);
    else if (text === CTRL_Z && platform !== 'win32') suspend();
    else if (text.length === 1) onKey(text);
  }
  host.on('SIGCONT', again);
  begin();
  return () => {
    host.off('SIGCONT', again);
    end();
  };
}
