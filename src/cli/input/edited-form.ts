import {compactJson, indentJson} from '../output/indent-json.ts';

/** The text of a value in an editor, and the way back. */
export interface EditedForm {
  readonly shown: Uint8Array;
  /** Returns the value to store for an edited JSON text. */
  readonly restore: (edited: Uint8Array) => Uint8Array;
}

/** Largest value that is indented, in bytes: with 256 levels it can become 500 times as long. */
const INDENTED_BYTES_MAX = 256 * 1024;

/**
 * Chooses the form in which a value is edited. A value without white space is indented for the editor and compacted again; its
 * tokens stay the same, even numbers that JavaScript cannot represent. Any other value is edited unchanged.
 */
export function chooseEditedForm(json: Uint8Array): EditedForm {
  const asItIs = {shown: json, restore: (edited: Uint8Array) => edited};
  if (json.length > INDENTED_BYTES_MAX) return asItIs;
  const text = Buffer.from(json).toString();
  const indented = indentJson(text);
  if (compactJson(indented) !== text) return asItIs;
  return {
    shown: Buffer.from(indented),
    restore: edited => Buffer.from(compactJson(Buffer.from(edited).toString())),
  };
}
