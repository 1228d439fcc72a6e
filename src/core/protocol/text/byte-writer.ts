/** Initial size of the buffer, in bytes: enough for an event or a line. */
const INITIAL_BYTES = 1024;

/** Maximum number of UTF-8 bytes for one UTF-16 unit of a text. */
const UNIT_BYTES_MAX = 3;

/** Joins texts and bytes, such as a JSON document and the values in it, which parsing would change. */
export class ByteWriter {
  readonly #encoder = new TextEncoder();
  #buffer = new Uint8Array(INITIAL_BYTES);
  #length = 0;
  /** Text behind the bytes that is not encoded yet. */
  #text = '';

  /** Appends well-formed Unicode text. */
  text(text: string): this {
    this.#text += text;
    return this;
  }

  /** Appends a copy of bytes. */
  bytes(bytes: Uint8Array): this {
    this.#flush();
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** Returns everything that was appended. */
  end(): Uint8Array {
    // Most documents are one text.
    if (this.#length === 0) return this.#encoder.encode(this.#text);
    this.#flush();
    // A copy: what is kept, such as an event that waits for its subscriber, has no more memory than its size.
    return this.#buffer.slice(0, this.#length);
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#reserve(this.#text.length * UNIT_BYTES_MAX);
    this.#length += this.#encoder.encodeInto(this.#text, this.#buffer.subarray(this.#length)).written;
    this.#text = '';
  }

  /** Makes space for more bytes. */
  #reserve(sizeBytes: number): void {
    const needed = this.#length + sizeBytes;
    if (needed <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
