import {describeBreadth} from '../domain/document-object.ts';
import {AppError, type DocumentProblem} from '../domain/failure.ts';
import {type JsonText, parseJsonText, TooBroad} from '../domain/json-text.ts';

/** A document, as its text and as its value; or the problem for which nothing was made of it. */
export type JsonReading = {readonly json: JsonText; readonly value: unknown} | {readonly problem: DocumentProblem};

/**
 * Most elements of an array, or members of an object, on the outermost levels of a document. The longest is the list of plugins,
 * of which airlines have some hundreds; each wrong one may cost the schema a dozen problems, which take far more memory than
 * their text.
 */
const BREADTH_MAX = [10_000, 10_000, 10_000];

/** Reads a JSON document, without the byte order mark that some editors write. Limits hold before anything is made of it. */
export function readJsonDocument(bytes: Uint8Array): JsonReading {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    const json = parseJsonText(hasByteOrderMark ? bytes.subarray(3) : bytes, {breadthMax: BREADTH_MAX});
    return {json, value: JSON.parse(new TextDecoder().decode(json))};
  } catch (error) {
    if (error instanceof TooBroad) return {problem: describeBreadth(error)};
    if (error instanceof AppError) return {problem: {path: '$', problem: describeFailure(error)}};
    throw error;
  }
}

function describeFailure({failure, message}: AppError): string {
  switch (failure.code) {
    case 'invalid-json':
      return `is not JSON in UTF-8: ${failure.problem} at byte ${failure.position}`;
    case 'value-too-deep':
      return `nests deeper than ${failure.depthMax} levels at byte ${failure.position}`;
    default:
      return message;
  }
}
