import {PILOT_ACCOUNT} from '../../../core/documents/identity.ts';
import {checkValue, formatProblems} from '../../../core/documents/problems.ts';
import {findSecrets} from '../../../core/domain/identity/identity-secrets.ts';
import {hideSecrets} from '../../../core/domain/redaction.ts';
import type {DocumentProblem} from '../../../core/failures/members/problems.ts';
import type {JsonText} from '../../../core/json/json-text.ts';
import type {JsonMembers} from '../../../core/json/members.ts';

/** The account of a pilot at the airline, as its back end sends it. */
export interface BackEndPilot {
  /** The text exactly as it was received, unknown members included. */
  readonly json: JsonText;
  readonly session: string;
  /** End of the session, in seconds since the Unix epoch. */
  readonly expiry?: number | undefined;
  /** One line that describes the pilot, such as `Ada Quill (CRW0042)`. */
  readonly summary: string;
}

/**
 * Longest session, in characters: other calls send it in the header `Authorization`, and Apache accepts header lines of 8190
 * bytes.
 */
const SESSION_LENGTH_MAX = 8000;

/** Result of reading a pilot: the pilot, or the problems of the document. */
export type PilotReading = {readonly pilot: BackEndPilot} | {readonly problems: readonly DocumentProblem[]};

/** Reads the account of a pilot. */
export function readBackEndPilot(json: JsonText): PilotReading {
  const checked = checkValue(PILOT_ACCOUNT, asCorrect(json), {withReceived: true});
  if ('found' in checked) return {problems: formatProblems(checked.found)};
  const {session, expiry, firstName, lastName, pilotID} = checked.value;
  const problem = findSessionProblem(session);
  if (problem !== undefined) return {problems: [{path: '$.session', problem}]};
  const name = [firstName, lastName].filter(each => each.trim() !== '').join(' ');
  const described = name === '' ? pilotID : `${name} (${pilotID})`;
  const summary = hideSecrets(described, findSecrets({va_user: checked.value}));
  return {pilot: {json, session, expiry: expiry ?? undefined, summary}};
}

/** Members that every correct back end sends, if only as `null`, and those that it sends as numbers. */
const NULLABLE = ['rankImage', 'avatar'];
const NUMBERS = ['dbID', 'rankLevel', 'expiry'];

/** Returns the pilot as a correct back end sends it, for our own use: what is served stays as it is. */
function asCorrect(json: JsonText): unknown {
  const pilot = JSON.parse(new TextDecoder().decode(json)) as JsonMembers;
  const missing = NULLABLE.filter(name => pilot[name] === undefined).map(name => [name, null]);
  const quoted = NUMBERS.filter(name => isDigits(pilot[name])).map(name => [name, Number(pilot[name])]);
  const ends = isDate(pilot['expiry']) ? [['expiry', Date.parse(pilot['expiry']) / 1000]] : [];
  return {...pilot, ...Object.fromEntries([...missing, ...quoted, ...ends])};
}

/** A date with its offset, as RFC 3339 and PHP write it. Without an offset it may be any of 26 hours. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

function isDate(value: unknown): value is string {
  return typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));
}

function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^-?[0-9]{1,20}$/.test(value);
}

/** Returns the deviations of a pilot that is accepted: plugins may not expect them. */
export function findDeviations(json: JsonText): readonly DocumentProblem[] {
  const pilot = JSON.parse(new TextDecoder().decode(json)) as JsonMembers;
  const missing = NULLABLE.filter(name => pilot[name] === undefined);
  const quoted = NUMBERS.filter(name => isDigits(pilot[name]));
  return [
    ...missing.map(name => ({path: `$.${name}`, problem: 'is missing'})),
    ...quoted.map(name => ({path: `$.${name}`, problem: 'is a number in a string'})),
    ...(isDate(pilot['expiry']) ? [{path: '$.expiry', problem: 'is a date, not seconds since 1970'}] : []),
  ];
}

/** Checks that a session fits into a header. */
function findSessionProblem(session: string): string | undefined {
  if (session === '') return 'is empty';
  if (session.length > SESSION_LENGTH_MAX) return `is longer than ${SESSION_LENGTH_MAX} characters`;
  return /^[\x21-\x7e]+$/.test(session) ? undefined : 'has to be visible ASCII characters';
}

/**
 * Returns when a session ends, in seconds since the Unix epoch: the `expiry` of the pilot, or else the `exp` of a session
 * that is a JWT (RFC 7519 section 4.1.4). Undefined if neither is there.
 */
export function readExpirySeconds({session, expiry}: Pick<BackEndPilot, 'session' | 'expiry'>): number | undefined {
  return expiry ?? readJwtExpiry(session);
}

function readJwtExpiry(session: string): number | undefined {
  const [header, claims, signature, ...others] = session.split('.');
  if (header === undefined || claims === undefined || signature === undefined || others.length > 0) return undefined;
  const {exp} = readJwtPart(header) === undefined ? {} : (readJwtPart(claims) ?? {});
  return typeof exp === 'number' ? exp : undefined;
}

function readJwtPart(part: string): JsonMembers | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? {...value} : undefined;
  } catch {
    return undefined;
  }
}
