import {untilAborted} from '../../time/until-aborted.ts';
import type {CliContext} from '../terminal/context.ts';
import {confirm} from '../terminal/prompts.ts';

/** Asks a question that Ctrl+C interrupts. @throws {InterruptedError} */
export async function askUntil(signal: AbortSignal, question: string, context: CliContext): Promise<boolean> {
  try {
    return await untilAborted(confirm(question, context), signal);
  } finally {
    // The prompt is still reading, which would keep the process alive.
    if (signal.aborted) context.stdin.close();
  }
}
