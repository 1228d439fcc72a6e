import stringWidth from 'fast-string-width';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {RecordedRequest} from '../../core/domain/recorded-request.ts';
import {isExpectedFailure} from '../../core/failures/facts.ts';
import {escapeControls, type Style} from '../terminal/context.ts';
import {cutToWidth, padEnd, wrapWords} from '../terminal/table.ts';

/** Width from which a line has the size of the answer and the sender of the request too, in cells. */
const WIDE_COLUMNS = 100;

/** Widths of columns, in cells. The time of the day has 8. */
const METHOD_WIDTH = 6;
const DURATION_WIDTH = 7;
const SIZE_WIDTH = 9;

/** Width of the lines below a request, which are indented to the method. */
const INDENT = ' '.repeat('12:34:56  '.length);

/** Formats a request as one line, no wider than the terminal, and a refused one with its reason and the advice below. */
export function formatRequest(request: RecordedRequest, style: Style): string {
  const {columns} = style;
  const {requestedAtMs, method, status, durationMs, failure} = request;
  const isWide = columns >= WIDE_COLUMNS;
  const time = new Date(requestedAtMs).toISOString().slice(11, 19);
  const shownMethod = padEnd(cutToWidth(escapeControls(method), METHOD_WIDTH), METHOD_WIDTH);
  const duration = formatDuration(durationMs).padStart(DURATION_WIDTH);
  const size = isWide ? `  ${describeSize(request).padStart(SIZE_WIDTH)}` : '';
  const start = `${time}  ${shownMethod} ${status} ${duration}${size}  `;
  const sender = isWide ? describeSender(request) : '';
  // The last cell stays empty: some terminals begin a new line when it is filled.
  const left = columns - 1 - stringWidth(start) - stringWidth(sender);
  const path = cutToWidth(escapeControls(request.path), Math.max(left, PATH_WIDTH_MIN));
  const figures = `${shownMethod} ${paint(status, style)} ${style.dim(duration + size)}`;
  const shown = `${style.dim(time)}  ${figures}  ${path}${sender === '' ? '' : style.dim(sender)}\n`;
  if (failure === undefined || isExpectedFailure(failure.code)) return shown;
  const width = columns - 1 - INDENT.length;
  const reason = wrapWords(escapeControls(failure.detail), width).map(line => `${INDENT}${line}\n`);
  const advice = wrapWords(escapeControls(failure.advice), width).map(line => `${INDENT}${style.cyan(line)}\n`);
  return [shown, ...reason, ...advice].join('');
}

/** Fewest cells of a path that are worth showing, even if the line becomes wider than the terminal. */
const PATH_WIDTH_MIN = 8;

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
