import {DOCUMENT_MEMBERS_MAX, DocumentObject, describeBreadth} from '../domain/document-object.ts';
import {JsonIndex} from '../domain/json-index.ts';
import {TooBroad} from '../domain/json-limits.ts';
import {AppError} from '../failures/app-error.ts';
import type {Failure} from '../failures/failure.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';

/** Maximum nesting depth of a small document, which contains only strings. */
const DEPTH_MAX = 8;

/**
 * Reads an object of a few strings, such as a sign-in.
 *
 * @param read Reads the members; other members are problems.
 * @param fail Returns the failure for the problems.
 * @throws {AppError} `invalid-json`, `value-too-deep`; the failure with the path of each problem.
 */
export function readSmallDocument<T>(
  body: Uint8Array,
  read: (root: DocumentObject) => T,
  fail: (problems: readonly DocumentProblem[]) => Failure,
): T {
  const index = indexDocument(body, fail);
  const problems: DocumentProblem[] = [];
  const report = (problem: DocumentProblem): void => void problems.push(problem);
  const root = new DocumentObject({index, span: index.root, path: '$', report});
  const document = read(root);
  root.end();
  if (problems.length > 0) throw new AppError(fail(problems));
  return document;
}

/** Reads a member that is a list of strings. Reports any other element as a problem, and reads an empty string in its place. */
export function readStrings(root: DocumentObject, name: string): readonly string[] {
  return root.list(name).map(place => {
    if (place.index.isString(place.span)) return place.index.string(place.span);
    place.report({path: place.path, problem: 'has to be a string'});
    return '';
  });
}

function indexDocument(body: Uint8Array, fail: (problems: readonly DocumentProblem[]) => Failure): JsonIndex {
  try {
    return new JsonIndex(body, {depthMax: DEPTH_MAX, breadthMax: [DOCUMENT_MEMBERS_MAX]});
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error;
    throw new AppError(fail([describeBreadth(error)]), {cause: error});
  }
}
