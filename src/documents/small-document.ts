import type {GenericSchema} from 'valibot';
import {DOCUMENT_MEMBERS_MAX, describeBreadth} from '../domain/document-object.ts';
import {JsonIndex} from '../domain/json-index.ts';
import {TooBroad} from '../domain/json-limits.ts';
import {AppError} from '../failures/app-error.ts';
import type {DocumentProblem, Failure} from '../failures/failure.ts';
import {checkValue, formatProblems, type Problem} from './problems.ts';

/** Maximum nesting depth of a small document, which contains only strings. */
const DEPTH_MAX = 8;

/**
 * Reads an object of a few strings, such as a sign-in.
 *
 * @param fail Returns the failure for the problems.
 * @throws {AppError} `invalid-json`, `value-too-deep`; the failure with the path of each problem.
 */
export function readSmallDocument<T>(
  body: Uint8Array,
  schema: GenericSchema<unknown, T>,
  fail: (problems: readonly DocumentProblem[]) => Failure,
): T {
  const duplicates = findDuplicates(indexDocument(body, fail));
  const checked = checkValue(schema, JSON.parse(new TextDecoder().decode(body)));
  if ('value' in checked && duplicates.length === 0) return checked.value;
  const found = 'found' in checked ? checked.found : [];
  throw new AppError(fail(formatProblems([...duplicates, ...found])));
}

/** Finds members that a parsed object has lost. */
function findDuplicates(index: JsonIndex): readonly Problem[] {
  const names = index.isObject(index.root) ? index.members(index.root).map(({name}) => name) : [];
  const repeated = names.filter((name, at) => names.indexOf(name) !== at);
  return repeated.map(name => ({keys: [name], problem: 'occurs more than once'}));
}

function indexDocument(body: Uint8Array, fail: (problems: readonly DocumentProblem[]) => Failure): JsonIndex {
  try {
    return new JsonIndex(body, {depthMax: DEPTH_MAX, breadthMax: [DOCUMENT_MEMBERS_MAX]});
  } catch (error) {
    if (!(error instanceof TooBroad)) throw error;
    throw new AppError(fail([describeBreadth(error)]), {cause: error});
  }
}
