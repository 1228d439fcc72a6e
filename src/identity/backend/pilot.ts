import type {DocumentProblem} from '../../domain/failure.ts';
import type {JsonText} from '../../domain/json-text.ts';
import {describeIssues} from '../identity-document.ts';

/** The account of a pilot at the airline, as its back end sends it. */
export interface Pilot {
  /** The text as it was sent, so that nothing in it is lost. */
  readonly json: JsonText;
  readonly session: string;
  /** When the session ends, in seconds since the Unix epoch. */
  readonly expiry?: number | undefined;
  /** The pilot, for people, such as `Ada Quill (CRW0042)`. */
  readonly summary: string;
}

/**
 * Longest session, in characters: Apache takes header lines of 8190 bytes, and in one of these every other call has the
 * session behind `Authorization: Bearer `.
 */
const SESSION_LENGTH_MAX = 8000;

/** What came of reading a pilot. */
export type PilotReading = {readonly pilot: Pilot} | {readonly problems: readonly DocumentProblem[]};

/** Reads the account of a pilot. */
export async function readPilot(json: JsonText): Promise<PilotReading> {
  // The schema library costs more to load than everything else: only who signs in pays for it.
  const {PILOT_SCHEMA} = await import('../identity-schema.ts');
  const result = PILOT_SCHEMA.safeParse(JSON.parse(new TextDecoder().decode(json)), {reportInput: true});
  if (!result.success) return {problems: describeIssues(result.error.issues)};
  const {session, expiry, firstName, lastName, pilotID} = result.data;
  const problem = findSessionProblem(session);
  if (problem !== undefined) return {problems: [{path: '$.session', problem}]};
  return {pilot: {json, session, expiry, summary: `${firstName} ${lastName} (${pilotID})`}};
}

/** Everything else takes the session as a header, which holds no more than this. */
function findSessionProblem(session: string): string | undefined {
  if (session === '') return 'is empty';
  if (session.length > SESSION_LENGTH_MAX) return `is longer than ${SESSION_LENGTH_MAX} characters`;
  return /^[\x21-\x7e]+$/.test(session) ? undefined : 'has to be visible ASCII characters';
}
