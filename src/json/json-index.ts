import type {JsonLimits} from './json-limits.ts';
import {decodeBeginning, isTooLong} from './json-string.ts';
import {type JsonText, parseInSteps, parseWithEnds} from './json-text.ts';
import {STEP_BYTES_MAX, type Steps} from './steps.ts';

/** The position of a value in a text, in bytes: its first byte, and the byte after its last. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** One member of an object. A duplicate name makes several members. */
export interface JsonMember {
  /** Position after the preceding bracket or comma, so that white space before the name is included. */
  readonly start: number;
  /** The name, with its escapes resolved. */
  readonly name: string;
  readonly nameSpan: JsonSpan;
  readonly valueSpan: JsonSpan;
  /** Position of the following comma; for the last member the end of its value. */
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Longest string that is built from single characters, in bytes. */
const SHORT_TEXT_LENGTH_MAX = 64;

/**
 * An index of a JSON text that finds values without decoding them, so that their bytes can be copied exactly. One pass
 * checks the text and records where arrays and objects end; later reads skip nested values.
 */
export class JsonIndex {
  readonly bytes: Uint8Array;
  /** The outermost value of the text. */
  readonly root: JsonSpan;
  readonly #ends: Int32Array;
  readonly #decoder = new TextDecoder();
  #characters: string | undefined;

  /**
   * @param ends A buffer at least as long as the bytes, for the ends of arrays and objects. A caller that reads one text
   * after another may reuse it.
   * @param json The text, if it was checked before with this buffer.
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
   * Creates the index in steps. The bytes must not change until the last step.
   *
   * @throws {AppError} See the constructor.
   */
  static *inSteps(bytes: Uint8Array, limits?: JsonLimits, ends = new Int32Array(bytes.length)): Steps<JsonIndex> {
    return new JsonIndex(bytes, limits, ends, yield* parseInSteps(bytes, limits, ends));
  }

  /** Returns whether the value is an object. */
  isObject({start}: JsonSpan): boolean {
    return this.bytes[start] === OPEN_OBJECT;
  }

  /** Returns whether the value is an array. */
  isArray({start}: JsonSpan): boolean {
    return this.bytes[start] === OPEN_ARRAY;
  }

  /** Returns whether the value is a string. */
  isString({start}: JsonSpan): boolean {
    return this.bytes[start] === QUOTE;
  }

  /** Returns the bytes of a value: a view, not a copy. */
  json({start, end}: JsonSpan): JsonText {
    return this.bytes.subarray(start, end) as JsonText;
  }

  /**
   * Returns the text of a string, with its escapes resolved.
   *
   * @param lengthMax In UTF-16 units. If the string is longer, only its beginning is decoded and returned, which is also longer
   * than `lengthMax`. @default {Infinity}
   */
  string({start, end}: JsonSpan, lengthMax = Infinity): string {
    const length = end - start - 2;
    // Most names are short ASCII; for these this is several times faster than the decoder.
    if (length <= SHORT_TEXT_LENGTH_MAX && this.#isPlain(start + 1, end - 1))
      return String.fromCharCode.apply(null, this.bytes.subarray(start + 1, end - 1) as unknown as number[]);
    if (isTooLong(length, lengthMax)) return decodeBeginning(this.bytes, start, lengthMax);
    return JSON.parse(this.#decoder.decode(this.bytes.subarray(start, end))) as string;
  }

  /**
   * Returns the members of an object, in their order.
   *
   * @param nameLengthMax Maximum length of a name that is decoded whole: see {@link string}. For objects with few members.
   * @default {Infinity}
   */
  members(object: JsonSpan, nameLengthMax = Infinity): readonly JsonMember[] {
    const members: JsonMember[] = [];
    this.#readMembers(object, {from: object.start + 1, until: object.end, nameLengthMax}, members);
    return members;
  }

  /** Returns {@link members}, in steps. */
  *membersInSteps(object: JsonSpan): Steps<readonly JsonMember[]> {
    const members: JsonMember[] = [];
    for (let from = object.start + 1; from < object.end; ) {
      const next = this.#readMembers(object, {from, until: from + STEP_BYTES_MAX, nameLengthMax: Infinity}, members);
      yield next - from;
      from = next;
    }
    return members;
  }

  /** Reads the members that begin in a part of an object. @returns The position of the next one; the end of the object if there is none. */
  #readMembers(
    object: JsonSpan,
    {from, until, nameLengthMax}: {readonly from: number; readonly until: number; readonly nameLengthMax: number},
    members: JsonMember[],
  ): number {
    let at = from;
    while (at < until && at < object.end) {
      const nameStart = this.#skipSpace(at);
      if (nameStart === object.end - 1) return object.end;
      const nameSpan = this.#spanAt(nameStart);
      const valueSpan = this.#spanAt(this.#skipSpace(this.#skipSpace(nameSpan.end) + 1));
      const next = this.#skipSpace(valueSpan.end);
      const end = next === object.end - 1 ? valueSpan.end : next;
      members.push({start: at, name: this.#name(nameSpan, nameLengthMax), nameSpan, valueSpan, end});
      at = next + 1;
    }
    return at;
  }

  /** Returns the elements of an array, in their order. */
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

  /**
   * Returns the name of a member. Most names are cut out of one string of the whole text, which is much faster for large
   * objects, and takes longer than a few names.
   */
  #name(span: JsonSpan, lengthMax: number): string {
    if (lengthMax < Infinity) return this.string(span, lengthMax);
    if (!this.#isPlain(span.start + 1, span.end - 1)) return this.string(span);
    // Latin-1 has one character per byte, so positions are equal. Only ASCII parts are read from it.
    this.#characters ??= new TextDecoder('latin1').decode(this.bytes);
    return this.#characters.slice(span.start + 1, span.end - 1);
  }

  /** Returns whether all characters are ASCII without escapes. */
  #isPlain(start: number, end: number): boolean {
    for (let at = start; at < end; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte === BACKSLASH || byte >= 0x80) return false;
    }
    return true;
  }

  #spanAt(start: number): JsonSpan {
    const byte = this.bytes[start];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY || byte === QUOTE) return {start, end: this.#ends[start] ?? start};
    let end = start + 1;
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

/** Returns whether a byte follows a number or a literal: a comma, a closing bracket, white space, or undefined at the end. */
function isDelimiter(byte: number | undefined): boolean {
  return byte === undefined || byte === 0x2c || byte === 0x5d || byte === 0x7d || byte <= 0x20;
}
