import type {CliContext} from './context.ts';
import {styleOf} from './style.ts';

/** A line that says how far something is. */
export interface Progress {
  /** The total where it is known. */
  update(done: number, total: number | undefined): void;
  /** Says in words what goes on now, where nothing is counted. */
  say(text: string): void;
  /** Takes the line away again. */
  clear(): Promise<void>;
}

/** How often the line changes, in milliseconds: often enough to be seen moving. */
const INTERVAL_MS = 100;

/** Goes back to the beginning of the line and empties it (ECMA-48: EL). */
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows progress on stderr where that is a terminal, and nothing elsewhere.
 *
 * @param action What goes on, such as `Verifying entries`.
 */
export function showProgress(action: string, context: CliContext): Progress {
  const {stderr, elapsedMs} = context;
  const style = styleOf(stderr, context);
  let shownAtMs = -Infinity;
  const say = (text: string): void => {
    if (!stderr.isTerminal || elapsedMs() - shownAtMs < INTERVAL_MS) return;
    shownAtMs = elapsedMs();
    void stderr.write(`${CLEAR_LINE}${style.dim(`${action}: ${text}`)}`);
  };
  return {
    update: (done, total) => say(total === undefined ? `${done}` : `${done} of ${total}`),
    say,
    clear: async () => {
      if (shownAtMs !== -Infinity) await stderr.write(CLEAR_LINE);
    },
  };
}
