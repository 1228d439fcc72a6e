import {concatBytes} from '../../domain/bytes.ts';

/** Joins texts and bytes, such as a JSON document and the values in it, which parsing would change. */
export class ByteWriter {
  readonly #encoder = new TextEncoder();
  readonly #parts: Uint8Array[] = [];
  /** Text behind the parts that is not encoded yet. */
  #text = '';

  /** Appends well-formed Unicode text. */
  text(text: string): this {
    this.#text += text;
    return this;
  }

  /** Appends bytes. They are copied by {@link end}. */
  bytes(bytes: Uint8Array): this {
    this.#flush();
    this.#parts.push(bytes);
    return this;
  }

  /** Returns everything that was appended. */
  end(): Uint8Array {
    this.#flush();
    return concatBytes(this.#parts);
  }

  #flush(): void {
    if (this.#text !== '') this.#parts.push(this.#encoder.encode(this.#text));
    this.#text = '';
  }
}
