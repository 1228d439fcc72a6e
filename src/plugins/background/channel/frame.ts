import {DEFAULT_LIMITS} from '../../../core/domain/limits.ts';

/** A message on a channel: a JSON value, and the bytes that belong to it. */
export interface ReceivedMessage {
  readonly message: unknown;
  readonly body: Uint8Array;
}

/** A message that is about to be sent. */
export interface FramedMessage {
  /** The message as JSON. */
  readonly json: string;
  /** Size of its body, in bytes. */
  readonly sizeBytes: number;
  /** Its body; undefined if the bytes are sent after the frame. */
  readonly body: string | Uint8Array | undefined;
}

/** Largest body of a message, in bytes: the largest body of a request or an answer. */
export const MESSAGE_BODY_BYTES_MAX = DEFAULT_LIMITS.pluginBodyBytesMax;

/** Largest message as JSON, in bytes: headers have at most 16 KiB; a background with a thousand routes needs 200 KB. */
export const MESSAGE_JSON_BYTES_MAX = 1024 * 1024;

/** Largest JSON of a frame, in bytes: the largest message, the size of its body, and what encloses them. */
const FRAME_JSON_BYTES_MAX = MESSAGE_JSON_BYTES_MAX + 16;

/** Bytes before the JSON: its length and the length of all bodies, each as 32 bits, lowest byte first. */
const HEAD_BYTES = 8;

const EMPTY = new Uint8Array();

/**
 * Encodes messages as one frame: an array of JSON in which the size of its body follows each message, and then the bodies. One
 * frame for all messages of a tick costs less than a frame for each.
 */
export function encodeFrame(messages: readonly FramedMessage[]): Uint8Array {
  const json = `[${messages.map(each => `${each.json},${each.sizeBytes}`).join()}]`;
  const jsonBytes = Buffer.byteLength(json);
  const bodyBytes = messages.reduce((sum, {sizeBytes}) => sum + sizeBytes, 0);
  const includedBytes = messages.reduce((sum, {body, sizeBytes}) => (body === undefined ? sum : sum + sizeBytes), 0);
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + jsonBytes + includedBytes);
  bytes.writeUInt32LE(jsonBytes, 0);
  bytes.writeUInt32LE(bodyBytes, 4);
  let at = HEAD_BYTES + bytes.write(json, HEAD_BYTES);
  for (const {body, sizeBytes} of messages) {
    if (body === undefined || sizeBytes === 0) continue;
    if (typeof body === 'string') bytes.write(body, at);
    else bytes.set(body, at);
    at += sizeBytes;
  }
  return bytes;
}

/** Finds the messages in the chunks of a stream of frames. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #sizeBytes = 0;
  /** Bytes up to the end of the next frame, or of its lengths while they are incomplete. */
  #neededBytes = HEAD_BYTES;

  /**
   * Returns the messages of the frames that end in a chunk.
   *
   * @throws {RangeError} if a frame is larger than allowed, or its bodies have other sizes than it states.
   * @throws {SyntaxError} if it is not JSON.
   */
  read(chunk: Uint8Array): readonly ReceivedMessage[] {
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    // Chunks are not joined before that: a body of 16 MiB arrives in hundreds of them.
    if (this.#sizeBytes < this.#neededBytes) return [];
    const messages: ReceivedMessage[] = [];
    let rest = this.#chunks.length === 1 ? asBuffer(chunk) : Buffer.concat(this.#chunks);
    for (;;) {
      const sizes = readSizes(rest);
      this.#neededBytes = sizes === undefined ? HEAD_BYTES : HEAD_BYTES + sizes.jsonBytes + sizes.bodyBytes;
      if (sizes === undefined || rest.length < this.#neededBytes) break;
      const bodyStart = HEAD_BYTES + sizes.jsonBytes;
      const listed: unknown = JSON.parse(rest.toString('utf8', HEAD_BYTES, bodyStart));
      takeMessages(listed, rest.subarray(bodyStart, this.#neededBytes), messages);
      rest = rest.subarray(this.#neededBytes);
    }
    this.#chunks = [rest];
    this.#sizeBytes = rest.length;
    return messages;
  }
}

function readSizes(bytes: Buffer): {readonly jsonBytes: number; readonly bodyBytes: number} | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const jsonBytes = bytes.readUInt32LE(0);
  const bodyBytes = bytes.readUInt32LE(4);
  if (jsonBytes <= FRAME_JSON_BYTES_MAX && bodyBytes <= MESSAGE_BODY_BYTES_MAX) return {jsonBytes, bodyBytes};
  throw new RangeError(`Cannot take a message of ${jsonBytes} and ${bodyBytes} bytes`);
}

/** Adds the messages of a frame, with their parts of its bodies. The other side may run the code of a plugin. */
function takeMessages(listed: unknown, bodies: Uint8Array, messages: ReceivedMessage[]): void {
  const list: readonly unknown[] = Array.isArray(listed) ? listed : [];
  let at = 0;
  for (let index = 0; index < list.length; index += 2) {
    const sizeBytes = list[index + 1];
    if (!isSize(sizeBytes) || at + sizeBytes > bodies.length) throw wrongSizes();
    messages.push({message: list[index], body: sizeBytes === 0 ? EMPTY : bodies.subarray(at, at + sizeBytes)});
    at += sizeBytes;
  }
  if (at !== bodies.length) throw wrongSizes();
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

function wrongSizes(): RangeError {
  return new RangeError('Cannot take a message: the sizes of its bodies are wrong');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
