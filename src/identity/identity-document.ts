import {IDENTITY} from '../documents/identity.ts';
import {checkValue, formatProblems, type Problem} from '../documents/problems.ts';
import type {Identity, IdentityDocument} from '../domain/identity.ts';
import {readJsonDocument} from '../domain/json-document.ts';
import {encodeJsonText, type JsonText, parseJsonText} from '../domain/json-text.ts';
import {applyMergePatch} from '../domain/merge-patch.ts';
import type {DocumentProblem} from '../failures/failure.ts';
import {createPartFinder, type PlacedProblem, withLines} from './document-lines.ts';
import {blankComments, removeComments} from './json-comments.ts';
import {completeDocument} from './profile-completion.ts';

/** Result of reading a document: the identity, or the problems in the document. */
export type IdentityReading = {readonly identity: Identity} | {readonly problems: readonly DocumentProblem[]};

/**
 * Reads an identity document, which may have comments. Its bytes are served unchanged but for comments and `$schema`, so no unknown
 * member is lost. Limits are checked before anything is parsed.
 */
export function readIdentityDocument(bytes: Uint8Array): IdentityReading {
  return readDocument(bytes);
}

/** Reads a profile like {@link readIdentityDocument}; members that it lacks come from the sample. */
export function readPartialDocument(bytes: Uint8Array): IdentityReading {
  return readDocument(bytes, completeDocument);
}

function readDocument(bytes: Uint8Array, complete?: typeof completeDocument): IdentityReading {
  const blanked = blankComments(bytes);
  const reading = readJsonDocument(blanked);
  if ('problem' in reading) return {problems: withLines(bytes, [{...reading.problem, position: reading.position}])};
  const checked = checkValue(IDENTITY, reading.value, {withReceived: true});
  if ('found' in checked) {
    const {json: completed, filled = []} = complete?.(reading.json) ?? {};
    const whole = completed === undefined ? undefined : readDocument(completed);
    if (whole !== undefined && 'identity' in whole) return {identity: {...whole.identity, filled}};
    const placed = placeProblems(checked.found, reading.json, blanked);
    const problems = placed.filter(({path}) => !filled.includes(path));
    return {problems: withLines(bytes, problems)};
  }
  const json =
    blanked === bytes ? reading.json : parseJsonText(removeComments(bytes.subarray(offsetOf(reading.json, blanked))));
  return {identity: {json: withoutSchema(json, reading.value), summary: summarise(checked.value)}};
}

/** Returns where a text begins in the bytes that it was read from. */
function offsetOf(json: JsonText, bytes: Uint8Array): number {
  return json.byteOffset - bytes.byteOffset;
}

function placeProblems(found: readonly Problem[], json: JsonText, bytes: Uint8Array): readonly PlacedProblem[] {
  const findPart = createPartFinder(json);
  const offset = offsetOf(json, bytes);
  return formatProblems(found).map((problem, at) => ({
    ...problem,
    position: offset + findPart(found[at]?.keys ?? []),
  }));
}

/** Removes the member that names the schema for editors. The text of all others stays as it is. */
function withoutSchema(json: JsonText, value: unknown): JsonText {
  return Object.hasOwn(Object(value), '$schema') ? applyMergePatch(json, REMOVAL) : json;
}

const REMOVAL = encodeJsonText('{"$schema":null}');

/** Returns one line that describes an identity, such as `Ada Quill (CRW0042), Crewroom Air`. */
export function summarise({va_user: pilot, airline}: Pick<IdentityDocument, 'va_user' | 'airline'>): string {
  return `${pilot.firstName} ${pilot.lastName} (${pilot.pilotID}), ${airline.settings.airlineName}`;
}
