import {AppError} from '../failures/app-error.ts';
import {FailureError} from '../failures/failure-error.ts';
import {JsonBreadth} from './json-breadth.ts';
import {scanCharacters} from './json-characters.ts';
import {type JsonLimits, type MembersLeft, TooBroad, VALUE_DEPTH_MAX} from './json-limits.ts';
import {beginsNumber, scanNumber} from './json-number.ts';
import {unexpected} from './json-problem.ts';

declare const jsonBrand: unique symbol;

/** The UTF-8 bytes of one JSON text (RFC 8259), checked: see {@link parseJsonText}. Never changed after that. */
export type JsonText = Uint8Array & {readonly [jsonBrand]: true};

/**
 * Checks that the bytes are one JSON text in UTF-8, and returns them unchanged, without the white space around them.
 * Nothing is decoded or converted, so numbers of any length, duplicate names and escapes survive. Takes time linear in the
 * size and stops at the first wrong byte.
 *
 * @returns A view of the same bytes, not a copy.
 * @throws {AppError} `invalid-json` with the position of the first wrong byte; `value-too-deep`.
 * @throws {TooBroad} Above `breadthMax` or `members`.
 */
export function parseJsonText(bytes: Uint8Array, limits: JsonLimits = {}): JsonText {
  return new JsonScanner(bytes, limits).scan();
}

/**
 * Checks bytes like {@link parseJsonText}, and notes where their values end.
 *
 * @param ends A buffer at least as long as the bytes, which gets the position after each array, object and string, at the position of its
 * first byte.
 */
export function parseWithEnds(bytes: Uint8Array, limits: JsonLimits, ends: Int32Array): JsonText {
  return new JsonScanner(bytes, limits, ends).scan();
}

/**
 * Returns bytes as a JSON text without checking them. Only for texts that were checked before a store wrote them, if a
 * checksum shows that they are the same; for values that the service answers, since it stores nothing else; for values in a
 * document that was checked; and for copies of a JSON text.
 */
export function trustStoredJson(bytes: Uint8Array): JsonText {
  return bytes as JsonText;
}

/** Returns a copy of a JSON text with a buffer of its own. */
export function copyJson(json: JsonText): JsonText {
  return trustStoredJson(new Uint8Array(json));
}

/**
 * Encodes a text and checks it like {@link parseJsonText}.
 */
export function encodeJsonText(text: string, limits?: JsonLimits): JsonText {
  return parseJsonText(encodeText(text), limits);
}

/**
 * Returns the UTF-8 bytes of a text: of a JSON text, those that `put` stores as they are.
 *
 * @throws {AppError} `invalid-json` for half of a surrogate pair, which encoders silently replace.
 *
 * @example
 * ```ts
 * import {encodeText, openCrewroom} from 'crewroom';
 *
 * const crewroom = await openCrewroom({store: 'memory'});
 * await crewroom.entries.put('flight', encodeText('{"id": 9007199254740993}'));
 * console.log((await crewroom.entries.get('flight'))?.text); // {"id": 9007199254740993}
 * await crewroom[Symbol.asyncDispose]();
 * ```
 */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  if (text.isWellFormed()) return encoder.encode(text);
  const position = encoder.encode(text.slice(0, text.search(/\p{Surrogate}/u))).length;
  throw new FailureError({
    code: 'invalid-json',
    problem: 'expected UTF-8, found half of a surrogate pair',
    position,
  });
}

/**
 * Returns the text of a value.
 */
export function decodeJsonText(json: JsonText): string {
  return new TextDecoder().decode(json);
}

// Each file has its own constants: V8 compiles them into the code, while it loads imported ones for each comparison.
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const LITERALS: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

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

/** Scans a text once, from left to right, without recursion: a stack has the open brackets. */
class JsonScanner {
  readonly #bytes: Uint8Array;
  readonly #depthMax: number;
  readonly #ends: Int32Array | undefined;
  /** For each open level the position of its bracket. */
  readonly #levels: number[] = [];
  readonly #breadth: JsonBreadth;
  readonly #members: MembersLeft;
  #at = 0;
  #next = VALUE;
  #isInObject = false;
  /** The span of the outermost value. */
  #start = -1;
  #end = -1;

  constructor(bytes: Uint8Array, limits: JsonLimits, ends?: Int32Array) {
    const {depthMax = VALUE_DEPTH_MAX, members = {max: Infinity, left: Infinity}} = limits;
    this.#bytes = bytes;
    this.#members = members;
    this.#depthMax = depthMax;
    this.#breadth = new JsonBreadth(bytes, this.#levels, limits);
    this.#ends = ends;
  }

  scan(): JsonText {
    for (;;) {
      const byte = this.#skipSpace();
      if (this.#next === END) break;
      this.#scanToken(byte);
    }
    if (this.#at < this.#bytes.length) throw this.#unexpected('the end of the text');
    return this.#bytes.subarray(this.#start, this.#end) as JsonText;
  }

  #scanToken(byte: number | undefined): void {
    const next = this.#next;
    if (next === AFTER_VALUE) {
      if (byte === COMMA) this.#scanComma();
      else this.#scanClose(byte);
    } else if (next === NAME) this.#scanName(byte);
    else if (next === AFTER_NAME) this.#scanColon(byte);
    else if (next === FIRST_MEMBER && byte !== CLOSE_OBJECT) this.#scanName(byte);
    else if (next === VALUE || (next === FIRST_ELEMENT && byte !== CLOSE_ARRAY)) this.#scanValue(byte);
    else this.#close();
  }

  /** Scans a scalar, or opens an array or object. */
  #scanValue(byte: number | undefined): void {
    if (this.#start < 0) this.#start = this.#at;
    if (byte === QUOTE) this.#scanString();
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte === OPEN_OBJECT);
    else if (beginsNumber(byte)) {
      this.#at = scanNumber(this.#bytes, this.#at);
      this.#endValue();
    } else this.#scanLiteral(byte);
  }

  #open(isObject: boolean): void {
    if (this.#levels.length === this.#depthMax) {
      throw new AppError({code: 'value-too-deep', depthMax: this.#depthMax, position: this.#at});
    }
    this.#levels.push(this.#at);
    if (this.#levels.length <= this.#breadth.levels) this.#breadth.open();
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
    const {length} = this.#levels;
    // Never read an element at -1: it made the scan of an object of 200 bytes take 14 % longer.
    this.#isInObject = length > 0 && this.#bytes[this.#levels[length - 1] ?? start] === OPEN_OBJECT;
    this.#endValue();
  }

  #endValue(): void {
    this.#next = AFTER_VALUE;
    if (this.#levels.length > 0) return;
    this.#end = this.#at;
    this.#next = END;
  }

  /** Scans a comma, and what follows it: to return for each token costs more than to scan it. */
  #scanComma(): void {
    if (this.#levels.length <= this.#breadth.levels) this.#breadth.countComma();
    this.#at++;
    this.#next = this.#isInObject ? NAME : VALUE;
    const byte = this.#skipSpace();
    if (this.#isInObject) this.#scanName(byte);
    else this.#scanValue(byte);
  }

  #scanName(byte: number | undefined): void {
    if (byte !== QUOTE) throw this.#unexpected('a member name in quotes');
    if (--this.#members.left < 0) throw new TooBroad([], this.#members.max);
    if (this.#levels.length <= this.#breadth.levels) this.#breadth.keepName(this.#at);
    this.#next = NAME;
    this.#scanString();
  }

  /** Scans a colon, and the value after it. */
  #scanColon(colon: number | undefined): void {
    if (colon !== COLON) throw this.#unexpected('":"');
    this.#at++;
    this.#next = VALUE;
    this.#scanValue(this.#skipSpace());
  }

  /** Scans a name or a string. */
  #scanString(): void {
    const start = this.#at;
    this.#at = scanCharacters(this.#bytes, start + 1) + 1;
    if (this.#ends !== undefined) this.#ends[start] = this.#at;
    if (this.#next !== NAME) this.#endValue();
    else if (this.#bytes[this.#at] === COLON) this.#scanColon(COLON);
    else this.#next = AFTER_NAME;
  }

  #scanLiteral(first: number | undefined): void {
    const literal = first === undefined ? undefined : LITERALS.get(first);
    if (literal === undefined) throw this.#unexpected('a value');
    for (let index = 0; index < literal.length; index++) {
      if (this.#bytes[this.#at + index] !== literal.charCodeAt(index))
        throw unexpected(this.#bytes, this.#at + index, `"${literal}"`);
    }
    this.#at += literal.length;
    this.#endValue();
  }

  /** Moves to the next byte that is not white space. @returns That byte; undefined at the end of the text. */
  #skipSpace(): number | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
    this.#at = at;
    return byte;
  }

  #unexpected(wanted: string): AppError {
    return unexpected(this.#bytes, this.#at, wanted);
  }
}

/** Returns a value in all its forms, from the text of a document that was read; undefined without a text. */
export function formsOf<T>(text: string | undefined, value: T) {
  return text === undefined ? undefined : {json: trustStoredJson(encodeText(text)), text, value};
}
