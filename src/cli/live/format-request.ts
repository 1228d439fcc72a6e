import stringWidth from 'fast-string-width';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {RecordedRequest} from '../../core/domain/recorded-request.ts';
import {isExpectedFailure} from '../../core/failures/facts.ts';
import {escapeControls, type Style} from '../terminal/context.ts';
import {cutToWidth, padEnd, WRAPPED_WIDTH_MIN, wrapWords} from '../terminal/table.ts';

/** How a request is shown on a terminal. */
export interface RequestStyle {
  readonly style: Style;
  /** Width of the terminal, in cells. */
  readonly columns: number;
  /** How often the same request was answered in a row. */
  readonly times: number;
}

/** Width from which a line has the size of the answer and the sender of the request too, in cells. */
const WIDE_COLUMNS = 100;

/** Widths of columns, in cells. The time of the day has 8. */
const METHOD_WIDTH = 6;
const DURATION_WIDTH = 7;
const SIZE_WIDTH = 9;

/** Width of the lines below a request, which are indented to the method. */
const INDENT = ' '.repeat('12:34:56  '.length);

/** Formats a request as one line, and a refused one with its reason and the advice below. No line is wider than the terminal. */
export function formatRequest(request: RecordedRequest, {style, columns, times}: RequestStyle): string {
  const {requestedAtMs, method, status, durationMs, failure} = request;
  const isWide = columns >= WIDE_COLUMNS;
  const time = new Date(requestedAtMs).toISOString().slice(11, 19);
  const shownMethod = padEnd(cutToWidth(escapeControls(method), METHOD_WIDTH), METHOD_WIDTH);
  const duration = formatDuration(durationMs).padStart(DURATION_WIDTH);
  const size = isWide ? `  ${describeSize(request).padStart(SIZE_WIDTH)}` : '';
  const start = `${time}  ${shownMethod} ${status} ${duration}${size}  `;
  const sender = isWide ? describeSender(request) : '';
  const count = times === 1 ? '' : `  ×${times}`;
  // The last cell stays empty: some terminals begin a new line when it is filled.
  const left = columns - 1 - stringWidth(start) - stringWidth(sender) - count.length;
  const path = cutToWidth(escapeControls(request.path), Math.max(left, PATH_WIDTH_MIN));
  const shown =
    `${style.dim(time)}  ${shownMethod} ${paint(status, style)} ${style.dim(duration + size)}  ${path}` +
    `${sender === '' ? '' : style.dim(sender)}${count === '' ? '' : style.bold(count)}\n`;
  if (failure === undefined || isExpectedFailure(failure.code)) return shown;
  const width = columns - 1 - INDENT.length;
  const reason = wrap(escapeControls(failure.detail), width).map(line => `${INDENT}${line}\n`);
  const advice = wrap(escapeControls(failure.advice), width).map(line => `${INDENT}${style.cyan(line)}\n`);
  return [shown, ...reason, ...advice].join('');
}

/** Fewest cells of a path that are worth showing, even if the line becomes wider than the terminal. */
const PATH_WIDTH_MIN = 8;

/** Returns a text that is the same for requests that people would call the same. */
export function keyOf({method, path, status, origin, plugin, failure}: RecordedRequest): string {
  return JSON.stringify([method, path, status, origin, plugin, failure?.code]);
}

function formatDuration(durationMs: number): string {
  if (durationMs >= 10_000) return `${(durationMs / 1000).toFixed(0)} s`;
  return durationMs >= 100 ? `${durationMs.toFixed(0)} ms` : `${durationMs.toFixed(1)} ms`;
}

function describeSize({sizeBytes}: RecordedRequest): string {
  return sizeBytes === undefined ? 'stream' : formatBytes(sizeBytes);
}

function describeSender({plugin, origin}: RecordedRequest): string {
  const sender = plugin ?? origin;
  return sender === undefined ? '' : `  ${cutToWidth(escapeControls(sender), SENDER_WIDTH_MAX)}`;
}

/** Widest sender, in cells. */
const SENDER_WIDTH_MAX = 40;

function paint(status: number, style: Style): string {
  if (status >= 500) return style.red(String(status));
  return status >= 400 ? style.yellow(String(status)) : style.green(String(status));
}

/** Breaks a text into lines, between words if they are not too long: none may be wider than the terminal. */
function wrap(text: string, width: number): readonly string[] {
  if (width < WRAPPED_WIDTH_MIN) return [text];
  const parts = text.split(' ').flatMap(word => splitWord(word, width));
  return wrapWords(parts.join(' '), width);
}

function splitWord(word: string, width: number): readonly string[] {
  const parts = [''];
  let used = 0;
  for (const character of word) {
    const cells = stringWidth(character);
    if (used + cells > width) {
      parts.push('');
      used = 0;
    }
    parts[parts.length - 1] += character;
    used += cells;
  }
  return parts;
}
