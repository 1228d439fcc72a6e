import {compactJson, indentJson} from '../output/indent-json.ts';

/** Largest value that is indented, in bytes: with 256 levels it can become 500 times as long. */
const INDENTED_BYTES_MAX = 256 * 1024;

/**
 * Chooses the form in which a value is edited. A value without white space is indented for the editor and compacted again; its
 * tokens stay the same, even numbers that JavaScript cannot represent. Any other value is edited unchanged.
 *
 * @returns The text in the editor, and what makes the value to store of an edited JSON text.
 */
export function chooseEditedForm(json: Uint8Array) {
  const asItIs = {shown: json, restore: (edited: Uint8Array) => edited};
  if (json.length > INDENTED_BYTES_MAX) return asItIs;
  const text = Buffer.from(json).toString();
  const indented = indentJson(text);
  if (compactJson(indented) !== text) return asItIs;
  return {
    shown: Buffer.from(indented),
    restore: (edited: Uint8Array): Uint8Array => Buffer.from(compactJson(Buffer.from(edited).toString())),
  };
}
