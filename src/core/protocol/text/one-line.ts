const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Returns whether a JSON text has line breaks, which are white space between its tokens. */
export function hasLineBreaks(json: Uint8Array): boolean {
  return json.includes(LINE_FEED) || json.includes(CARRIAGE_RETURN);
}

/** Returns a JSON text with its line breaks replaced by spaces, which have the same meaning there. */
export function onOneLine(json: Uint8Array): Uint8Array {
  if (!hasLineBreaks(json)) return json;
  return json.map(byte => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
