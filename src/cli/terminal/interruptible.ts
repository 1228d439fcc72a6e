import type {CliContext} from './context.ts';
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
