import type {SessionPlace, SessionStatus} from '../../core/domain/identity/identity.ts';
import {formatTime} from '../../core/protocol/text/format-time.ts';
import {escapeControls, type Style} from '../terminal/context.ts';

/** Formats a session for people after they have signed in: pilot, back end and end. */
export function formatSignedIn(session: SessionStatus, style: Style): string {
  const {summary = 'a pilot', scriptURL = 'the airline'} = session;
  const lines = [
    `${style.green('✔')} Signed in as ${style.bold(escapeControls(summary))}`,
    `  ${style.dim(`at ${escapeControls(scriptURL)}, ${describeEnd(session)}; ${describePlace(session)}`)}`,
  ];
  return lines.map(line => `${line}\n`).join('');
}

/** Describes the end of a session. */
export function describeEnd({expiresAtMs}: SessionStatus): string {
  return expiresAtMs === undefined ? 'with no known end' : `until ${formatMinute(expiresAtMs)}`;
}

/** Describes when a session was verified last, or why it cannot be. */
export function describeVerification({verifiedAtMs, unverifiable}: SessionStatus): string {
  const last = verifiedAtMs === undefined ? 'not verified yet' : `last verified ${formatMinute(verifiedAtMs)}`;
  return unverifiable ? `${last}; the airline does not offer to verify it, so it is kept to its end` : last;
}

/** Returns whether a value that a service sent is one that this version knows: a name in a table. */
export function isKnown<T extends string>(table: Readonly<Record<T, unknown>>, value: string): value is T {
  return Object.hasOwn(table, value);
}

/** Describes where a session is kept. */
export function describePlace({kept}: SessionStatus): string {
  const place = kept ?? 'memory';
  return isKnown(PLACES, place) ? PLACES[place] : `kept in ${JSON.stringify(place)}`;
}

const PLACES = {
  keychain: 'kept in the keychain',
  file: 'kept in "session.json" in the data directory',
  memory: 'kept until the service stops',
} as const satisfies Record<SessionPlace, string>;

/** Formats a time for people, to the minute. */
function formatMinute(timeMs: number): string {
  const time = formatTime(timeMs);
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}
