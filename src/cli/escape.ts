/** Control characters beyond those of a text, and those that turn the direction of writing. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes a text safe to show on a terminal, which would obey control characters in a key, say. Tabs and line breaks stay. */
export function escapeControls(text: string): string {
  return text.replace(UNSEEN, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
