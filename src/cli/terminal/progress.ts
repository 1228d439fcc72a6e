import {type CliContext, styleOf} from './context.ts';

/** Shortest time between two changes of the line, in milliseconds: often enough to be seen moving. */
const INTERVAL_MS = 100;

/** Delay before the line appears, in milliseconds, so that it does not flash for work that takes less time. */
const DELAY_MS = 250;

/** Returns to the beginning of the line and erases it (ECMA-48: EL). */
const CLEAR_LINE = '\r\u001b[K';

/**
 * Starts to show progress, on a line on stderr that stays empty if that is not a terminal. The progress bar of the prompts library does not fit: it reads standard input, which may be an
 * import, and ends the process with exit code 0 at Ctrl+C.
 */
export function startProgress(
  context: Pick<CliContext, 'stderr' | 'elapsedMs' | 'environment'>,
  {delayMs = DELAY_MS}: {readonly delayMs?: number} = {},
) {
  const {stderr, elapsedMs} = context;
  const style = styleOf(stderr, context);
  let nextAtMs = elapsedMs() + delayMs;
  let isShown = false;
  /** Removes the line. */
  const clear = async (): Promise<void> => {
    if (isShown) await stderr.write(CLEAR_LINE);
  };
  return {
    /** Shows a text in place of the one before. Calls `describe` only if it is time to change the line. */
    show: (describe: () => string): void => {
      if (!stderr.isTerminal || elapsedMs() < nextAtMs) return;
      nextAtMs = elapsedMs() + INTERVAL_MS;
      isShown = true;
      void stderr.write(`${CLEAR_LINE}${style.dim(describe())}`);
    },
    clear,
    [Symbol.asyncDispose]: clear,
  };
}
