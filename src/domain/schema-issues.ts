import type {DocumentProblem} from '../failures/members/problems.ts';
import {formatPath} from './json-path.ts';

/** Maximum number of problems that are described for one document. */
const PROBLEMS_MAX = 100;

/** Describes the first problems that a schema found, with their paths. */
export function describeIssues(issues: readonly Issue[]): readonly DocumentProblem[] {
  return issues.slice(0, PROBLEMS_MAX).map(issue => ({path: formatPath(issue.path), problem: describeIssue(issue)}));
}

/** Names of the types in the schema, as they appear in problems. */
const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
  readonly input?: unknown;
}

function describeIssue({message, expected, input}: Issue): string {
  if (input === undefined) return 'is missing';
  if (expected === undefined) return message;
  return `is ${describeType(input)} and has to be ${EXPECTED[expected] ?? expected}`;
}

function describeType(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
