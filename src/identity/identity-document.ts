import type {DocumentProblem} from '../domain/failure.ts';
import type {Identity, IdentityDocument} from '../domain/identity.ts';
import {formatPath} from '../domain/json-path.ts';
import {readJsonDocument} from './json-document.ts';

/** What came of reading a document: the identity, or the problems in it. */
export type IdentityReading = {readonly identity: Identity} | {readonly problems: readonly DocumentProblem[]};

/** Reads the bytes of an identity document. They are served as they are, so nothing in them is lost. */
export async function readIdentityDocument(bytes: Uint8Array): Promise<IdentityReading> {
  // The schema library costs more to load than everything else: only who has a document pays for it.
  const {IDENTITY_SCHEMA} = await import('./identity-schema.ts');
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem]};
  const result = IDENTITY_SCHEMA.safeParse(reading.value, {reportInput: true});
  if (result.success) return {identity: {json: reading.json, summary: summarise(result.data)}};
  return {problems: describeIssues(result.error.issues)};
}

/** Most problems of one document that are described: nobody reads more. */
const PROBLEMS_MAX = 100;

/** Describes the first problems that a schema found, with their paths. */
export function describeIssues(issues: readonly Issue[]): readonly DocumentProblem[] {
  return issues.slice(0, PROBLEMS_MAX).map(issue => ({path: formatPath(issue.path), problem: describeIssue(issue)}));
}

/** The line for people about an identity. */
export function summarise({va_user: pilot, airline}: Pick<IdentityDocument, 'va_user' | 'airline'>): string {
  return `${pilot.firstName} ${pilot.lastName} (${pilot.pilotID}), ${airline.settings.airlineName}`;
}

/** What the schema wants, for people. */
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
