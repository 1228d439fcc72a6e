/** How much memory a body that comes in several pieces takes at a time, in bytes: as much as Node reads at once. */
const STEP_BYTES = 64 * 1024;

/**
 * Bytes that arrive in pieces. The first piece is kept as it came: most bodies have no other. With the second all go into
 * one buffer that grows in its place, and is given back at once: copies that get larger, and bodies that are refused,
 * would stay in memory until the engine collects them. A piece of one byte with an object of its own would take hundreds.
 */
export class GrowingBytes {
  readonly #sizeBytesMax: number;
  #first: Uint8Array | undefined;
  #buffer: ArrayBuffer | undefined;
  #sizeBytes = 0;

  /** @param sizeBytesMax How much there will be at most; what is added must keep within it. */
  constructor(sizeBytesMax: number) {
    this.#sizeBytesMax = sizeBytesMax;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** How much memory another piece would take, besides what is taken. */
  growthFor(chunk: Uint8Array): number {
    if (this.#sizeBytes === 0) return chunk.length;
    const neededBytes = this.#sizeBytes + chunk.length;
    const roomBytes = this.#buffer?.byteLength ?? this.#sizeBytes;
    if (neededBytes <= roomBytes) return 0;
    return Math.min(this.#sizeBytesMax, Math.ceil(neededBytes / STEP_BYTES) * STEP_BYTES) - roomBytes;
  }

  /** Adds a piece, which nobody may change afterwards. */
  add(chunk: Uint8Array): void {
    if (this.#sizeBytes === 0) this.#first = chunk;
    else new Uint8Array(this.#grow(this.growthFor(chunk))).set(chunk, this.#sizeBytes);
    this.#sizeBytes += chunk.length;
  }

  /** What was added; nothing can be added afterwards. */
  take(): Uint8Array {
    if (this.#buffer === undefined) return this.#first ?? new Uint8Array();
    // Not from the pool of Node: it would keep the whole of a slab.
    const whole = Buffer.allocUnsafeSlow(this.#sizeBytes);
    whole.set(new Uint8Array(this.#buffer, 0, this.#sizeBytes));
    this.drop();
    return whole;
  }

  /** Gives the memory back. */
  drop(): void {
    this.#first = undefined;
    // The system has it at once, long before the engine collects the object.
    this.#buffer?.resize(0);
  }

  #grow(growthBytes: number): ArrayBuffer {
    const roomBytes = (this.#buffer?.byteLength ?? this.#sizeBytes) + growthBytes;
    if (this.#buffer === undefined) {
      this.#buffer = new ArrayBuffer(roomBytes, {maxByteLength: this.#sizeBytesMax});
      new Uint8Array(this.#buffer).set(this.#first ?? []);
      this.#first = undefined;
    } else if (growthBytes > 0) this.#buffer.resize(roomBytes);
    return this.#buffer;
  }
}
