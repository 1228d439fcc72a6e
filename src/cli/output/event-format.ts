import stringWidth from 'fast-string-width';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {DefaultEventKind, EntryWritten, Event} from '../../core/domain/commits/event.ts';
import {formatEvent} from '../../core/protocol/event/event.ts';
import {onOneLine} from '../../core/protocol/text/one-line.ts';
import {type CliContext, escapeControls, type Style, styleOf} from '../terminal/context.ts';
import {cutToWidth, padEnd} from '../terminal/table.ts';
import {safeLine} from './entry-json.ts';

type WatchedEvent = Event<unknown, DefaultEventKind>;

/** Formats an event as one line; `isPresent` means that it is a present entry and not a change. */
export type EventFormat = (event: WatchedEvent, isPresent: boolean) => string;

/** Chooses the format of events: JSON, or text for people, in a pipe too. */
export function chooseEventFormat(json: boolean, context: CliContext): EventFormat {
  return json ? eventLine : formatForPeople(context);
}

/** Returns an event as one line of JSON, as the API sends it. */
export function eventLine(event: WatchedEvent): string {
  return safeLine(formatEvent(event));
}

/** Limits of the width of the column of keys, which is as wide as the widest one so far, in cells of the terminal. */
const KEY_WIDTH_MIN = 16;
const KEY_WIDTH_MAX = 40;

/** The width of the longest word for a kind. */
const WORD_WIDTH = 8;

const WORDS = {
  'entry-written': {word: 'written', color: 'green'},
  'entry-deleted': {word: 'deleted', color: 'red'},
  'entry-expired': {word: 'expired', color: 'yellow'},
  'identity-changed': {word: 'identity', color: 'cyan'},
  reset: {word: 'reset', color: 'yellow'},
  'initial-ended': {word: 'initial', color: 'cyan'},
} as const satisfies Record<
  WatchedEvent['kind'],
  {readonly word: string; readonly color: Exclude<keyof Style, 'columns'>}
>;

const PRESENT = {word: 'present', color: 'cyan'} as const;

const NO_TIME = ' '.repeat('12:34:56'.length);

function formatForPeople({stdout, nowMs, environment}: CliContext): EventFormat {
  const style = styleOf(stdout, {environment});
  let keyWidth = KEY_WIDTH_MIN;
  return (event, isPresent) => {
    const {word, color} = isPresent ? PRESENT : WORDS[event.kind];
    // The time of a present entry is not known.
    const time = isPresent ? NO_TIME : new Date(nowMs()).toISOString().slice(11, 19);
    const start = `${style.dim(time)}  ${style[color](word.padEnd(WORD_WIDTH))}  `;
    const used = time.length + WORD_WIDTH + '    '.length;
    if (event.kind === 'identity-changed') return `${start}changed\n`;
    if (event.kind === 'reset')
      return `${start}earlier changes are no longer known; continues after revision ${event.revision}\n`;
    if (event.kind === 'initial-ended') return `${start}all entries are above\n`;
    const key = escapeControls(event.key);
    const width = stringWidth(key);
    keyWidth = Math.max(keyWidth, Math.min(width, KEY_WIDTH_MAX));
    const revision = String(event.revision);
    const left = stdout.columns - used - Math.max(width, keyWidth) - revision.length - '    '.length;
    const value = event.kind === 'entry-written' ? shorten(describeValue(event), left) : '';
    return `${`${start}${padEnd(key, keyWidth)}  ${style.dim(revision)}  ${value}`.trimEnd()}\n`;
  };
}

/** Formats a value on one line, or its size if it was too large for the event. */
function describeValue({json, sizeBytes}: EntryWritten): string {
  if (json === undefined) return `(${formatBytes(sizeBytes)})`;
  return escapeControls(Buffer.from(onOneLine(json)).toString().replaceAll('\t', ' '));
}

/** Fewest cells of a value that are worth showing. */
const SHOWN_MIN = 8;

/** Truncates a text to a width in cells of the terminal; nothing of it is shown if there is little space. */
function shorten(text: string, width: number): string {
  return stringWidth(text) > width && width < SHOWN_MIN ? '' : cutToWidth(text, width);
}
