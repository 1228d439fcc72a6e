import {formatTime} from './format-time.ts';
import {readTime} from './read-document.ts';

/** A document whose times travel: `savedAtMs`, in milliseconds since the Unix epoch, is `savedAt`, a text (RFC 3339, UTC). */
export type WithTimes<T> = {
  readonly [N in keyof T as N extends `${infer Name}AtMs` ? `${Name}At` : N]: N extends `${string}AtMs`
    ? string | Extract<T[N], undefined>
    : T[N];
};

/** Returns a document as it travels: each of its own members `…AtMs` as `…At`. */
export function writeTimes<T extends object>(document: T): WithTimes<T> {
  const members = Object.entries(document).map(([name, value]) =>
    name.endsWith('AtMs') ? [name.slice(0, -2), value === undefined ? undefined : formatTime(value)] : [name, value],
  );
  return Object.fromEntries(members);
}

/** Reads what {@link writeTimes} returns. */
export function readTimes<T extends object>(document: WithTimes<T>): T {
  const members = Object.entries(document).map(([name, value]) =>
    name.endsWith('At') && typeof value === 'string' ? [`${name}Ms`, readTime(value)] : [name, value],
  );
  return Object.fromEntries(members);
}
