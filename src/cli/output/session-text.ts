import type {SessionDocument} from '../../protocol/session.ts';
import {escapeControls} from '../terminal/escape.ts';
import type {Style} from '../terminal/style.ts';

/** What is known besides the session itself. */
export interface SessionText {
  /** The pilot and the airline. */
  readonly summary: string | undefined;
  readonly style: Style;
}

/** A session for people, when somebody has just signed in: who, where, until when. */
export function formatSession(session: SessionDocument, {summary, style}: SessionText): string {
  const {scriptURL = 'the airline'} = session;
  const lines = [
    `${style.green('✔')} Signed in as ${style.bold(escapeControls(summary ?? 'a pilot'))}`,
    `  ${style.dim(`at ${escapeControls(scriptURL)}, ${describeEnd(session)}; ${describePlace(session)}`)}`,
  ];
  return lines.map(line => `${line}\n`).join('');
}

/** How long a session lasts. */
export function describeEnd({expiresAt}: SessionDocument): string {
  return expiresAt === undefined ? 'without an end that is known' : `until ${formatTime(expiresAt)}`;
}

/** What becomes of a session when the service stops. */
export function describePlace({kept}: SessionDocument): string {
  const place = kept ?? 'memory';
  // A newer service may keep it elsewhere.
  return Object.hasOwn(PLACES, place) ? PLACES[place] : `kept in ${JSON.stringify(place)}`;
}

const PLACES = {
  keychain: 'kept in the keychain',
  file: 'kept in a file that only you can read',
  memory: 'forgotten when the service stops',
} as const satisfies Record<NonNullable<SessionDocument['kept']>, string>;

/** A time (RFC 3339, UTC) as people read it. */
export function formatTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}
