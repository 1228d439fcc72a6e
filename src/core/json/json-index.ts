import type {JsonLimits} from './json-limits.ts';
import {decodeBeginning, isTooLong} from './json-string.ts';
import {type JsonText, parseWithEnds} from './json-text.ts';

/** The position of a value in a text, in bytes: its first byte, and the byte after its last. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** One member of an object. A duplicate name makes several members. */
export interface JsonMember {
  /** The name, with its escapes resolved. */
  readonly name: string;
  readonly nameSpan: JsonSpan;
  readonly valueSpan: JsonSpan;
}

/** Positions of one member of an object, in bytes. */
export interface MemberPlace {
  /** Position after the preceding bracket or comma, so that white space before the name is included. */
  readonly start: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** Position of the following comma; for the last member the end of its value. */
  readonly end: number;
}

const UTF_8 = new TextDecoder();
const ENCODER = new TextEncoder();
const LATIN_1 = new TextDecoder('latin1');

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
  #characters: string | undefined;
  #decoded: {readonly text: string; readonly units: Int32Array} | undefined;

  /**
   * @param ends A buffer at least as long as the bytes, for the ends of arrays and objects. A caller that reads one text
   * after another may reuse it.
   * @throws {AppError} `invalid-json`, `value-too-deep`.
   */
  constructor(bytes: Uint8Array, limits: JsonLimits = {}, ends = new Int32Array(bytes.length)) {
    this.bytes = bytes;
    this.#ends = ends;
    const json = parseWithEnds(bytes, limits, ends);
    const start = json.byteOffset - bytes.byteOffset;
    this.root = {start, end: start + json.length};
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
    return JSON.parse(UTF_8.decode(this.bytes.subarray(start, end))) as string;
  }

  /**
   * Returns the members of an object, in their order.
   *
   * @param nameLengthMax Maximum length of a name that is decoded whole: see {@link string}. For objects with few members.
   * @default {Infinity}
   */
  members(object: JsonSpan, nameLengthMax = Infinity): readonly JsonMember[] {
    const members: JsonMember[] = [];
    for (const walk = this.walk(object); walk.next(); ) {
      const nameSpan = {start: walk.nameStart, end: walk.nameEnd};
      const valueSpan = {start: walk.valueStart, end: walk.valueEnd};
      members.push({name: this.string(nameSpan, nameLengthMax), nameSpan, valueSpan});
    }
    return members;
  }

  /** Returns a walk over the members of an object, in order: for objects with many, it makes no object for each. */
  walk(object: JsonSpan): MemberWalk {
    return new MemberWalk(this.bytes, this.#ends, object);
  }

  /** Returns the elements of an array, in their order. */
  elements(array: JsonSpan): readonly JsonSpan[] {
    const elements: JsonSpan[] = [];
    for (let at = array.start + 1; at < array.end; ) {
      const start = skipSpace(this.bytes, at);
      if (start === array.end - 1) break;
      const end = endOf(this.bytes, this.#ends, start);
      elements.push({start, end});
      at = skipSpace(this.bytes, end) + 1;
    }
    return elements;
  }

  /** Returns a name as it is written, with its quotes, with one character for each byte: see {@link toByteText}. For many names. */
  quotedName({nameStart, nameEnd}: MemberPlace): string {
    this.#characters ??= LATIN_1.decode(this.bytes);
    return this.#characters.slice(nameStart, nameEnd);
  }

  /** Returns a name with its escapes resolved. Decodes the whole text once: for many names. */
  name({nameStart, nameEnd}: MemberPlace): string {
    this.#decoded ??= {text: UTF_8.decode(this.bytes), units: unitsOf(this.bytes)};
    const {text, units} = this.#decoded;
    return JSON.parse(text.slice(units[nameStart], units[nameEnd])) as string;
  }

  /** Returns whether all characters are ASCII without escapes. */
  #isPlain(start: number, end: number): boolean {
    for (let at = start; at < end; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte === BACKSLASH || byte >= 0x80) return false;
    }
    return true;
  }
}

/** Returns for each position in a UTF-8 text, in bytes, that in UTF-16 units. */
function unitsOf(bytes: Uint8Array): Int32Array {
  const units = new Int32Array(bytes.length);
  let unit = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    units[at] = unit;
    if ((byte & 0xc0) !== 0x80) unit += byte < 0xf0 ? 1 : 2;
  }
  return units;
}

/** Returns a text with one character for each UTF-8 byte of another. */
export function toByteText(text: string): string {
  return LATIN_1.decode(ENCODER.encode(text));
}

/** A walk over the members of an object. It is at the member that {@link next} found last. */
export class MemberWalk implements MemberPlace {
  readonly #bytes: Uint8Array;
  readonly #ends: Int32Array;
  readonly #last: number;
  #at: number;
  start = 0;
  nameStart = 0;
  nameEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  end = 0;

  constructor(bytes: Uint8Array, ends: Int32Array, object: JsonSpan) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#last = object.end - 1;
    this.#at = object.start + 1;
  }

  /** Returns where the walk is now. */
  place(): MemberPlace {
    const {start, nameStart, nameEnd, valueStart, valueEnd, end} = this;
    return {start, nameStart, nameEnd, valueStart, valueEnd, end};
  }

  /** Moves to the next member. @returns False after the last one, which the fields keep. */
  next(): boolean {
    if (this.#at > this.#last) return false;
    const bytes = this.#bytes;
    const nameStart = skipSpace(bytes, this.#at);
    if (nameStart === this.#last) return false;
    this.start = this.#at;
    this.nameStart = nameStart;
    this.nameEnd = endOf(bytes, this.#ends, nameStart);
    this.valueStart = skipSpace(bytes, skipSpace(bytes, this.nameEnd) + 1);
    this.valueEnd = endOf(bytes, this.#ends, this.valueStart);
    const next = skipSpace(bytes, this.valueEnd);
    this.end = next === this.#last ? this.valueEnd : next;
    this.#at = next + 1;
    return true;
  }
}

/** Returns the position after a value. */
function endOf(bytes: Uint8Array, ends: Int32Array, start: number): number {
  const byte = bytes[start];
  if (byte === OPEN_OBJECT || byte === OPEN_ARRAY || byte === QUOTE) return ends[start] ?? start;
  let end = start + 1;
  while (!isDelimiter(bytes[end])) end++;
  return end;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** Returns whether a byte follows a number or literal: comma, closing bracket, white space, or undefined at the end. */
function isDelimiter(byte: number | undefined): boolean {
  return byte === undefined || byte === 0x2c || byte === 0x5d || byte === 0x7d || byte <= 0x20;
}
