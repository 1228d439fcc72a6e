import {StringDecoder} from 'node:string_decoder';

/** Maximum length of a line, in UTF-16 units. More than is shown, so that a secret at the end of the shown part is whole. */
export const KEPT_LENGTH_MAX = 64 * 1024;

/** Splits a stream of bytes into lines. Characters may be split over chunks. */
export class LogLineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #line = '';

  /** Returns the lines that end in a chunk, each up to its first {@link KEPT_LENGTH_MAX} units. */
  split(chunk: Uint8Array): readonly string[] {
    return this.#take(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)));
  }

  /** Returns the last line, if it does not end with a line break. */
  end(): readonly string[] {
    const lines = this.#take(this.#decoder.end());
    const last = this.#line;
    this.#line = '';
    return last === '' ? lines : [...lines, last];
  }

  #take(text: string): readonly string[] {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    const [first, ...others] = lines;
    if (first === undefined) {
      this.#append(rest);
      return [];
    }
    this.#append(first);
    const whole = [this.#line, ...others].map(withoutReturn);
    this.#line = '';
    this.#append(rest);
    return whole;
  }

  #append(text: string): void {
    if (this.#line.length < KEPT_LENGTH_MAX) this.#line += text.slice(0, KEPT_LENGTH_MAX - this.#line.length);
  }
}

/** Removes the second half of a line break of Windows. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
