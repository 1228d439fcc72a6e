import * as v from 'valibot';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {formatPath} from '../json/json-path.ts';

/** Maximum number of problems that are described for one document. */
const PROBLEMS_MAX = 100;

/**
 * Maximum number of problems that are looked for, with those of alternatives that do not fit: a thousand plugins of an airline without any
 * member have fewer. Of a document with more, only the first is described.
 */
const SOUGHT_MAX = 20_000;

/** Maximum length of a name in the location of a problem, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 64;

/** A part of a document that does not conform to its schema. */
export interface Problem {
  /** Names and indexes of the members and elements that lead to the part. */
  readonly keys: readonly PropertyKey[];
  readonly problem: string;
}

/** Result of checking a value: what the schema makes of it, or the first problems. */
export type Checked<T> = {readonly value: T} | {readonly found: readonly [Problem, ...Problem[]]};

export interface CheckOptions {
  /** True to describe what is there besides what must be, for documents with members of many types. @default {false} */
  readonly withReceived?: boolean;
}

/** Checks a value by its schema. Ends early if there are too many problems, since hostile documents may have far more than are described. */
export function checkValue<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  {withReceived = false}: CheckOptions = {},
): Checked<T> {
  let count = 0;
  const describe = (issue: v.BaseIssue<unknown>): string => describeIssue(issue, withReceived);
  const message = (issue: v.BaseIssue<unknown>): string => {
    if (++count > SOUGHT_MAX) throw TOO_MANY;
    return describe(issue);
  };
  try {
    return toChecked(v.safeParse(schema, value, {message}));
  } catch (error) {
    if (error !== TOO_MANY) throw error;
    return toChecked(v.safeParse(schema, value, {message: describe, abortEarly: true}));
  }
}

const TOO_MANY = new Error('too many problems');

function toChecked<T>({output, issues}: v.SafeParseResult<v.GenericSchema<unknown, T>>): Checked<T> {
  if (issues === undefined) return {value: output as T};
  const [first, ...others] = issues;
  return {found: [toProblem(first), ...others.map(toProblem)]};
}

/** Formats the first problems, with the path of each as a JSONPath. */
export function formatProblems(found: readonly Problem[]): readonly DocumentProblem[] {
  return found.slice(0, PROBLEMS_MAX).map(({keys, problem}) => ({path: formatPath(keys), problem}));
}

/** The problem with a member that has to be there. */
export const MISSING = 'is missing';

/** The problem with a member that the schema does not have. */
export const UNKNOWN = 'is not known here';

/** Names of kinds, as they appear in problems. Other kinds name what they expect in the schema. */
const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  finite: 'a number',
  boolean: 'true or false',
  object: 'an object',
  loose_object: 'an object',
  strict_object: 'an object',
  record: 'an object',
  custom: 'an object',
  array: 'an array',
};

/** Describes what is wrong, unless the schema has words of its own. */
function describeIssue({type, input, expected}: v.BaseIssue<unknown>, withReceived: boolean): string {
  if (input === undefined) return MISSING;
  if (expected === UNKNOWN_MEMBER) return UNKNOWN;
  const wanted = `has to be ${EXPECTED[type] ?? expected}`;
  return withReceived ? `is ${describeType(input)} and ${wanted}` : wanted;
}

/** Expectation of valibot in place of a member that a schema does not have. */
export const UNKNOWN_MEMBER = 'never';

function describeType(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function toProblem({path, message}: v.BaseIssue<unknown>): Problem {
  const keys = (path ?? []).map(({key}) =>
    typeof key === 'string' ? key.slice(0, SHOWN_LENGTH_MAX) : (key as number),
  );
  return {keys, problem: message};
}
