import type {SessionDocument} from '../../protocol/session.ts';
import {escapeControls} from '../terminal/escape.ts';
import type {Style} from '../terminal/style.ts';

/** Facts besides the session itself. */
export interface SessionText {
  /** The pilot and the airline. */
  readonly summary: string | undefined;
  readonly style: Style;
}

/** Formats a session for people after they have signed in: pilot, back end and end. */
export function formatSession(session: SessionDocument, {summary, style}: SessionText): string {
  const {scriptURL = 'the airline'} = session;
  const lines = [
    `${style.green('✔')} Signed in as ${style.bold(escapeControls(summary ?? 'a pilot'))}`,
    `  ${style.dim(`at ${escapeControls(scriptURL)}, ${describeEnd(session)}; ${describePlace(session)}`)}`,
  ];
  return lines.map(line => `${line}\n`).join('');
}

/** Describes the end of a session. */
export function describeEnd({expiresAt}: SessionDocument): string {
  return expiresAt === undefined ? 'with no known end' : `until ${formatTime(expiresAt)}`;
}

/** Describes where a session is kept. */
export function describePlace({kept}: SessionDocument): string {
  const place = kept ?? 'memory';
  // A newer service may have other places.
  return Object.hasOwn(PLACES, place) ? PLACES[place] : `kept in ${JSON.stringify(place)}`;
}

const PLACES = {
  keychain: 'kept in the keychain',
  file: 'kept in a file that only you can read',
  memory: 'kept until the service stops',
} as const satisfies Record<NonNullable<SessionDocument['kept']>, string>;

/** Formats a time (RFC 3339, UTC) for people. */
export function formatTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}
