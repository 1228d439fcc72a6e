import type {
  ClientRequested,
  DefaultEventKind,
  EntryWritten,
  Event,
  EventKind,
  EventOfKind,
  PluginLogged,
  PluginStateChanged,
} from '../../domain/commits/event.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import type {Shape, ShapeOf} from '../../domain/shape.ts';
import {encodeText, trustStoredJson} from '../../json/json-text.ts';
import {ByteWriter} from '../text/byte-writer.ts';
import {formatTime} from '../text/format-time.ts';
import {readExactTexts} from '../text/json-reader.ts';
import {onOneLine} from '../text/one-line.ts';
import {
  assertShape,
  parseDocument,
  readSentEntry,
  readTime,
  SENT_ENTRY,
  type SentEntry,
} from '../text/read-document.ts';

/** An event of one of these kinds, as a client receives it. */
export type ClientEvent<T = unknown, K extends EventKind = DefaultEventKind> = EventOfKind<
  K,
  ValueWritten<T> | Exclude<Event, EntryWritten>
>;

/** An entry was written. Its value comes in all forms, unless it is larger than 64 KiB. */
export interface ValueWritten<T = unknown> extends EntryWritten {
  /** The value as it was written, but line breaks between its tokens have become spaces. */
  readonly text?: string;
  /** The value as JavaScript represents it, where numbers become the nearest ones that it has. */
  readonly value?: T;
}

/** Writes an event as one JSON object on one line, with the store that its revision belongs to, if one is given. */
export function formatEvent(event: Event, storeId?: StoreId): Uint8Array {
  const writer = new ByteWriter();
  const {kind} = event;
  switch (kind) {
    case 'entry-written':
      writeWritten(writer, event, storeId);
      break;
    case 'entry-deleted':
    case 'entry-expired':
      writer.text(
        JSON.stringify({kind, key: event.key, storeId, revision: String(event.revision), writtenBy: event.writtenBy}),
      );
      break;
    case 'reset':
      writer.text(JSON.stringify({kind, storeId, revision: String(event.revision)}));
      break;
    case 'plugin-log': {
      const {plugin, atMs, level, text, dropped} = event;
      writer.text(JSON.stringify({kind, plugin, at: formatTime(atMs), level, text, dropped}));
      break;
    }
    case 'identity-changed':
    case 'plugin-state':
    case 'client-request':
      writer.text(JSON.stringify(event));
  }
  return writer.end();
}

function writeWritten(writer: ByteWriter, event: EntryWritten, storeId: StoreId | undefined): void {
  const {kind, key, revision, sizeBytes, expiresAtMs, writtenBy, json} = event;
  const expiresAt = expiresAtMs === undefined ? {} : {expiresAt: formatTime(expiresAtMs)};
  const head = JSON.stringify({kind, key, storeId, revision: String(revision), sizeBytes, ...expiresAt, writtenBy});
  if (json === undefined) writer.text(head);
  else
    writer
      .text(`${head.slice(0, -1)},"value":`)
      .bytes(onOneLine(json))
      .text('}');
}

/**
 * Reads an event.
 *
 * @returns Undefined for a kind, or an action of a `client-request`, of a later version.
 * @throws {UnexpectedDocument}
 */
export function readEvent(json: string): ClientEvent<unknown, EventKind> | undefined {
  const document = parseDocument(json);
  const {kind} = assertShape<{readonly kind: string}>(document, {kind: 'string'});
  switch (kind) {
    case 'entry-written':
      return readWritten(document, json);
    case 'entry-deleted':
    case 'entry-expired':
      return {kind, ...readSentEntry(assertShape<SentEntry>(document, SENT_ENTRY))};
    case 'identity-changed':
      return {kind};
    case 'reset':
      return {kind, revision: Number(assertShape<SentReset>(document, RESET).revision)};
    case 'plugin-state':
      return {...assertShape<Omit<PluginStateChanged, 'kind'>>(document, PLUGIN_STATE), kind};
    case 'plugin-log': {
      const {at, ...line} = assertShape<SentLine>(document, PLUGIN_LOG);
      return {...line, kind, atMs: readTime(at)};
    }
    case 'client-request':
      return readRequest(document);
    default:
      return undefined;
  }
}

function readWritten(document: unknown, json: string): ValueWritten {
  const written: SentWritten & {readonly value?: unknown} = assertShape<SentWritten>(document, WRITTEN);
  const [text] = readExactTexts(json, ['value']);
  return {
    kind: 'entry-written',
    ...readSentEntry(written),
    sizeBytes: written.sizeBytes,
    ...(text === undefined ? undefined : {json: trustStoredJson(encodeText(text)), text, value: written.value}),
  };
}

function readRequest(document: unknown): ClientRequested | undefined {
  const {action} = assertShape<{readonly action: string}>(document, {action: 'string'});
  const shape = REQUESTS.get(action) as ShapeOf<ClientRequested> | undefined;
  return shape && assertShape<ClientRequested>(document, shape);
}

interface SentReset {
  readonly revision: string;
}

interface SentWritten extends SentEntry {
  readonly sizeBytes: number;
}

interface SentLine extends Omit<PluginLogged, 'kind' | 'atMs'> {
  readonly at: string;
}

const RESET: ShapeOf<SentReset> = {revision: 'digits'};
const WRITTEN: ShapeOf<SentWritten> = {...SENT_ENTRY, sizeBytes: 'number'};
const PLUGIN_STATE: ShapeOf<Omit<PluginStateChanged, 'kind'>> = {
  plugin: 'string',
  'state?': 'string',
  'page?': 'string',
};
const PLUGIN_LOG: ShapeOf<SentLine> = {
  plugin: 'string',
  at: 'string',
  level: 'string',
  text: 'string',
  'dropped?': 'number',
};
/** Further members of a `client-request`, by its action. */
const REQUESTS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['navigate', {plugin: 'string', 'payload?': 'string'}],
  ['play-sound', {url: 'string'}],
  ['stop-sound', {}],
]);

/** Result of a long poll. */
export interface Polled {
  readonly events: readonly Event[];
  /** The `since` of the next request. */
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
  return writer.text(`],"storeId":"${storeId}","revision":"${cursor}"}`).end();
}
