import {encodeFrame, type FramedMessage, MESSAGE_BODY_BYTES_MAX, MESSAGE_JSON_BYTES_MAX} from './frame.ts';

/** The stream that an outbox writes to. */
export interface FrameSink {
  write(bytes: Uint8Array): boolean;
  /** Bytes that wait for the other side. */
  readonly writableLength: number;
}

/**
 * Size from which a body is written by itself, and from which waiting messages are not kept back, in bytes: to copy less than that
 * costs less than another write.
 */
const OWN_WRITE_BYTES = 64 * 1024;

const EMPTY = new Uint8Array();

/**
 * Sends messages. Those of one tick of the event loop are one frame and one write, which halves the cost of a call when there are
 * many at a time.
 */
export class Outbox {
  readonly #sink: FrameSink;
  #waiting: FramedMessage[] = [];
  #length = 0;
  #isScheduled = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Bytes that wait for the other side, without those of the current tick. */
  get waitingBytes(): number {
    return this.#sink.writableLength;
  }

  /** Sends a message with its bytes. @returns False if it is larger than a frame may be: nothing is sent then. */
  send(message: unknown, body: string | Uint8Array = EMPTY): boolean {
    const json = JSON.stringify(message);
    const sizeBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    if (Buffer.byteLength(json) > MESSAGE_JSON_BYTES_MAX || sizeBytes > MESSAGE_BODY_BYTES_MAX) return false;
    if (sizeBytes >= OWN_WRITE_BYTES) {
      this.flush();
      this.#sink.write(encodeFrame([{json, sizeBytes, body: undefined}]));
      this.#sink.write(typeof body === 'string' ? Buffer.from(body) : body);
      return true;
    }
    const length = json.length + sizeBytes;
    // A frame has either one large message, or small ones that are not too large together.
    if (this.#length + length >= OWN_WRITE_BYTES) this.flush();
    this.#waiting.push({json, sizeBytes, body});
    this.#length += length;
    if (length >= OWN_WRITE_BYTES) this.flush();
    else if (!this.#isScheduled) this.#schedule();
    return true;
  }

  /** Writes everything that was sent. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    this.#sink.write(encodeFrame(messages));
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
