/** What stands between two blank lines of an event stream. */
export interface SseBlock {
  /** The lines of its data, joined by line feeds; undefined without any: then it is no event. */
  readonly data: string | undefined;
  /** The id, where it has one of its own. */
  readonly id: string | undefined;
  /** How long to wait before connecting again, in milliseconds, where it says so. */
  readonly retryMs: number | undefined;
}

/**
 * Reads an event stream as the HTML standard says (section 9.2.6): lines end with CR, LF or both, comments and unknown
 * fields count for nothing, and so does a block that is cut off. Names of events are not kept: their data has them.
 */
export class SseParser {
  /** Removes a byte order mark at the beginning, and keeps the bytes of half a character for the next part. */
  readonly #decoder = new TextDecoder();
  /** The line that has not ended yet. */
  #line = '';
  #endedWithCr = false;
  #data: string | undefined;
  #id: string | undefined;
  #retryMs: number | undefined;

  /** How much of a block that has not ended is held, in UTF-16 units. */
  get heldLength(): number {
    return this.#line.length + (this.#data?.length ?? 0) + (this.#id?.length ?? 0);
  }

  /** Takes the next bytes of a stream, cut anywhere. @returns The blocks that end in them. */
  push(bytes: Uint8Array): readonly SseBlock[] {
    let text = this.#decoder.decode(bytes, {stream: true});
    if (text === '') return [];
    // The CR before it has ended the line already.
    if (this.#endedWithCr && text.startsWith('\n')) text = text.slice(1);
    this.#endedWithCr = text.endsWith('\r');
    // Only what is new is searched: a line of many parts is put together once, at its end.
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    const lines = [this.#line + first, ...others];
    this.#line = lines.pop() ?? '';
    return lines.flatMap(line => (line === '' ? this.#endBlock() : this.#readField(line)));
  }

  #endBlock(): readonly SseBlock[] {
    const block = {data: this.#data, id: this.#id, retryMs: this.#retryMs};
    this.#data = this.#id = this.#retryMs = undefined;
    return [block];
  }

  #readField(line: string): readonly [] {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.#retryMs = Number(value);
    return [];
  }
}
