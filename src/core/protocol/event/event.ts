import type {ClientRequested, EntryEvent, Event, PluginLogged, PluginStateChanged} from '../../domain/commits/event.ts';
import {formatRevision, type Revision, type StoreId} from '../../domain/entries/identifiers.ts';
import {formsOf} from '../../json/json-text.ts';
import {ByteWriter} from '../text/byte-writer.ts';
import {formatTime} from '../text/format-time.ts';
import {readExactTexts} from '../text/json-reader.ts';
import {onOneLine} from '../text/one-line.ts';
import {parseDocument, readSentEntry, type SentEntry} from '../text/read-document.ts';
import {readTimes, type WithTimes, writeTimes} from '../text/times.ts';

/** Writes an event as one JSON object on one line, with the store that its revision belongs to, if one is given. */
export function formatEvent(event: Event, storeId?: StoreId): Uint8Array {
  const writer = new ByteWriter();
  const {kind, cursor} = event;
  switch (kind) {
    case 'entry-written':
      writeWritten(writer, event, storeId);
      break;
    case 'entry-deleted':
    case 'entry-expired':
      writer.text(
        JSON.stringify({kind, key: event.key, ...membersOf(event, storeId), cursor, writtenBy: event.writtenBy}),
      );
      break;
    case 'reset':
    case 'initial-ended':
      writer.text(JSON.stringify({kind, storeId, revision: String(event.revision), cursor}));
      break;
    case 'plugin-log':
      writer.text(JSON.stringify(writeTimes(event)));
      break;
    case 'identity-changed':
    case 'plugin-state':
    case 'client-request':
      writer.text(JSON.stringify(event));
  }
  return writer.end();
}

function writeWritten(writer: ByteWriter, event: Event<unknown, 'entry-written'>, storeId: StoreId | undefined): void {
  const {kind, key, cursor, sizeBytes, expiresAtMs, writtenBy, json} = event;
  const expiresAt = expiresAtMs === undefined ? {} : {expiresAt: formatTime(expiresAtMs)};
  const head = JSON.stringify({kind, key, ...membersOf(event, storeId), cursor, sizeBytes, ...expiresAt, writtenBy});
  if (json === undefined) writer.text(head);
  else
    writer
      .text(`${head.slice(0, -1)},"value":`)
      .bytes(onOneLine(json))
      .text('}');
}

function membersOf({revision, etag}: EntryEvent, storeId: StoreId | undefined) {
  return {storeId, revision: String(revision), etag};
}

/**
 * Reads an event.
 *
 * @returns Undefined for a kind, or an action of a `client-request`, of a later version.
 */
export function readEvent(json: string): Event | undefined {
  const document = parseDocument<SentEvent>(json);
  const {kind, cursor} = document;
  switch (kind) {
    case 'entry-written':
      return readWritten(document, json);
    case 'entry-deleted':
    case 'entry-expired':
      return {kind, ...readSentEntry(document), cursor};
    case 'identity-changed':
      return {kind, cursor};
    case 'reset':
    case 'initial-ended':
      return {kind, revision: Number(document.revision), cursor};
    case 'plugin-state':
      return document;
    case 'plugin-log':
      return readTimes<Event<'plugin-log'>>(document);
    case 'client-request':
      return ACTIONS.includes(document.action) ? document : undefined;
    default:
      return undefined;
  }
}

/** An event as it travels. */
type SentEvent = Pick<Event, 'cursor'> &
  (
    | SentWritten
    | (SentEntry & {readonly kind: 'entry-deleted' | 'entry-expired'})
    | {readonly kind: 'identity-changed'}
    | {readonly kind: 'reset' | 'initial-ended'; readonly revision: string}
    | PluginStateChanged
    | WithTimes<PluginLogged>
    | ClientRequested
  );

interface SentWritten extends SentEntry, Pick<Event, 'cursor'> {
  readonly kind: 'entry-written';
  readonly sizeBytes: number;
  readonly value?: unknown;
}

function readWritten(written: SentWritten, json: string): Event<unknown, 'entry-written'> {
  const [text] = readExactTexts(json, ['value']);
  return {
    kind: 'entry-written',
    ...readSentEntry(written),
    cursor: written.cursor,
    sizeBytes: written.sizeBytes,
    ...formsOf(text, written.value),
  };
}

/** Actions of this version. */
const ACTIONS: readonly ClientRequested['action'][] = ['navigate', 'play-sound', 'stop-sound'];

/** Result of a long poll. */
export interface Polled {
  readonly events: readonly Event[];
  /** The `after` of the next request. */
  readonly cursor: Revision;
  readonly storeId: StoreId;
}

/** Writes the answer to a long poll. */
export function formatPolled({events, cursor, storeId}: Polled, format: (event: Event) => Uint8Array): Uint8Array {
  const writer = new ByteWriter().text('{"events":[');
  for (const [index, event] of events.entries()) {
    if (index > 0) writer.text(',');
    writer.bytes(format(event));
  }
  return writer.text(`],"cursor":"${formatRevision({storeId, revision: cursor})}"}`).end();
}
