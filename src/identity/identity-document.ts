import type {DocumentProblem} from '../domain/failure.ts';
import type {Identity, IdentityDocument} from '../domain/identity.ts';
import {formatPath} from '../domain/json-path.ts';
import {readJsonDocument} from './json-document.ts';

/** Result of reading a document: the identity, or the problems in the document. */
export type IdentityReading = {readonly identity: Identity} | {readonly problems: readonly DocumentProblem[]};

/** Reads an identity document. Its bytes are served unchanged, so no unknown member is lost. */
export async function readIdentityDocument(bytes: Uint8Array): Promise<IdentityReading> {
  // Loaded on demand: the schema library takes longer to load than everything else.
  const {IDENTITY_SCHEMA} = await import('./identity-schema.ts');
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem]};
  const result = IDENTITY_SCHEMA.safeParse(reading.value, {reportInput: true});
  if (result.success) return {identity: {json: reading.json, summary: summarise(result.data)}};
  return {problems: describeIssues(result.error.issues)};
}

/** Maximum number of problems that are described for one document. */
const PROBLEMS_MAX = 100;

/** Describes the first problems that a schema found, with their paths. */
export function describeIssues(issues: readonly Issue[]): readonly DocumentProblem[] {
  return issues.slice(0, PROBLEMS_MAX).map(issue => ({path: formatPath(issue.path), problem: describeIssue(issue)}));
}

/** Returns one line that describes an identity, such as `Ada Quill (CRW0042), Crewroom Air`. */
export function summarise({va_user: pilot, airline}: Pick<IdentityDocument, 'va_user' | 'airline'>): string {
  return `${pilot.firstName} ${pilot.lastName} (${pilot.pilotID}), ${airline.settings.airlineName}`;
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
