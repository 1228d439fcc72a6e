import stringWidth from 'fast-string-width';
import type {ConnectionState} from '../../client/event-stream.ts';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {DefaultEventKind, EntryWritten, Event} from '../../core/domain/commits/event.ts';
import type {RecordedRequest, RequestPage} from '../../core/domain/recorded-request.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {formatEvent} from '../../core/protocol/event/event.ts';
import {onOneLine} from '../../core/protocol/text/one-line.ts';
import {writeTimes} from '../../core/protocol/text/times.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {formatRequest} from '../live/format-request.ts';
import {isRefused} from '../live/print-requests.ts';
import {safeLine} from '../output/entry-json.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, escapeControls, jsonLine, type Style, styleOf} from '../terminal/context.ts';
import {untilInterrupted, untilStopped} from '../terminal/interruptible.ts';
import {cutToWidth, padEnd} from '../terminal/table.ts';

/** `crewroom watch`: prints changes as they happen, until a signal stops it. */
export async function watch(call: CallOf<'watch'>): Promise<ExitCode> {
  const {context, flags} = call;
  const [prefix = ''] = call.arguments;
  const {initial = false, json = false, after} = flags;
  const {client, service} = await connect(call);
  // A service that cannot be reached is a failure now; later the client waits until it is back.
  await service.about();
  const status = createWatchStatus(prefix, context);
  const format = chooseEventFormat(json, context);
  const exitCode = await untilStopped(call, async signal => {
    const events = client.events({prefix, after, initial, signal, onConnection: status.onConnection});
    let isInitial = initial && after === undefined;
    for await (const event of events) {
      if (event.kind === 'reset') isInitial = initial;
      if (event.kind === 'initial-ended') isInitial = false;
      await context.stdout.write(format(event, isInitial && event.kind === 'entry-written'));
    }
  });
  await status.end();
  return exitCode;
}

/** Reports the state of the connection on stderr: to people when it is open, to all when it is lost or back. */
function createWatchStatus(prefix: string, context: CliContext) {
  const {stderr} = context;
  const style = styleOf(stderr, context);
  let isLost = false;
  const report = (text: string): void => void stderr.write(`${style.dim(text)}\n`);
  const range = prefix === '' ? 'every entry' : `every key that begins with ${JSON.stringify(prefix)}`;
  if (stderr.isTerminal) report(`Watching ${range}; Ctrl+C ends it`);
  return {
    onConnection: (state: ConnectionState): void => {
      if (state.kind === 'connected') {
        if (isLost) report('crewroom: Connected again');
        isLost = false;
      } else if (!isLost) {
        report(`crewroom: Connection lost: ${describeLoss(state)}; waiting until it is back`);
        isLost = true;
      }
    },
    /** Ends the line on which the terminal shows Ctrl+C. */
    end: async (): Promise<void> => {
      if (stderr.isTerminal) await stderr.write('\n');
    },
  };
}

function describeLoss({because}: ConnectionState & {readonly kind: 'lost'}): string {
  if (because === undefined) return 'the service stopped';
  const {failure} = because;
  return failure && 'problem' in failure ? String(failure.problem) : because.message;
}

type WatchedEvent = Event<unknown, DefaultEventKind>;

/** Formats an event as one line; `isPresent` means that it is a present entry and not a change. */
type EventFormat = (event: WatchedEvent, isPresent: boolean) => string;

/** Chooses the format of events: JSON, or text for people, in a pipe too. */
function chooseEventFormat(json: boolean, context: CliContext): EventFormat {
  return json ? event => safeLine(formatEvent(event)) : formatForPeople(context);
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

/** `crewroom requests`: prints the last requests, and with `--follow` new ones until a signal stops it. */
export async function requests(call: CallOf<'requests'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {requests: recorded} = (await connect(call)).service;
  let isEmpty = true;
  const format = chooseRequestFormat(flags.json === true, context);
  const print = async (page: RequestPage): Promise<void> => {
    if (page.missed > 0) await context.stderr.write(`crewroom: ${page.missed} requests came too fast to show\n`);
    const shown = page.requests.filter(request =>
      flags.refused ? isRefused(request) : flags.json === true || !request.own,
    );
    if (shown.length === 0) return;
    isEmpty = false;
    await context.stdout.write(shown.map(format).join(''));
  };
  if (flags.follow === undefined) {
    await print(await untilInterrupted(context, signal => recorded.read(undefined, {signal})));
    if (isEmpty && flags.json === undefined) await context.stderr.write('No requests yet\n');
    return EXIT.ok;
  }
  return untilStopped(call, async signal => {
    for await (const page of recorded.follow({signal})) await print(page);
  });
}

/** Chooses text for people, in a pipe too; with `--json` one request on a line, as the API has it. */
function chooseRequestFormat(json: boolean, context: CliContext): (request: RecordedRequest) => string {
  const {stdout} = context;
  if (json) return request => jsonLine(writeTimes(request));
  return request => formatRequest(request, styleOf(stdout, context));
}
