import {DEFAULT_LIMITS} from '../../../domain/limits.ts';

/** A message on a channel: a JSON value, and the bytes that belong to it. */
export interface Frame {
  readonly message: unknown;
  readonly body: Uint8Array;
}

/** Largest body of a frame, in bytes: the largest body of a request or an answer. */
export const FRAME_BODY_BYTES_MAX = DEFAULT_LIMITS.pluginBodyBytesMax;

/** Largest JSON value of a frame, in bytes: headers have at most 16 KiB, and a background with a thousand routes needs 200 KB. */
const FRAME_JSON_BYTES_MAX = 1024 * 1024;

/** Bytes before the JSON value: its length and the length of the body, each as 32 bits, lowest byte first. */
const HEAD_BYTES = 8;

/** Encodes a frame without its body, which follows it. */
export function encodeFrame(message: unknown, bodyBytes: number): Uint8Array {
  const json = JSON.stringify(message);
  const jsonBytes = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + jsonBytes);
  bytes.writeUInt32LE(jsonBytes, 0);
  bytes.writeUInt32LE(bodyBytes, 4);
  bytes.write(json, HEAD_BYTES);
  return bytes;
}

/** Finds the frames in the chunks of a stream. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #sizeBytes = 0;
  /** Bytes up to the end of the next frame, or of its lengths while they are incomplete. */
  #neededBytes = HEAD_BYTES;

  /**
   * Returns the frames that end in a chunk.
   *
   * @throws {RangeError} if a frame is larger than allowed.
   * @throws {SyntaxError} if it is not JSON.
   */
  read(chunk: Uint8Array): readonly Frame[] {
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    // Chunks are not joined before that: a body of 16 MiB arrives in hundreds of them.
    if (this.#sizeBytes < this.#neededBytes) return [];
    const frames: Frame[] = [];
    let rest = this.#chunks.length === 1 ? asBuffer(chunk) : Buffer.concat(this.#chunks);
    for (;;) {
      const sizes = readSizes(rest);
      this.#neededBytes = sizes === undefined ? HEAD_BYTES : HEAD_BYTES + sizes.jsonBytes + sizes.bodyBytes;
      if (sizes === undefined || rest.length < this.#neededBytes) break;
      const bodyStart = HEAD_BYTES + sizes.jsonBytes;
      const message: unknown = JSON.parse(rest.toString('utf8', HEAD_BYTES, bodyStart));
      frames.push({message, body: rest.subarray(bodyStart, this.#neededBytes)});
      rest = rest.subarray(this.#neededBytes);
    }
    this.#chunks = [rest];
    this.#sizeBytes = rest.length;
    return frames;
  }
}

interface FrameSizes {
  readonly jsonBytes: number;
  readonly bodyBytes: number;
}

function readSizes(bytes: Buffer): FrameSizes | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const jsonBytes = bytes.readUInt32LE(0);
  const bodyBytes = bytes.readUInt32LE(4);
  if (jsonBytes <= FRAME_JSON_BYTES_MAX && bodyBytes <= FRAME_BODY_BYTES_MAX) return {jsonBytes, bodyBytes};
  throw new RangeError(`Cannot take a message of ${jsonBytes} and ${bodyBytes} bytes`);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
