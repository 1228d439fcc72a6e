import {unexpected} from './json-problem.ts';

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;

/** Scans a number from its first byte. @returns The position after it. @throws {AppError} `invalid-json`. */
export function scanNumber(bytes: Uint8Array, start: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  let at = afterDigits(bytes, first);
  // A digit after a leading zero is not part of the number. It is refused as the next token.
  if (bytes[first] === ZERO) at = first + 1;
  if (bytes[at] === POINT) at = afterDigits(bytes, at + 1);
  if (bytes[at] !== LOWER_E && bytes[at] !== UPPER_E) return at;
  return afterDigits(bytes, isSign(bytes[at + 1]) ? at + 2 : at + 1);
}

/** Returns whether a byte begins a number. */
export function beginsNumber(byte: number | undefined): boolean {
  return byte === MINUS || isDigit(byte);
}

function afterDigits(bytes: Uint8Array, start: number): number {
  if (!isDigit(bytes[start])) throw unexpected(bytes, start, 'a digit');
  let at = start + 1;
  while (isDigit(bytes[at])) at++;
  return at;
}

function isSign(byte: number | undefined): boolean {
  return byte === PLUS || byte === MINUS;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
