import type {CliContext, Output} from './context.ts';
import {type Style, styleOf} from './style.ts';

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

/** What is over before needs no line, in milliseconds: it would only flash. */
const DELAY_MS = 250;

/** Goes back to the beginning of the line and empties it (ECMA-48: EL). */
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows progress on stderr where that is a terminal, and nothing elsewhere.
 *
 * @param action What goes on, such as `Verifying entries`.
 */
export function showProgress(action: string, context: CliContext): Progress {
  const style = styleOf(context.stderr, context);
  const {show, clear} = showLine(context, {delayMs: 0});
  const say = (text: string): void => show(() => style.dim(`${action}: ${text}`));
  return {
    update: (done, total) => say(total === undefined ? `${done}` : `${done} of ${total}`),
    say,
    clear,
  };
}

/** A line that changes. */
export interface ChangingLine {
  /** Shows a text; it is asked for only when it is time. */
  show(describe: () => string): void;
  /** Takes the line away again. */
  clear(): Promise<void>;
}

/**
 * Shows a line on stderr where that is a terminal, and nothing elsewhere. The progress bar of the prompts library is not
 * for us: it reads standard input, which may be what is imported, and ends the process at Ctrl+C as if all were well.
 */
export function showLine(
  {stderr, elapsedMs}: Pick<CliContext, 'stderr' | 'elapsedMs'>,
  {delayMs = DELAY_MS}: {readonly delayMs?: number} = {},
): ChangingLine {
  let nextAtMs = elapsedMs() + delayMs;
  let isShown = false;
  return {
    show: describe => {
      if (!stderr.isTerminal || elapsedMs() < nextAtMs) return;
      nextAtMs = elapsedMs() + INTERVAL_MS;
      isShown = true;
      void stderr.write(`${CLEAR_LINE}${describe()}`);
    },
    clear: async () => {
      if (isShown) await stderr.write(CLEAR_LINE);
    },
  };
}

/** How wide a bar is at most, in characters. */
const BAR_WIDTH_MAX = 32;

/** What most terminals have. */
const COLUMNS = 80;

/** What stands beside a bar takes so many characters. */
const TEXT_WIDTH = 48;

/** What is done so far, and of how much. */
export interface Advance {
  /** Such as `Importing`. */
  readonly label: string;
  readonly doneBytes: number;
  /** Undefined where nobody knows. */
  readonly totalBytes: number | undefined;
  /** What else there is to say. */
  readonly detail: string;
}

/** Makes the text for something that begins now and takes a while: with a bar where its end is known. */
export function describeAdvances(context: CliContext): (advance: Advance) => string {
  const {stderr, elapsedMs} = context;
  const style = styleOf(stderr, context);
  const begunAtMs = elapsedMs();
  return ({label, doneBytes, totalBytes, detail}) => {
    if (totalBytes === undefined || totalBytes === 0) return `${label}  ${style.dim(detail)}`;
    const share = Math.min(1, doneBytes / totalBytes);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    const left = describeTimeLeft(elapsedMs() - begunAtMs, share);
    return `${label}  ${formatBar(share, stderr, style)} ${percent}  ${style.dim(`${detail}${left}`)}`;
  };
}

/** A bar of which a share is full; it gets shorter on a narrow terminal. */
function formatBar(share: number, {columns}: Pick<Output, 'columns'>, style: Style): string {
  // Some terminals do not know how wide they are.
  const width = Math.max(0, Math.min(BAR_WIDTH_MAX, (columns || COLUMNS) - TEXT_WIDTH));
  const full = Math.floor(share * width);
  return `${style.cyan('━'.repeat(full))}${style.dim('─'.repeat(width - full))}`;
}

/** Before that nothing is guessed at, in milliseconds. */
const GUESS_AFTER_MS = 2000;

function describeTimeLeft(passedMs: number, share: number): string {
  if (passedMs < GUESS_AFTER_MS || share === 0) return '';
  const seconds = Math.ceil((passedMs * (1 - share)) / share / 1000);
  return seconds < 60 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`;
}
