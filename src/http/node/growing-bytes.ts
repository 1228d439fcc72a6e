/** Bytes that arrive in pieces, in one buffer: a piece of one byte with an object of its own would take hundreds. */
export class GrowingBytes {
  readonly #sizeBytesMax: number;
  #buffer: Buffer = Buffer.alloc(0);
  #sizeBytes = 0;

  /** @param sizeBytesMax How much there will be at most; what is added must keep within it. */
  constructor(sizeBytesMax: number) {
    this.#sizeBytesMax = sizeBytesMax;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** How much memory another piece would take, besides what is taken: twice as much each time, so that few are copied. */
  growthFor(chunk: Uint8Array): number {
    const neededBytes = this.#sizeBytes + chunk.length;
    const roomBytes = this.#buffer.length;
    if (neededBytes <= roomBytes) return 0;
    return Math.min(this.#sizeBytesMax, Math.max(neededBytes, 2 * roomBytes)) - roomBytes;
  }

  /** Adds a piece. */
  add(chunk: Uint8Array): void {
    const growthBytes = this.growthFor(chunk);
    if (growthBytes > 0) {
      // Not from the pool of Node: it would keep the whole of a slab.
      const larger = Buffer.allocUnsafeSlow(this.#buffer.length + growthBytes);
      larger.set(this.take());
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#sizeBytes);
    this.#sizeBytes += chunk.length;
  }

  /** What was added. */
  take(): Buffer {
    return this.#buffer.subarray(0, this.#sizeBytes);
  }
}
