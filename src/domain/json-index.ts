import {type JsonLimits, type JsonText, parseInTurns, parseWithEnds} from './json-text.ts';

/** A value, by the positions of its first byte and of the one behind it. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** One member of an object. Duplicate names are several members. */
export interface JsonMember {
  /** Behind the bracket or comma before it, so that the white space before the name belongs to it. */
  readonly start: number;
  /** The name, with its escapes resolved. */
  readonly name: string;
  readonly nameSpan: JsonSpan;
  readonly valueSpan: JsonSpan;
  /** At the comma behind it; for the last member the end of its value. */
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Longest text that is put together from single characters, in bytes. */
const SHORT_TEXT_LENGTH_MAX = 64;

/**
 * A JSON text in which values are found without being decoded: their bytes can be taken over exactly. Made in
 * one pass that checks the text; from then on what is nested is stepped over, not read again.
 */
export class JsonIndex {
  readonly bytes: Uint8Array;
  /** The value that the text is. */
  readonly root: JsonSpan;
  readonly #ends: Int32Array;
  readonly #decoder = new TextDecoder();
  #characters: string | undefined;

  /**
   * @param ends Room for notes, at least as long as the bytes: whoever reads many texts one after another, and is done
   * with one before the next, needs it only once.
   * @param json The text, if it was checked before, with these notes.
   * @throws {AppError} `invalid-json`, `value-too-deep`.
   */
  constructor(
    bytes: Uint8Array,
    limits?: JsonLimits,
    ends = new Int32Array(bytes.length),
    json = parseWithEnds(bytes, ends, limits),
  ) {
    this.bytes = bytes;
    this.#ends = ends;
    const start = json.byteOffset - bytes.byteOffset;
    this.root = {start, end: start + json.length};
  }

  /**
   * Makes the index of a large text, with pauses. The bytes must not change until it is there.
   *
   * @throws {AppError} As the constructor.
   */
  static async inTurns(bytes: Uint8Array, limits: JsonLimits, pause: () => Promise<void>): Promise<JsonIndex> {
    const ends = new Int32Array(bytes.length);
    return new JsonIndex(bytes, limits, ends, await parseInTurns(bytes, {ends, limits, pause}));
  }

  /** Whether the value is an object. */
  isObject({start}: JsonSpan): boolean {
    return this.bytes[start] === OPEN_OBJECT;
  }

  /** Whether the value is an array. */
  isArray({start}: JsonSpan): boolean {
    return this.bytes[start] === OPEN_ARRAY;
  }

  /** Whether the value is a string. */
  isString({start}: JsonSpan): boolean {
    return this.bytes[start] === QUOTE;
  }

  /** The bytes of a value: a view, not a copy. */
  json({start, end}: JsonSpan): JsonText {
    return this.bytes.subarray(start, end) as JsonText;
  }

  /** The text of a string, with its escapes resolved. */
  string({start, end}: JsonSpan): string {
    const length = end - start - 2;
    // Most names are short and ASCII, for which this is several times as fast as the decoder.
    if (length <= SHORT_TEXT_LENGTH_MAX && this.#isPlain(start + 1, end - 1))
      return String.fromCharCode.apply(null, this.bytes.subarray(start + 1, end - 1) as unknown as number[]);
    return JSON.parse(this.#decoder.decode(this.bytes.subarray(start, end))) as string;
  }

  /** The members of an object, in their order. */
  members(object: JsonSpan): readonly JsonMember[] {
    const members: JsonMember[] = [];
    for (let at = object.start + 1; at < object.end; ) {
      const nameStart = this.#skipSpace(at);
      if (nameStart === object.end - 1) break;
      const nameSpan = this.#spanAt(nameStart);
      const valueSpan = this.#spanAt(this.#skipSpace(this.#skipSpace(nameSpan.end) + 1));
      const next = this.#skipSpace(valueSpan.end);
      const end = next === object.end - 1 ? valueSpan.end : next;
      members.push({start: at, name: this.#name(nameSpan), nameSpan, valueSpan, end});
      at = next + 1;
    }
    return members;
  }

  /** The elements of an array, in their order. */
  elements(array: JsonSpan): readonly JsonSpan[] {
    const elements: JsonSpan[] = [];
    for (let at = array.start + 1; at < array.end; ) {
      const start = this.#skipSpace(at);
      if (start === array.end - 1) break;
      const element = this.#spanAt(start);
      elements.push(element);
      at = this.#skipSpace(element.end) + 1;
    }
    return elements;
  }

  /** The name of a member: most are cut out of one text, which is much faster for an object of very many. */
  #name(span: JsonSpan): string {
    if (!this.#isPlain(span.start + 1, span.end - 1)) return this.string(span);
    // One character for each byte, so that positions are the same; only characters of ASCII are taken from it.
    this.#characters ??= new TextDecoder('latin1').decode(this.bytes);
    return this.#characters.slice(span.start + 1, span.end - 1);
  }

  /** Whether all characters are ASCII and stand for themselves. */
  #isPlain(start: number, end: number): boolean {
    for (let at = start; at < end; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte === BACKSLASH || byte >= 0x80) return false;
    }
    return true;
  }

  #spanAt(start: number): JsonSpan {
    const byte = this.bytes[start];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return {start, end: this.#ends[start] ?? start};
    let end = start + 1;
    if (byte === QUOTE) {
      while (this.bytes[end] !== QUOTE) end += this.bytes[end] === BACKSLASH ? 2 : 1;
      return {start, end: end + 1};
    }
    while (!isDelimiter(this.bytes[end])) end++;
    return {start, end};
  }

  #skipSpace(from: number): number {
    let at = from;
    for (;;) {
      const byte = this.bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
      at++;
    }
  }
}

/** Whether a byte ends a number or a literal: a comma, a closing bracket, white space, or the end of the text. */
function isDelimiter(byte: number | undefined): boolean {
  return byte === undefined || byte === 0x2c || byte === 0x5d || byte === 0x7d || byte <= 0x20;
}
