/** Step by which the memory of a body in several chunks grows, in bytes: as much as Node reads at once. */
const STEP_BYTES = 64 * 1024;

/** Largest body that gets all of its memory with its second chunk, in bytes: so little is not worth the calls that let a buffer grow. */
const SMALL_BYTES_MAX = 128 * 1024;

/**
 * Bytes that arrive in chunks. The first chunk is kept as it is: most bodies have no other. From the second on, all chunks
 * are copied to one buffer. That of a large body grows in place and is freed at once: larger and larger copies, and the bodies of
 * refused requests, would stay in memory until the garbage collector runs. A list of chunks of one byte would take hundreds of
 * bytes for each.
 */
export class GrowingBytes {
  readonly #sizeBytesMax: number;
  #first: Uint8Array | undefined;
  #buffer: ArrayBuffer | undefined;
  #sizeBytes = 0;

  /** @param sizeBytesMax Maximum size; the caller must not add more. */
  constructor(sizeBytesMax: number) {
    this.#sizeBytesMax = sizeBytesMax;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Returns how much more memory another chunk would take, in bytes. */
  growthFor(chunk: Uint8Array): number {
    if (this.#sizeBytes === 0) return chunk.length;
    const neededBytes = this.#sizeBytes + chunk.length;
    const capacityBytes = this.#buffer?.byteLength ?? this.#sizeBytes;
    if (neededBytes <= capacityBytes) return 0;
    if (this.#isSmall) return this.#sizeBytesMax - capacityBytes;
    return Math.min(this.#sizeBytesMax, Math.ceil(neededBytes / STEP_BYTES) * STEP_BYTES) - capacityBytes;
  }

  /** Adds a chunk, which the caller must not change afterwards. */
  add(chunk: Uint8Array): void {
    if (this.#sizeBytes === 0) this.#first = chunk;
    else new Uint8Array(this.#grow(this.growthFor(chunk))).set(chunk, this.#sizeBytes);
    this.#sizeBytes += chunk.length;
  }

  /** Returns all bytes; nothing can be added afterwards. */
  take(): Uint8Array {
    if (this.#buffer === undefined) return this.#first ?? new Uint8Array();
    if (this.#isSmall) return Buffer.from(this.#buffer, 0, this.#sizeBytes);
    // Not from Node's pool: a slice would keep the whole slab alive.
    const whole = Buffer.allocUnsafeSlow(this.#sizeBytes);
    whole.set(new Uint8Array(this.#buffer, 0, this.#sizeBytes));
    this.drop();
    return whole;
  }

  /** Frees the memory. */
  drop(): void {
    this.#first = undefined;
    // Frees the pages at once, long before the object is garbage collected.
    if (!this.#isSmall) this.#buffer?.resize(0);
  }

  get #isSmall(): boolean {
    return this.#sizeBytesMax <= SMALL_BYTES_MAX;
  }

  #grow(growthBytes: number): ArrayBuffer {
    const capacityBytes = (this.#buffer?.byteLength ?? this.#sizeBytes) + growthBytes;
    if (this.#buffer === undefined) {
      this.#buffer = this.#isSmall
        ? new ArrayBuffer(capacityBytes)
        : new ArrayBuffer(capacityBytes, {maxByteLength: this.#sizeBytesMax});
      new Uint8Array(this.#buffer).set(this.#first ?? []);
      this.#first = undefined;
    } else if (growthBytes > 0) this.#buffer.resize(capacityBytes);
    return this.#buffer;
  }
}
