const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Returns whether a line has only white space. */
export function isBlank(line: Uint8Array): boolean {
  // A loop, not a call for each byte: a line may be three times as long as a value.
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false;
  return true;
}

/** Splits chunks of bytes into lines. Holds at most one line and the last chunk. */
export class ByteLineSplitter {
  readonly #lineBytesMax: number;
  /** Beginning of the incomplete line. */
  #parts: Uint8Array[] = [];
  #partsBytes = 0;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** Returns the lines that end in a chunk. Ends with undefined if a line is too long. */
  *push(given: Uint8Array): Iterable<Uint8Array | undefined> {
    // Subarrays of a subclass, such as Node's Buffer, take several times as long to create.
    const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length);
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (this.#partsBytes + part.length > this.#lineBytesMax) {
        yield undefined;
        return;
      }
      if (end === -1) {
        this.#keep(part);
        return;
      }
      yield this.#partsBytes === 0 ? part : this.#join(part);
      start = end + 1;
    }
  }

  /** Returns the last line if no line feed follows it. */
  end(): Uint8Array | undefined {
    return this.#partsBytes === 0 ? undefined : this.#join(new Uint8Array());
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#partsBytes += part.length;
  }

  #join(part: Uint8Array): Uint8Array {
    const line = concatBytes([...this.#parts, part]);
    this.#parts = [];
    this.#partsBytes = 0;
    return line;
  }
}

/** Returns the bytes of all parts, one after another. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, {length}) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
