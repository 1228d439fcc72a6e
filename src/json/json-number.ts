import {unexpected} from './json-problem.ts';

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;

// The parts of a number, in their order.
const END = 0;
const INTEGER = 1;
const FRACTION = 2;
const EXPONENT = 3;

/** Scans a number, and can stop and continue within it. */
export class JsonNumber {
  readonly #bytes: Uint8Array;
  /** The part of the number in which the scan has stopped. */
  #part = END;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** True if the scan has stopped within a number. */
  get isOpen(): boolean {
    return this.#part !== END;
  }

  /**
   * Scans a number from its first byte.
   *
   * @param end The position to stop at.
   * @returns The position after the number, or after what was scanned of it.
   * @throws {AppError} `invalid-json`.
   */
  begin(start: number, end: number): number {
    const bytes = this.#bytes;
    const first = bytes[start] === MINUS ? start + 1 : start;
    const next = afterDigit(bytes, first);
    // A digit after a leading zero is not part of the number. It is refused as the next token.
    if (bytes[first] === ZERO && isDigit(bytes[next])) return next;
    return this.#scanFrom(INTEGER, next, end);
  }

  /** Scans the rest of a number, like {@link begin}. */
  continue(start: number, end: number): number {
    return this.#scanFrom(this.#part, start, end);
  }

  #scanFrom(first: number, start: number, end: number): number {
    const bytes = this.#bytes;
    let part = first;
    for (let at = start; ; ) {
      while (at < end && isDigit(bytes[at])) at++;
      const isCut = at >= end && at < bytes.length;
      if (!isCut) part = partAfter(part, bytes[at]);
      if (isCut || part === END) {
        this.#part = part;
        return at;
      }
      at = afterDigit(bytes, part === EXPONENT && isSign(bytes[at + 1]) ? at + 2 : at + 1);
    }
  }
}

/** Returns whether a byte begins a number. */
export function beginsNumber(byte: number | undefined): boolean {
  return byte === MINUS || isDigit(byte);
}

/** Returns the part of a number that a byte begins after another part; {@link END} if the number ends before it. */
function partAfter(part: number, byte: number | undefined): number {
  if (byte === POINT && part === INTEGER) return FRACTION;
  return (byte === LOWER_E || byte === UPPER_E) && part !== EXPONENT ? EXPONENT : END;
}

function afterDigit(bytes: Uint8Array, at: number): number {
  if (!isDigit(bytes[at])) throw unexpected(bytes, at, 'a digit');
  return at + 1;
}

function isSign(byte: number | undefined): boolean {
  return byte === PLUS || byte === MINUS;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
