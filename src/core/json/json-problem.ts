import {AppError} from '../failures/app-error.ts';

/** Returns the failure for a text that has another byte at a position than its syntax requires. */
export function unexpected(bytes: Uint8Array, at: number, wanted: string): AppError {
  return new AppError({
    code: 'invalid-json',
    problem: `expected ${wanted}, found ${describeByte(bytes, at)}`,
    position: at,
  });
}

const QUOTE = 0x22;

function describeByte(bytes: Uint8Array, at: number): string {
  const byte = bytes[at];
  if (byte === undefined) return 'the end of the text';
  if (at === 0 && byte === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'a byte order mark';
  if (byte > 0x20 && byte < 0x7f) return byte === QUOTE ? 'a quote' : `"${String.fromCharCode(byte)}"`;
  return `the byte 0x${byte.toString(16).padStart(2, '0')}`;
}
