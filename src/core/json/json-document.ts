import {AppError} from '../failures/app-error.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {describeBreadth} from './document-object.ts';
import {TooBroad} from './json-limits.ts';
import {type JsonText, parseJsonText} from './json-text.ts';

/** Result of reading a document: its text and its value, or the first problem. */
export type JsonReading = {readonly json: JsonText; readonly value: unknown} | {readonly problem: DocumentProblem};

/**
 * Maximum number of elements of an array, or members of an object, on each of the outermost levels. The longest array is the
 * list of plugins; airlines have some hundreds. Each invalid element may cause a dozen problems in the schema, which take far
 * more memory than the text.
 */
const BREADTH_MAX = [10_000, 10_000, 10_000];

/** Reads a JSON document. Limits are checked before the document is parsed. */
export function readJsonDocument(bytes: Uint8Array): JsonReading {
  try {
    const json = parseJsonText(bytes, {breadthMax: BREADTH_MAX});
    return {json, value: JSON.parse(new TextDecoder().decode(json))};
  } catch (error) {
    if (error instanceof TooBroad) return {problem: describeBreadth(error)};
    if (error instanceof AppError) return {problem: {path: '$', problem: describeFailure(error, bytes)}};
    throw error;
  }
}

function describeFailure({failure, message}: AppError, bytes: Uint8Array): string {
  switch (failure?.code) {
    case 'invalid-json':
      return `is not JSON in UTF-8: ${failure.problem} at ${lineAndColumnOf(bytes, failure.position)}`;
    case 'value-too-deep':
      return `nests deeper than ${failure.depthMax} levels at ${lineAndColumnOf(bytes, failure.position)}`;
    default:
      return message;
  }
}

/** Returns the line and column of a byte, as editors count them. */
export function lineAndColumnOf(bytes: Uint8Array, position: number): string {
  const before = new TextDecoder().decode(bytes.subarray(0, position)).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
