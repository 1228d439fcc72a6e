import type {BaseIssue, GenericSchema} from 'valibot';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {formatPath} from '../json/json-path.ts';

/** Maximum number of problems that are described for one document. */
const PROBLEMS_MAX = 100;

/** A part of a document that does not conform to its schema. */
export interface Problem {
  /** Names and indexes of the members and elements that lead to the part. */
  readonly keys: readonly PropertyKey[];
  readonly problem: string;
}

/** Result of checking a value: what the schema makes of it, or the first problems. */
export type Checked<T> = {readonly value: T} | {readonly found: readonly [Problem, ...Problem[]]};

export interface CheckOptions {
  /** True to describe what there is besides what there has to be, for documents with members of many types. @default {false} */
  readonly withReceived?: boolean;
}

/** Checks a value by its schema. Stops after the largest number of problems, since hostile documents may have far more. */
export function checkValue<T>(
  schema: GenericSchema<unknown, T>,
  value: unknown,
  {withReceived = false}: CheckOptions = {},
): Checked<T> {
  let count = 0;
  const {issues, value: output} = schema['~run'](
    {value},
    {
      message: issue => {
        count++;
        return describeIssue(issue, withReceived);
      },
      get abortEarly() {
        return count >= PROBLEMS_MAX;
      },
    },
  );
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
  array: 'an array',
};

/** Describes what is wrong, unless the schema has words of its own. */
function describeIssue({type, input, expected}: BaseIssue<unknown>, withReceived: boolean): string {
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

function toProblem({path, message}: BaseIssue<unknown>): Problem {
  return {keys: (path ?? []).map(({key}) => key as PropertyKey), problem: message};
}
