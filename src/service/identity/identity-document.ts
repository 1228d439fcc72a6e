import {IDENTITY_DOCUMENT} from '../../core/documents/identity.ts';
import {blankComments} from '../../core/documents/json-comments.ts';
import {checkValue, formatProblems, type Problem} from '../../core/documents/problems.ts';
import type {Identity, IdentityDocument, IdentitySource} from '../../core/domain/identity/identity.ts';
import {findSecrets} from '../../core/domain/identity/identity-secrets.ts';
import {hideSecrets} from '../../core/domain/redaction.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {readJsonDocument} from '../../core/json/json-document.ts';
import {JsonIndex} from '../../core/json/json-index.ts';
import {encodeJsonText, type JsonText} from '../../core/json/json-text.ts';
import {applyMergePatch} from '../../core/json/merge-patch.ts';
import type {completeDocument} from './profile-completion.ts';

/** Result of reading a document: the identity, or the problems in the document. */
export type IdentityReading = {readonly identity: Identity} | {readonly problems: readonly DocumentProblem[]};

/**
 * Reads an identity document, which may have comments. Its bytes are served unchanged but for comments, which become spaces, and `$schema`, so no unknown
 * member is lost. Limits are checked before anything is parsed.
 *
 * @param complete Fills in members that it lacks.
 */
export function readIdentityDocument(bytes: Uint8Array, complete?: typeof completeDocument): IdentityReading {
  const blanked = blankComments(bytes);
  const reading = readJsonDocument(blanked);
  if ('problem' in reading) return {problems: [reading.problem]};
  const checked = checkValue(IDENTITY_DOCUMENT, reading.value, {withReceived: true});
  if ('found' in checked) {
    const {json: completed, filled = []} = complete?.(reading.json) ?? {};
    const whole = completed === undefined ? undefined : readIdentityDocument(completed);
    if (whole !== undefined && 'identity' in whole) return {identity: {...whole.identity, filled}};
    const placed = placeProblems(checked.found, reading.json, blanked);
    const problems = placed.filter(({path}) => !filled.includes(path));
    return {problems: withLines(bytes, problems)};
  }
  return {identity: {json: withoutSchema(reading.json, reading.value), summary: summarise(checked.value)}};
}

function placeProblems(found: readonly Problem[], json: JsonText, bytes: Uint8Array): readonly PlacedProblem[] {
  const findPart = createPartFinder(json);
  // The text is a part of the bytes that it was read from.
  const offset = json.byteOffset - bytes.byteOffset;
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

/** Returns one line that describes an identity, such as `Ada Quill (CRW0042), Crewroom Air`, without its secrets. */
export function summarise(document: Pick<IdentityDocument, 'va_user' | 'airline'>): string {
  const {va_user: pilot, airline} = document;
  const line = `${pilot.firstName} ${pilot.lastName} (${pilot.pilotID}), ${airline.settings.airlineName}`;
  return hideSecrets(line, findSecrets(document));
}

/** Returns a source that masks the secrets of each identity in its summary, which goes to logs and pages: a program may have made it of any member. */
export function maskSummaries(source: IdentitySource): IdentitySource {
  const masked = new WeakMap<Identity, Identity>();
  return {
    get origin() {
      return source.origin;
    },
    current() {
      const identity = source.current();
      if (identity === undefined) return undefined;
      const shown = masked.get(identity) ?? maskSummary(identity);
      masked.set(identity, shown);
      return shown;
    },
    onChange: listener => source.onChange(listener),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

function maskSummary(identity: Identity): Identity {
  const secrets = findSecrets(JSON.parse(new TextDecoder().decode(identity.json)));
  const summary = hideSecrets(identity.summary, secrets);
  return summary === identity.summary ? identity : {...identity, summary};
}

/** A problem, with its position in the bytes of a document if it is known. */
interface PlacedProblem extends DocumentProblem {
  readonly position?: number | undefined;
}

const LINE_FEED = 0x0a;

/** Adds the line number to each problem that has a position. Reads the bytes once, whatever the number of problems. */
function withLines(bytes: Uint8Array, problems: readonly PlacedProblem[]): readonly DocumentProblem[] {
  const positions = problems.flatMap(({position}) => position ?? []).toSorted((a, b) => a - b);
  const lines = new Map<number, number>();
  let line = 1;
  let at = 0;
  for (const position of positions) {
    for (; at < position; at++) if (bytes[at] === LINE_FEED) line++;
    lines.set(position, line);
  }
  return problems.map(({position, path, problem}) => ({
    path,
    problem: position === undefined ? problem : `${problem} (line ${lines.get(position)})`,
  }));
}

/** Finds where the parts of a document begin; a member begins with its name. For a missing part it is the closest one around it. */
function createPartFinder(json: JsonText): (path: readonly PropertyKey[]) => number {
  const index = new JsonIndex(json);
  return path => {
    let span = index.root;
    let position = span.start;
    for (const part of path) {
      if (typeof part === 'number') {
        const element = index.isArray(span) ? index.elements(span)[part] : undefined;
        if (element === undefined) return position;
        span = element;
        position = element.start;
      } else {
        const member = index.isObject(span) ? index.members(span).findLast(({name}) => name === part) : undefined;
        if (member === undefined) return position;
        span = member.valueSpan;
        position = member.nameSpan.start;
      }
    }
    return position;
  };
}
