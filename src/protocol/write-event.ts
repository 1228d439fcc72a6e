import type {EntryWritten, Event, EventBatch} from '../domain/event.ts';
import type {JsonText} from '../domain/json-text.ts';
import {formatRevision, type StoreId} from '../domain/store-id.ts';
import {formatTime} from './format-time.ts';

/** How events are written, each once however many subscribers get it. */
export interface EventTexts {
  /** An event as one JSON object, on one line. */
  json(event: Event): Uint8Array;
  /** A batch as a part of an event stream (HTML standard, section 9.2.5); a comment where it has no events. */
  stream(batch: EventBatch): Uint8Array;
}

/** Makes what writes events; it keeps what it wrote for as long as somebody keeps the event. */
export function createEventTexts(storeId: StoreId): EventTexts {
  const jsons = new WeakMap<Event, Uint8Array>();
  const streams = new WeakMap<EventBatch, Uint8Array>();
  const json = (event: Event): Uint8Array => remember(jsons, event, each => formatEvent(each, storeId));
  return {json, stream: batch => remember(streams, batch, each => formatBatch(each, {storeId, json}))};
}

function remember<K extends object, V>(known: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  let value = known.get(key);
  if (value === undefined) {
    value = make(key);
    known.set(key, value);
  }
  return value;
}

interface BatchDeps {
  readonly storeId: StoreId;
  readonly json: (event: Event) => Uint8Array;
}

function formatBatch({events, cursor}: EventBatch, {storeId, json}: BatchDeps): Uint8Array {
  // Only the last event of a commit has the id, so that whoever comes back never misses the rest of one.
  const id = cursor === undefined ? '' : `id: ${formatRevision({storeId, revision: cursor})}\n`;
  if (events.length === 0) return Buffer.from(id === '' ? ':\n\n' : `:\n${id}\n`);
  const parts = events.flatMap((event, index) => [
    Buffer.from(`event: ${event.kind}\ndata: `),
    json(event),
    Buffer.from(index === events.length - 1 ? `\n${id}\n` : '\n\n'),
  ]);
  return Buffer.concat(parts);
}

function formatEvent(event: Event, storeId: StoreId): Uint8Array {
  switch (event.kind) {
    case 'entry-written':
      return formatWritten(event, storeId);
    case 'entry-deleted':
    case 'entry-expired': {
      const {kind, key, revision} = event;
      return Buffer.from(JSON.stringify({kind, key, storeId, revision: String(revision)}));
    }
    case 'reset':
      return Buffer.from(JSON.stringify({kind: event.kind, storeId, revision: String(event.revision)}));
    case 'identity-changed':
      return Buffer.from(JSON.stringify({kind: event.kind}));
  }
}

/** The value stands in it as it is stored: parsing it would lose what JavaScript cannot hold. */
function formatWritten(
  {kind, key, revision, sizeBytes, expiresAtMs, json}: EntryWritten,
  storeId: StoreId,
): Uint8Array {
  const expiresAt = expiresAtMs === undefined ? {} : {expiresAt: formatTime(expiresAtMs)};
  const head = JSON.stringify({kind, key, storeId, revision: String(revision), sizeBytes, ...expiresAt});
  if (json === undefined) return Buffer.from(head);
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"value":`), onOneLine(json), Buffer.from('}')]);
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Line breaks in a JSON text can only be white space between its tokens; in an event stream they would end the line. */
function onOneLine(json: JsonText): Uint8Array {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map(byte => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
