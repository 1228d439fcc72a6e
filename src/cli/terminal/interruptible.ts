import {InterruptedError} from '../failures/report.ts';
import type {CliContext} from './context.ts';
import {listenForStop} from './stop-request.ts';

/**
 * Does something that Ctrl+C ends in good order, by its signal; a second one ends the process at once. What is still under
 * way when the work is over, such as an answer that nobody reads to its end, is ended by the signal too.
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
