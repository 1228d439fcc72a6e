import {formatTime} from './format-time.ts';
import {parseDocument, readTime} from './read-document.ts';

/**
 * A document as it travels: of each time, its own and those of the elements of its lists, `savedAtMs`, in milliseconds since the Unix epoch, is `savedAt`,
 * a text (RFC 3339, UTC).
 */
export type WithTimes<T> = {
  readonly [N in keyof T as N extends `${infer Name}AtMs` ? `${Name}At` : N]: N extends `${string}AtMs`
    ? string | Extract<T[N], undefined>
    : T[N] extends readonly (infer E extends object)[]
      ? readonly WithTimes<E>[]
      : T[N];
};

/** Returns an object as it travels: each of its own members `…AtMs` as `…At`. */
export function writeTimes<T extends object>(object: T): WithTimes<T> {
  const members = Object.entries(object).map(([name, value]) =>
    name.endsWith('AtMs') ? [name.slice(0, -2), value === undefined ? undefined : formatTime(value)] : [name, value],
  );
  return Object.fromEntries(members);
}

/** Reads what {@link writeTimes} returns. */
export function readTimes<T extends object>(object: WithTimes<T>): T {
  const members = Object.entries(object).map(([name, value]) =>
    name.endsWith('At') && typeof value === 'string' ? [`${name}Ms`, readTime(value)] : [name, value],
  );
  return Object.fromEntries(members);
}

/** Returns a document as it travels, with its own times and those of the elements of its lists. */
export function writeDocument<T extends object>(document: T): WithTimes<T> {
  return mapLists(writeTimes(document), writeTimes);
}

/**
 * Returns a reader of the JSON text of what {@link writeDocument} returns.
 *
 * @param list A list that the document has: the reader throws an {@link Error} without it, since another program may have answered.
 */
export function documentReader<T extends object>(list?: keyof T & string): (json: string) => T {
  return json => {
    const document = parseDocument<WithTimes<T> & {readonly [N in string]?: unknown}>(json);
    if (list !== undefined && !Array.isArray(document[list])) throw new Error(`it has no list of ${list}`);
    return readTimes<T>(mapLists(document, readTimes));
  };
}

function mapLists<T extends object>(document: T, map: (element: object) => object): T {
  const members = Object.entries(document).map(([name, value]) => [
    name,
    Array.isArray(value)
      ? value.map(each => (each instanceof Object && !Array.isArray(each) ? map(each) : each))
      : value,
  ]);
  return Object.fromEntries(members);
}
