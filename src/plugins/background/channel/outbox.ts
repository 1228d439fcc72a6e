import {encodeFrame} from './frame.ts';

/** The stream that an outbox writes to. */
export interface FrameSink {
  write(bytes: Uint8Array): boolean;
  /** Bytes that wait for the other side. */
  readonly writableLength: number;
}

/** Smallest body that is written by itself, in bytes: to copy a smaller one costs less than another write. */
const OWN_WRITE_BYTES = 64 * 1024;

const EMPTY = new Uint8Array();

/**
 * Sends frames. Those of one tick of the event loop are written at once, which halves the cost of a call when there are many
 * at a time.
 */
export class Outbox {
  readonly #sink: FrameSink;
  #parts: Uint8Array[] = [];
  #isScheduled = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Bytes that wait for the other side, without those of the current tick. */
  get waitingBytes(): number {
    return this.#sink.writableLength;
  }

  /** Sends a message with its bytes. */
  send(message: unknown, body: Uint8Array = EMPTY): void {
    this.#parts.push(encodeFrame(message, body.length));
    if (body.length >= OWN_WRITE_BYTES) {
      this.flush();
      this.#sink.write(body);
      return;
    }
    if (body.length > 0) this.#parts.push(body);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Writes everything that was sent. */
  flush(): void {
    this.#isScheduled = false;
    const parts = this.#parts;
    if (parts.length === 0) return;
    this.#parts = [];
    this.#sink.write(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
  }
}
