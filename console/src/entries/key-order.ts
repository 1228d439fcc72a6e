/** Longest key, in UTF-8 bytes. Source: the limits of the service, which are fixed for keys. */
const KEY_BYTES_MAX = 512;

/** The last characters of each size in UTF-8, which keys may contain. */
const LAST_CHARACTERS = [
  ['\u{10ffff}', 4],
  ['\uffff', 3],
  ['\u07ff', 2],
  ['~', 1],
] as const;

/** Compares two keys by their UTF-8 bytes, the order of listings. @returns Below zero, zero or above zero. */
export function compareKeys(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return rankAt(one, index) - rankAt(other, index);
}

/** Returns the last key that may begin with a prefix: listings continue after it with the first key that does not. */
export function lastKeyUnder(prefix: string): string {
  let key = prefix;
  let free = KEY_BYTES_MAX - new TextEncoder().encode(prefix).length;
  for (const [character, size] of LAST_CHARACTERS) {
    key += character.repeat(Math.floor(free / size));
    free %= size;
  }
  return key;
}

/** UTF-16 puts surrogates (code points from U+10000) below U+E000 to U+FFFF; UTF-8 puts them above. The end is before every character. */
function rankAt(text: string, index: number): number {
  if (index >= text.length) return -1;
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
