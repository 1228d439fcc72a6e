import type {JsonText} from '../../domain/json-text.ts';
import type {BackEndProbe} from '../backend/back-end-client.ts';
import type {Pilot} from '../backend/pilot.ts';

/** A session at the back end of an airline, and the pilot that it gave. */
export interface SessionRecord {
  readonly scriptURL: string;
  readonly session: string;
  /** The account of the pilot, as it was sent. */
  readonly pilot: JsonText;
  readonly backEnd: BackEndProbe;
  /** When the pilot signed in, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** When the session ends, in milliseconds since the Unix epoch, where that can be told. */
  readonly expiresAtMs?: number | undefined;
}

/** The latest time that can be written (RFC 3339 has four digits for the year), in milliseconds since the Unix epoch. */
export const TIME_MAX_MS = Date.UTC(9999, 11, 31);

/**
 * When a session ends, in milliseconds since the Unix epoch: as the pilot says, or the session itself where it reads as
 * a JWT (RFC 7519 section 4.1.4). Undefined where neither tells, and for a time that is over already: the session was
 * just given, so it is rather the clock that is wrong.
 */
export function readExpiry({session, expiry}: Pick<Pilot, 'session' | 'expiry'>, nowMs: number): number | undefined {
  const seconds = expiry ?? readJwtExpiry(session);
  if (seconds === undefined) return undefined;
  const expiresAtMs = Math.floor(seconds * 1000);
  return expiresAtMs > nowMs && expiresAtMs <= TIME_MAX_MS ? expiresAtMs : undefined;
}

function readJwtExpiry(session: string): number | undefined {
  const [header, claims, signature, ...others] = session.split('.');
  if (header === undefined || claims === undefined || signature === undefined || others.length > 0) return undefined;
  const {exp} = readJwtPart(header) === undefined ? {} : (readJwtPart(claims) ?? {});
  return typeof exp === 'number' ? exp : undefined;
}

function readJwtPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? {...value} : undefined;
  } catch {
    return undefined;
  }
}

/** The record with what the back end gave in place of what it gave before. */
export function withPilot(record: SessionRecord, pilot: Pilot, expiresAtMs: number | undefined): SessionRecord {
  const {scriptURL, backEnd, sinceMs} = record;
  return {scriptURL, backEnd, sinceMs, session: pilot.session, pilot: pilot.json, expiresAtMs};
}
