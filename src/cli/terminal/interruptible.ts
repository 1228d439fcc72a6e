import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import type {CliContext} from './context.ts';
import type {JsonCall} from './outcome.ts';
import {listenForStop} from './stop-request.ts';

/** Thrown by a command that the user interrupted. The message, if there is one, is for the user. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/**
 * Runs work with a signal that Ctrl+C aborts; a second Ctrl+C ends the process at once. The signal is also aborted when the work
 * is over, to end what it left open, such as a response that was not read to its end.
 */
export async function untilInterrupted<T>(context: CliContext, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = listenForStop(context);
  const interrupted = new AbortController();
  void stop.asked.then(() => interrupted.abort(new InterruptedError()));
  try {
    return await work(interrupted.signal);
  } finally {
    stop.release();
    interrupted.abort();
  }
}

/**
 * Runs work that has no end of its own until a signal comes, or the reader of standard output has gone: of JSON at once, of text at the next line,
 * since the spaces that are written to find out would move it.
 *
 * @param work Ends when its signal is aborted.
 * @returns The exit code: {@link EXIT.interrupted} after Ctrl+C.
 */
export async function untilStopped(
  {context, flags}: JsonCall,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<ExitCode> {
  const stop = listenForStop(context);
  const stopped = new AbortController();
  let exitCode: ExitCode = EXIT.ok;
  void stop.asked.then(signal => {
    if (signal === 'SIGINT') exitCode = EXIT.interrupted;
    stopped.abort();
  });
  const stopLooking = flags.json ? context.stdout.onClosed(() => stopped.abort()) : () => {};
  try {
    await work(stopped.signal);
  } finally {
    stopLooking();
    stop.release();
  }
  return exitCode;
}
