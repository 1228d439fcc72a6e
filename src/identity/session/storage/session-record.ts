import type {JsonText} from '../../../json/json-text.ts';
import type {BackEndPilot} from '../../backend/pilot.ts';
import type {BackEndProbe} from '../../backend/pilot-answer.ts';
import {readExpirySeconds} from '../../backend/session-expiry.ts';

/** A session at the back end of an airline, and the pilot that the back end returned with it. */
export interface SessionRecord {
  readonly scriptURL: string;
  readonly session: string;
  /** The account of the pilot, exactly as it was received. */
  readonly pilot: JsonText;
  readonly backEnd: BackEndProbe;
  /** Time of the sign-in, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** End of the session, in milliseconds since the Unix epoch; undefined if that is unknown. */
  readonly expiresAtMs?: number | undefined;
}

/** Latest time that RFC 3339 can write, which has four digits for the year, in milliseconds since the Unix epoch. */
export const TIME_MAX_MS = Date.UTC(9999, 11, 31);

/** Returns the record with the session and the pilot of an answer that was just received. */
export function withPilot(
  {scriptURL, backEnd, sinceMs}: Pick<SessionRecord, 'scriptURL' | 'backEnd' | 'sinceMs'>,
  pilot: BackEndPilot,
  nowMs: number,
): SessionRecord {
  const {session, json} = pilot;
  return {scriptURL, backEnd, sinceMs, session, pilot: json, expiresAtMs: readEnd(pilot, nowMs)};
}

/** Returns the end of a session. A time in the past is ignored too: a new session is valid, so the clock must be wrong. */
function readEnd(pilot: BackEndPilot, nowMs: number): number | undefined {
  const seconds = readExpirySeconds(pilot);
  if (seconds === undefined) return undefined;
  const expiresAtMs = Math.floor(seconds * 1000);
  return expiresAtMs > nowMs && expiresAtMs <= TIME_MAX_MS ? expiresAtMs : undefined;
}
