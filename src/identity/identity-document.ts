import type {DocumentProblem} from '../domain/failure.ts';
import type {Identity, IdentityDocument} from '../domain/identity.ts';
import {readJsonDocument} from '../domain/json-document.ts';
import {encodeJsonText, type JsonText} from '../domain/json-text.ts';
import {applyMergePatch} from '../domain/merge-patch.ts';
import {describeIssues} from '../domain/schema-issues.ts';

/** Result of reading a document: the identity, or the problems in the document. */
export type IdentityReading = {readonly identity: Identity} | {readonly problems: readonly DocumentProblem[]};

/** Reads an identity document. Its bytes are served unchanged, so no unknown member is lost. */
export async function readIdentityDocument(bytes: Uint8Array): Promise<IdentityReading> {
  // Loaded on demand: the schema library takes longer to load than everything else.
  const {IDENTITY_SCHEMA} = await import('./identity-schema.ts');
  const reading = readJsonDocument(bytes);
  if ('problem' in reading) return {problems: [reading.problem]};
  const result = IDENTITY_SCHEMA.safeParse(reading.value, {reportInput: true});
  if (result.success) return {identity: {json: withoutSchema(reading), summary: summarise(result.data)}};
  return {problems: describeIssues(result.error.issues)};
}

/** Removes the member that names the schema for editors. The text of all others stays as it is. */
function withoutSchema({json, value}: {readonly json: JsonText; readonly value: unknown}): JsonText {
  return Object.hasOwn(Object(value), '$schema') ? applyMergePatch(json, REMOVAL) : json;
}

const REMOVAL = encodeJsonText('{"$schema":null}');

/** Returns one line that describes an identity, such as `Ada Quill (CRW0042), Crewroom Air`. */
export function summarise({va_user: pilot, airline}: Pick<IdentityDocument, 'va_user' | 'airline'>): string {
  return `${pilot.firstName} ${pilot.lastName} (${pilot.pilotID}), ${airline.settings.airlineName}`;
}
