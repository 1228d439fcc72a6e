const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** Maximum number of bytes that a JSON string takes for one UTF-16 unit: those of an escape such as `\u0061`. */
const UNIT_BYTES_MAX = 6;

/** Returns whether a string of this many bytes between quotes is longer than `lengthMax`, whatever it decodes to. */
export function isTooLong(sizeBytes: number, lengthMax: number): boolean {
  return sizeBytes > UNIT_BYTES_MAX * lengthMax;
}

/**
 * Decodes a JSON string that was checked before. If it is longer than `lengthMax` (see {@link isTooLong}), only its
 * beginning is decoded, which is also longer than `lengthMax`: the caller refuses it by its length.
 *
 * @param start The position of its opening quote.
 * @param lengthMax In UTF-16 units.
 */
export function decodeBeginning(bytes: Uint8Array, start: number, lengthMax: number): string {
  const cut = start + 1 + UNIT_BYTES_MAX * (lengthMax + 1);
  let at = start + 1;
  while (at < cut && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? (bytes[at + 1] === LOWER_U ? 6 : 2) : 1;
  while (isContinuation(bytes[at])) at++;
  return JSON.parse(`${new TextDecoder().decode(bytes.subarray(start, at))}"`) as string;
}

/** Returns whether a byte continues a character in UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
