import {AppError} from './app-error.ts';
import {VALUE_DEPTH_MAX} from './fixed-limits.ts';
import {decodeBeginning} from './json-string.ts';
import {STEP_BYTES_MAX, type Steps} from './steps.ts';

declare const jsonBrand: unique symbol;

/** The UTF-8 bytes of one JSON text (RFC 8259), checked: see {@link parseJsonText}. Never changed after that. */
export type JsonText = Uint8Array & {readonly [jsonBrand]: true};

/** Limits of {@link parseJsonText}. */
export interface JsonLimits {
  /** Deepest nesting of arrays and objects, in levels. @default {VALUE_DEPTH_MAX} */
  readonly depthMax?: number;
  /**
   * Most elements of an array, or members of an object, on each of the outermost levels. The scan ends at the first
   * excess element. @default {no limit}
   */
  readonly breadthMax?: readonly number[];
  /** Most members of all objects together. @default {no limit} */
  readonly membersMax?: number;
}

/** Longest name that a path of {@link TooBroad} has whole, in UTF-16 units. */
const PATH_NAME_LENGTH_MAX = 64;

/** Thrown if a text, or an array or object in it, has more elements or members than {@link JsonLimits} allow. */
export class TooBroad extends Error {
  override readonly name = 'TooBroad';
  /** The location of the array or object, as names and indices. Long names are cut. */
  readonly path: readonly PropertyKey[];
  readonly breadthMax: number;

  constructor(path: readonly PropertyKey[], breadthMax: number) {
    super(`more than ${breadthMax} elements`);
    this.path = path;
    this.breadthMax = breadthMax;
  }
}

/**
 * Checks that the bytes are one JSON text in UTF-8, and returns them unchanged, without the white space around them.
 * Nothing is decoded or converted, so numbers of any length, duplicate names and escapes survive. Takes time linear in the
 * size and stops at the first wrong byte.
 *
 * @returns A view of the same bytes, not a copy.
 * @throws {AppError} `invalid-json` with the position of the first wrong byte; `value-too-deep`.
 * @throws {TooBroad} Above `breadthMax` or `membersMax`.
 * @example
 * ```ts
 * import {decodeJsonText, parseJsonText} from 'crewroom';
 *
 * console.log(decodeJsonText(parseJsonText(new TextEncoder().encode(' 1.0 ')))); // 1.0
 * ```
 */
export function parseJsonText(bytes: Uint8Array, limits: JsonLimits = {}): JsonText {
  return new JsonScanner(bytes, limits).scan();
}

/**
 * Returns bytes as a JSON text without checking them. Only for texts that were checked before a store wrote them, if a
 * checksum shows that they are the same, and for copies of a JSON text.
 */
export function trustStoredJson(bytes: Uint8Array): JsonText {
  return bytes as JsonText;
}

/** Returns a copy of a JSON text with a buffer of its own. */
export function copyJson(json: JsonText): JsonText {
  return trustStoredJson(new Uint8Array(json));
}

/**
 * Checks like {@link parseJsonText}, and records where arrays, objects and strings end.
 *
 * @param ends A buffer at least as long as the bytes. At the position of each opening bracket or quote it gets the position
 * after the closing one.
 */
export function parseWithEnds(bytes: Uint8Array, ends: Int32Array, limits: JsonLimits = {}): JsonText {
  return new JsonScanner(bytes, limits, ends).scan();
}

/** Checks like {@link parseWithEnds}, in steps. The bytes must not change until the last step. */
export function parseInSteps(bytes: Uint8Array, limits: JsonLimits = {}, ends?: Int32Array): Steps<JsonText> {
  return new JsonScanner(bytes, limits, ends).scanInSteps();
}

/**
 * Encodes a text and checks it like {@link parseJsonText}.
 *
 * @example
 * ```ts
 * import {encodeJsonText} from 'crewroom';
 *
 * console.log(encodeJsonText('{"a": 1.0}').length); // 10
 * ```
 */
export function encodeJsonText(text: string, limits?: JsonLimits): JsonText {
  return parseJsonText(encodeText(text), limits);
}

/**
 * Returns the UTF-8 bytes of a text.
 *
 * @throws {AppError} `invalid-json` for half of a surrogate pair, which encoders silently replace.
 */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  if (text.isWellFormed()) return encoder.encode(text);
  const position = encoder.encode(text.slice(0, text.search(/\p{Surrogate}/u))).length;
  throw new AppError({
    code: 'invalid-json',
    problem: 'expected UTF-8, found half of a surrogate pair',
    position,
  });
}

/**
 * Returns the text of a value.
 *
 * @example
 * ```ts
 * import {decodeJsonText, encodeJsonText} from 'crewroom';
 *
 * console.log(decodeJsonText(encodeJsonText('1e400'))); // 1e400
 * ```
 */
export function decodeJsonText(json: JsonText): string {
  return new TextDecoder().decode(json);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const LOWER_U = 0x75;

const LITERALS: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

/** The characters that may follow a backslash, besides `u`: `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t` (RFC 8259 section 7). */
const SIMPLE_ESCAPES: ReadonlySet<number> = new Set([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);

// The token that comes next, after white space.
const VALUE = 0;
/** The first element of an array, or its end. */
const FIRST_ELEMENT = 1;
/** The first member of an object, or its end. */
const FIRST_MEMBER = 2;
const NAME = 3;
const AFTER_NAME = 4;
/** A comma, or the end of the array or object. */
const AFTER_VALUE = 5;
const END = 6;

// The parts of a number, in their order.
const NO_PART = 0;
const INTEGER = 1;
const FRACTION = 2;
const EXPONENT = 3;

/**
 * Scans a text once, from left to right, without recursion: a stack has the open brackets. It can stop and continue within
 * strings, numbers and white space.
 */
class JsonScanner {
  readonly #bytes: Uint8Array;
  readonly #depthMax: number;
  readonly #ends: Int32Array | undefined;
  /** For each open level the position of its bracket. */
  readonly #levels: number[] = [];
  readonly #breadthMax: readonly number[];
  /** For each open level with a limit, its number of commas, and the position of its last name. */
  readonly #commas: number[] = [];
  readonly #names: number[] = [];
  readonly #membersMax: number;
  #members = 0;
  #at = 0;
  #next = VALUE;
  #isInObject = false;
  /** If the scanner stopped within a string, the position of its opening quote; otherwise -1. */
  #cutString = -1;
  /** If the scanner stopped within a number, the part of it. */
  #cutNumber = NO_PART;
  /** The span of the outermost value. */
  #start = -1;
  #end = -1;

  constructor(bytes: Uint8Array, limits: JsonLimits, ends?: Int32Array) {
    const {depthMax = VALUE_DEPTH_MAX, breadthMax = [], membersMax = Infinity} = limits;
    this.#bytes = bytes;
    this.#membersMax = membersMax;
    this.#depthMax = depthMax;
    this.#breadthMax = breadthMax;
    this.#ends = ends;
  }

  scan(): JsonText {
    this.#scanUntil(this.#bytes.length + 1);
    return this.#bytes.subarray(this.#start, this.#end) as JsonText;
  }

  *scanInSteps(): Steps<JsonText> {
    for (let more = true, from = 0; more; from = this.#at) {
      more = this.#scanUntil(from + STEP_BYTES_MAX);
      yield this.#at - from;
    }
    return this.#bytes.subarray(this.#start, this.#end) as JsonText;
  }

  /** Scans up to a position, or a few bytes beyond it. @returns Whether more follows. */
  #scanUntil(until: number): boolean {
    const end = Math.min(until, this.#bytes.length);
    if (this.#cutString >= 0) this.#scanCharacters(this.#cutString, end);
    if (this.#cutNumber !== NO_PART) this.#scanDigits(this.#cutNumber, end);
    for (;;) {
      const byte = this.#skipSpace(end);
      if (this.#at >= until) return true;
      if (this.#next === END) break;
      this.#scanToken(byte, end);
    }
    if (this.#at < this.#bytes.length) throw this.#unexpected('the end of the text');
    return false;
  }

  #scanToken(byte: number | undefined, end: number): void {
    const next = this.#next;
    if (next === AFTER_VALUE) {
      if (byte === COMMA) this.#scanComma(end);
      else this.#scanClose(byte);
    } else if (next === NAME) this.#scanName(byte, end);
    else if (next === AFTER_NAME) this.#scanColon(byte, end);
    else if (next === FIRST_MEMBER && byte !== CLOSE_OBJECT) this.#scanName(byte, end);
    else if (next === VALUE || (next === FIRST_ELEMENT && byte !== CLOSE_ARRAY)) this.#scanValue(byte, end);
    else this.#close();
  }

  /** Scans a scalar, or opens an array or object. */
  #scanValue(byte: number | undefined, end: number): void {
    if (this.#start < 0) this.#start = this.#at;
    if (byte === QUOTE) this.#scanCharacters(this.#at++, end);
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte === OPEN_OBJECT);
    else if (byte === MINUS || isDigit(byte)) this.#scanNumber(end);
    else this.#scanLiteral(byte);
  }

  #open(isObject: boolean): void {
    if (this.#levels.length === this.#depthMax) {
      throw new AppError({code: 'value-too-deep', depthMax: this.#depthMax, position: this.#at});
    }
    this.#commas[this.#levels.length] = 0;
    this.#levels.push(this.#at);
    this.#at++;
    this.#isInObject = isObject;
    this.#next = isObject ? FIRST_MEMBER : FIRST_ELEMENT;
  }

  #scanClose(byte: number | undefined): void {
    if (byte !== (this.#isInObject ? CLOSE_OBJECT : CLOSE_ARRAY))
      throw this.#unexpected(this.#isInObject ? '"," or "}"' : '"," or "]"');
    this.#close();
  }

  #close(): void {
    this.#at++;
    const start = this.#levels.pop() ?? 0;
    if (this.#ends !== undefined) this.#ends[start] = this.#at;
    this.#isInObject = this.#bytes[this.#levels[this.#levels.length - 1] ?? start] === OPEN_OBJECT;
    this.#endValue();
  }

  #endValue(): void {
    this.#next = AFTER_VALUE;
    if (this.#levels.length > 0) return;
    this.#end = this.#at;
    this.#next = END;
  }

  /** Scans a comma, and what follows it if the step reaches so far: to return for each token costs more than to scan it. */
  #scanComma(end: number): void {
    if (this.#levels.length <= this.#breadthMax.length) this.#countComma();
    this.#at++;
    this.#next = this.#isInObject ? NAME : VALUE;
    const byte = this.#skipSpace(end);
    if (this.#at >= end) return;
    if (this.#isInObject) this.#scanName(byte, end);
    else this.#scanValue(byte, end);
  }

  #countComma(): void {
    const level = this.#levels.length - 1;
    const breadthMax = this.#breadthMax[level] ?? 0;
    const commas = (this.#commas[level] ?? 0) + 1;
    this.#commas[level] = commas;
    if (commas < breadthMax) return;
    throw new TooBroad(
      this.#levels.slice(0, level).map((_, around) => this.#placeOn(around)),
      breadthMax,
    );
  }

  /** Returns the index or name of the element that is being read on a level. */
  #placeOn(level: number): PropertyKey {
    if (this.#bytes[this.#levels[level] ?? 0] === OPEN_ARRAY) return this.#commas[level] ?? 0;
    const [start = 0] = this.#names.slice(level);
    return decodeBeginning(this.#bytes, start, PATH_NAME_LENGTH_MAX);
  }

  #scanName(byte: number | undefined, end: number): void {
    if (byte !== QUOTE) throw this.#unexpected('a member name in quotes');
    if (++this.#members > this.#membersMax) throw new TooBroad([], this.#membersMax);
    if (this.#levels.length <= this.#breadthMax.length) this.#names[this.#levels.length - 1] = this.#at;
    this.#next = NAME;
    this.#scanCharacters(this.#at++, end);
  }

  /** Scans a colon, and the value after it if the step reaches so far. */
  #scanColon(colon: number | undefined, end: number): void {
    if (colon !== COLON) throw this.#unexpected('":"');
    this.#at++;
    this.#next = VALUE;
    const byte = this.#skipSpace(end);
    if (this.#at < end) this.#scanValue(byte, end);
  }

  /** Scans the rest of a string, up to a position. */
  #scanCharacters(start: number, end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte !== QUOTE && byte !== BACKSLASH && byte >= 0x20 && byte < 0x80) {
        at++;
        continue;
      }
      if (byte === QUOTE) break;
      this.#at = at;
      if (byte < 0x20) throw this.#unexpected('no control character in a string');
      at += byte === BACKSLASH ? this.#escapeLength() : this.#characterLength(byte);
    }
    this.#at = at;
    if (at < end) this.#endString(start, end);
    else if (at >= bytes.length) throw this.#unexpected('a closing quote');
    else this.#cutString = start;
  }

  #endString(start: number, end: number): void {
    this.#at++;
    this.#cutString = -1;
    if (this.#ends !== undefined) this.#ends[start] = this.#at;
    if (this.#next !== NAME) this.#endValue();
    else if (this.#at < end && this.#bytes[this.#at] === COLON) this.#scanColon(COLON, end);
    else this.#next = AFTER_NAME;
  }

  #escapeLength(): number {
    const next = this.#bytes[this.#at + 1];
    if (next !== undefined && SIMPLE_ESCAPES.has(next)) return 2;
    this.#at++;
    if (next !== LOWER_U) throw this.#unexpected('an escape of RFC 8259');
    for (let digit = 1; digit <= 4; digit++) {
      if (isHexDigit(this.#bytes[this.#at + digit])) continue;
      this.#at += digit;
      throw this.#unexpected('four hexadecimal digits');
    }
    this.#at--;
    return 6;
  }

  /** Checks a character beyond ASCII (table 3-7 of the Unicode standard). @returns Its length in bytes. */
  #characterLength(lead: number): number {
    if (lead < 0xc2 || lead > 0xf4) throw this.#unexpected('UTF-8');
    const second = this.#bytes[this.#at + 1] ?? 0;
    const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    let isWhole = second >= secondByteMin(lead) && second <= secondByteMax(lead);
    for (let index = 2; index < length; index++) isWhole &&= ((this.#bytes[this.#at + index] ?? 0) & 0xc0) === 0x80;
    if (!isWhole) throw this.#unexpected('UTF-8');
    return length;
  }

  #scanNumber(end: number): void {
    if (this.#bytes[this.#at] === MINUS) this.#at++;
    const isZero = this.#bytes[this.#at] === ZERO;
    this.#scanDigit();
    // A digit after a leading zero is not part of the number. It is refused as the next token.
    if (isZero && isDigit(this.#bytes[this.#at])) this.#endValue();
    else this.#scanDigits(INTEGER, end);
  }

  /** Scans the rest of a number from within one of its parts, up to a position. */
  #scanDigits(from: number, end: number): void {
    const bytes = this.#bytes;
    for (let part = from; part !== NO_PART; ) {
      let at = this.#at;
      while (at < end && isDigit(bytes[at])) at++;
      this.#at = at;
      this.#cutNumber = part;
      if (at >= end && at < bytes.length) return;
      part = partAfter(part, bytes[at]);
      if (part !== NO_PART) this.#beginPart(part);
    }
    this.#cutNumber = NO_PART;
    this.#endValue();
  }

  #beginPart(part: number): void {
    this.#at++;
    const sign = this.#bytes[this.#at];
    if (part === EXPONENT && (sign === PLUS || sign === MINUS)) this.#at++;
    this.#scanDigit();
  }

  #scanDigit(): void {
    if (!isDigit(this.#bytes[this.#at])) throw this.#unexpected('a digit');
    this.#at++;
  }

  #scanLiteral(first: number | undefined): void {
    const literal = first === undefined ? undefined : LITERALS.get(first);
    if (literal === undefined) throw this.#unexpected('a value');
    for (let index = 0; index < literal.length; index++) {
      if (this.#bytes[this.#at + index] === literal.charCodeAt(index)) continue;
      this.#at += index;
      throw this.#unexpected(`"${literal}"`);
    }
    this.#at += literal.length;
    this.#endValue();
  }

  /** Moves to the next byte that is not white space. @returns That byte; undefined at the end of the text. */
  #skipSpace(end: number): number | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at];
    while (at < end && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) byte = bytes[++at];
    this.#at = at;
    return byte;
  }

  #unexpected(wanted: string): AppError {
    return new AppError({
      code: 'invalid-json',
      problem: `expected ${wanted}, found ${describeByte(this.#bytes, this.#at)}`,
      position: this.#at,
    });
  }
}

/** Returns the part of a number that a byte begins after another part; {@link NO_PART} if the number ends before it. */
function partAfter(part: number, byte: number | undefined): number {
  if (byte === POINT && part === INTEGER) return FRACTION;
  return (byte === LOWER_E || byte === UPPER_E) && part !== EXPONENT ? EXPONENT : NO_PART;
}

function secondByteMin(lead: number): number {
  if (lead === 0xe0) return 0xa0;
  return lead === 0xf0 ? 0x90 : 0x80;
}

function secondByteMax(lead: number): number {
  if (lead === 0xed) return 0x9f;
  return lead === 0xf4 ? 0x8f : 0xbf;
}

function describeByte(bytes: Uint8Array, at: number): string {
  const byte = bytes[at];
  if (byte === undefined) return 'the end of the text';
  if (at === 0 && byte === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'a byte order mark';
  if (byte > 0x20 && byte < 0x7f) return byte === QUOTE ? 'a quote' : `"${String.fromCharCode(byte)}"`;
  return `the byte 0x${byte.toString(16).padStart(2, '0')}`;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
