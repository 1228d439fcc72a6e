import type {Event, EventBatch} from '../../domain/commits/event.ts';
import type {Store} from '../../domain/commits/store.ts';
import {formatRevision, type StoreId} from '../../domain/entries/identifiers.ts';
import {ByteWriter} from '../text/byte-writer.ts';
import {formatEvent} from './event.ts';

/**
 * Beginning of a stream of server-sent events. An `EventSource` reconnects after `retry`, in milliseconds: longer than a restart of the
 * service (at most 7 seconds to stop, with plugins) and than the pause of systemd after a crash, since in a page of another origin Firefox
 * gives up for good if one reconnection is refused.
 */
export const STREAM_START = ': events of crewroom\nretry: 10000\n\n';

/** How the events of a batch are written. */
export interface BatchFormat {
  readonly storeId: StoreId;
  /** Writes an event as JSON on one line. */
  readonly format: (event: Event) => Uint8Array;
}

/** Writes a batch as blocks of a stream; as a comment if it has no events. */
export function formatBatch({events, cursor}: EventBatch, {storeId, format}: BatchFormat): Uint8Array {
  // Only the last event of a commit has the id, so that a resumed stream never begins in the middle of a commit.
  const id = cursor === undefined ? '' : `id: ${formatRevision({storeId, revision: cursor})}\n`;
  const writer = new ByteWriter();
  if (events.length === 0) return writer.text(id === '' ? ':\n\n' : `:\n${id}\n`).end();
  for (const [index, event] of events.entries()) {
    writer.text(`event: ${event.kind}\ndata: `).bytes(format(event));
    writer.text(index === events.length - 1 ? `\n${id}\n` : '\n\n');
  }
  return writer.end();
}

/** The fields of a part of a stream between two blank lines, by their names. A block without `data` is not an event. */
export type SseBlock = ReadonlyMap<string, string>;

/**
 * Parser for the subset of server-sent events (HTML standard, section 9.2.6) that the service writes: lines end with LF, and
 * the data of an event is one line. Ignores comments, names of events and an incomplete last block.
 */
export class SseParser {
  /** Removes a byte order mark at the beginning, and keeps the bytes of an incomplete character for the next chunk. */
  readonly #decoder = new TextDecoder();
  /** The incomplete line. */
  #line = '';
  /** The incomplete block. */
  #block = new Map<string, string>();

  /** Size of the incomplete line, in UTF-16 units. */
  get length(): number {
    return this.#line.length;
  }

  /** Reads the next bytes, cut anywhere. @returns The blocks that end in them. */
  push(bytes: Uint8Array): readonly SseBlock[] {
    // Split only the new text: searching a long incomplete line again and again would be quadratic.
    const [first = '', ...others] = this.#decoder.decode(bytes, {stream: true}).split('\n');
    const lines = [this.#line + first, ...others];
    this.#line = lines.pop() ?? '';
    return lines.flatMap(line => this.#read(line));
  }

  #read(line: string): readonly SseBlock[] {
    const [, name, value] = /^(data|id): ?(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) this.#block.set(name, value);
    if (line !== '') return [];
    const block = this.#block;
    this.#block = new Map();
    return [block];
  }
}

/** Serialises each event once, for any number of subscribers. */
export type EventTexts = ReturnType<typeof createEventTexts>;

/** Creates a serialiser of events. It keeps each text as long as its event is referenced elsewhere. */
export function createEventTexts(store: Pick<Store, 'id'>) {
  const jsons = new WeakMap<Event, Uint8Array>();
  const streams = new WeakMap<EventBatch, Uint8Array>();
  const json = (event: Event): Uint8Array => remember(jsons, event, each => formatEvent(each, store.id));
  return {
    /** Returns an event as one JSON object on one line. */
    json,
    /** Returns a batch as a part of a stream of server-sent events. */
    stream: (batch: EventBatch): Uint8Array =>
      remember(streams, batch, each => formatBatch(each, {storeId: store.id, format: json})),
  };
}

function remember<K extends object, V>(known: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  let value = known.get(key);
  if (value === undefined) {
    value = make(key);
    known.set(key, value);
  }
  return value;
}
