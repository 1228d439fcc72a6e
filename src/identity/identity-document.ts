import type {Identity, IdentityDocument} from '../domain/identity.ts';
import {readJsonDocument} from '../domain/json-document.ts';
import {encodeJsonText, type JsonText, parseJsonText} from '../domain/json-text.ts';
import {applyMergePatch} from '../domain/merge-patch.ts';
import {describeIssues} from '../domain/schema-issues.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {createPartFinder, type PlacedProblem, withLines} from './document-lines.ts';
import {blankComments, removeComments} from './json-comments.ts';
import {completeDocument} from './profile-completion.ts';

/** Result of reading a document: the identity, or the problems in the document. */
export type IdentityReading = {readonly identity: Identity} | {readonly problems: readonly DocumentProblem[]};

/**
 * Reads an identity document, which may have comments. Its bytes are served unchanged but for comments and `$schema`, so no unknown
 * member is lost. Limits are checked before anything is parsed.
 */
export async function readIdentityDocument(bytes: Uint8Array): Promise<IdentityReading> {
  return readDocument(bytes);
}

/** Reads a profile like {@link readIdentityDocument}; members that it lacks come from the sample. */
export async function readPartialDocument(bytes: Uint8Array): Promise<IdentityReading> {
  return readDocument(bytes, completeDocument);
}

async function readDocument(bytes: Uint8Array, complete?: typeof completeDocument): Promise<IdentityReading> {
  // Loaded on demand: the schema library takes longer to load than everything else.
  const {IDENTITY_SCHEMA} = await import('./identity-schema.ts');
  const blanked = blankComments(bytes);
  const reading = readJsonDocument(blanked);
  if ('problem' in reading) return {problems: withLines(bytes, [{...reading.problem, position: reading.position}])};
  const result = IDENTITY_SCHEMA.safeParse(reading.value, {reportInput: true});
  if (!result.success) {
    const {json: completed, filled = []} = complete?.(reading.json) ?? {};
    const whole = completed === undefined ? undefined : await readDocument(completed);
    if (whole !== undefined && 'identity' in whole) return {identity: {...whole.identity, filled}};
    const placed = placeProblems(result.error.issues, reading.json, blanked);
    const problems = placed.filter(({path}) => !filled.includes(path));
    return {problems: withLines(bytes, problems)};
  }
  const json =
    blanked === bytes ? reading.json : parseJsonText(removeComments(bytes.subarray(offsetOf(reading.json, blanked))));
  return {identity: {json: withoutSchema(json, reading.value), summary: summarise(result.data)}};
}

/** Returns where a text begins in the bytes that it was read from. */
function offsetOf(json: JsonText, bytes: Uint8Array): number {
  return json.byteOffset - bytes.byteOffset;
}

function placeProblems(issues: Issues, json: JsonText, bytes: Uint8Array): readonly PlacedProblem[] {
  const findPart = createPartFinder(json);
  const offset = offsetOf(json, bytes);
  return describeIssues(issues).map((problem, at) => ({
    ...problem,
    position: offset + findPart(issues[at]?.path ?? []),
  }));
}

type Issues = Parameters<typeof describeIssues>[0];

/** Removes the member that names the schema for editors. The text of all others stays as it is. */
function withoutSchema(json: JsonText, value: unknown): JsonText {
  return Object.hasOwn(Object(value), '$schema') ? applyMergePatch(json, REMOVAL) : json;
}

const REMOVAL = encodeJsonText('{"$schema":null}');

/** Returns one line that describes an identity, such as `Ada Quill (CRW0042), Crewroom Air`. */
export function summarise({va_user: pilot, airline}: Pick<IdentityDocument, 'va_user' | 'airline'>): string {
  return `${pilot.firstName} ${pilot.lastName} (${pilot.pilotID}), ${airline.settings.airlineName}`;
}
