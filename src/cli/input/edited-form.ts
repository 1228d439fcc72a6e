import {compactJson, indentJson} from '../output/indent-json.ts';

/** How a value is shown in an editor, and how what the editor leaves is stored. */
export interface EditedForm {
  readonly shown: Uint8Array;
  /** Returns what to store for a JSON text that was edited. */
  readonly restore: (edited: Uint8Array) => Uint8Array;
}

/** Largest value that is indented, in bytes: with 256 levels it can become 500 times as long. */
const INDENTED_BYTES_MAX = 256 * 1024;

/**
 * Chooses how a value is edited: one without white space is indented, and stored without it again. Its parts stay as they
 * are, down to numbers that JavaScript cannot hold. Any other value is edited as it is.
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
