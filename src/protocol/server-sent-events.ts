import type {Event, EventBatch} from '../domain/event.ts';
import {formatRevision} from '../domain/revision.ts';
import type {StoreId} from '../domain/store-id.ts';
import {ByteWriter} from './byte-writer.ts';

/** Time that a browser waits before it connects again, in milliseconds: a restart of the service takes less. */
const RETRY_MS = 1000;

/** Beginning of a stream of server-sent events (HTML standard, section 9.2.5). */
export const STREAM_START = `: events of crewroom\nretry: ${RETRY_MS}\n\n`;

/** How to write a batch. */
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

/** Part of a stream between two blank lines. */
export interface SseBlock {
  /** The lines of its data, joined by line feeds; undefined if it has none and so is not an event. */
  readonly data: string | undefined;
  /** Its own id, if it has one. */
  readonly id: string | undefined;
  /** Time to wait before connecting again, in milliseconds, if it sets one. */
  readonly retryMs: number | undefined;
}

/**
 * Reads a stream of server-sent events (HTML standard, section 9.2.6): lines end with CR, LF or both; comments, unknown
 * fields and an incomplete last block are ignored. Names of events are dropped, since their data repeats them.
 */
export class SseParser {
  /** Removes a byte order mark at the beginning, and keeps the bytes of an incomplete character for the next chunk. */
  readonly #decoder = new TextDecoder();
  /** The incomplete line. */
  #line = '';
  #endedWithCr = false;
  #data: string | undefined;
  #id: string | undefined;
  #retryMs: number | undefined;

  /** Size of the incomplete block, in UTF-16 units. */
  get heldLength(): number {
    return this.#line.length + (this.#data?.length ?? 0) + (this.#id?.length ?? 0);
  }

  /** Reads the next bytes, cut anywhere. @returns The blocks that end in them. */
  push(bytes: Uint8Array): readonly SseBlock[] {
    let text = this.#decoder.decode(bytes, {stream: true});
    if (text === '') return [];
    // The CR before this LF has ended the line already.
    if (this.#endedWithCr && text.startsWith('\n')) text = text.slice(1);
    this.#endedWithCr = text.endsWith('\r');
    // Split only the new text: searching a long incomplete line again and again would be quadratic.
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    const lines = [this.#line + first, ...others];
    this.#line = lines.pop() ?? '';
    return lines.flatMap(line => (line === '' ? this.#endBlock() : this.#readField(line)));
  }

  #endBlock(): readonly SseBlock[] {
    const block = {data: this.#data, id: this.#id, retryMs: this.#retryMs};
    this.#data = this.#id = this.#retryMs = undefined;
    return [block];
  }

  #readField(line: string): readonly [] {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.#retryMs = Number(value);
    return [];
  }
}
