const QUOTE = 0x22;
const STAR = 0x2a;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/**
 * Replaces comments of a JSON text by spaces, so that every other byte keeps its position. One pass without
 * recursion: its result is checked like any JSON text. A block comment without an end stays, which makes the text invalid.
 *
 * @returns The same bytes if there are no comments.
 */
export function blankComments(bytes: Uint8Array): Uint8Array {
  let blanked = bytes;
  forEachComment(bytes, (start, end) => {
    // Not slice(), which for a Buffer is a view of the same bytes.
    if (blanked === bytes) blanked = new Uint8Array(bytes);
    blanked.fill(SPACE, start, end);
  });
  return blanked;
}

/** Calls back for each comment outside of strings: from two slashes to the end of the line, or from slash-star to star-slash. */
function forEachComment(bytes: Uint8Array, found: (start: number, end: number) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes[at] === SLASH ? findEnd(bytes, at) : undefined;
    if (end !== undefined) {
      found(at, end);
      at = end;
    } else at = bytes[at] === QUOTE ? skipString(bytes, at) : at + 1;
  }
}

/** Returns the end of the comment that begins at a slash; undefined if none does. */
function findEnd(bytes: Uint8Array, start: number): number | undefined {
  if (bytes[start + 1] === SLASH) {
    let at = start + 2;
    while (at < bytes.length && !isLineBreak(bytes[at])) at++;
    return at;
  }
  if (bytes[start + 1] !== STAR) return undefined;
  for (let at = start + 2; at < bytes.length; at++) if (bytes[at] === STAR && bytes[at + 1] === SLASH) return at + 2;
  return undefined;
}

function skipString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isLineBreak(byte: number | undefined): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}
