/** One step into a document: to the member of this name, or to each element of an array. */
export type Step = string | typeof EACH;

/** The step to each element of an array. */
export const EACH = 0;

/**
 * Returns the values at a path as the exact texts that they have in a document, in their order: parsed values would have
 * lost what JavaScript cannot hold. Takes one pass over a text that `JSON.parse` has accepted. Names of members are compared
 * as they are written: escapes in them are not resolved.
 *
 * @example
 * ```ts
 * readExactTexts('{"entries":[{"value":1.0},{"value":1e400}]}', ['entries', EACH, 'value']); // ['1.0', '1e400']
 * ```
 */
export function readExactTexts(json: string, path: readonly Step[]): readonly string[] {
  const texts: string[] = [];
  /** Visits the value at a position. @returns The position behind it. */
  const visit = (depth: number, at: number): number => {
    const step = path[depth];
    if (step !== undefined) {
      const name = step === EACH ? '' : `"${step}"`;
      return walk(json, at, (found, valueAt) =>
        found === name ? visit(depth + 1, valueAt) : endOfValue(json, valueAt),
      );
    }
    const end = endOfValue(json, at);
    texts.push(json.slice(at, end));
    return end;
  };
  visit(0, skipSpace(json, 0));
  return texts;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Calls `visit` with the name in quotes and the position of each member of an object, or with an empty name for each element
 * of an array; it returns the position behind the value. Any other value is skipped.
 *
 * @returns The position behind the whole value.
 */
function walk(json: string, start: number, visit: (name: string, at: number) => number): number {
  const isObject = json.charCodeAt(start) === OPEN_OBJECT;
  if (!isObject && json.charCodeAt(start) !== OPEN_ARRAY) return endOfValue(json, start);
  let at = skipSpace(json, start + 1);
  while (!isClosing(json.charCodeAt(at))) {
    let name = '';
    if (isObject) {
      const nameEnd = endOfString(json, at);
      name = json.slice(at, nameEnd);
      // Over the colon.
      at = skipSpace(json, skipSpace(json, nameEnd) + 1);
    }
    at = skipSpace(json, visit(name, at));
    if (json.charCodeAt(at) === COMMA) at = skipSpace(json, at + 1);
  }
  return at + 1;
}

function skipSpace(json: string, start: number): number {
  let at = start;
  while (json.charCodeAt(at) <= 0x20) at++;
  return at;
}

function endOfValue(json: string, start: number): number {
  const first = json.charCodeAt(start);
  if (first === QUOTE) return endOfString(json, start);
  let at = start;
  if (!isOpening(first)) {
    while (!isDelimiter(json.charCodeAt(at))) at++;
    return at;
  }
  for (let depth = 0; ; ) {
    const code = json.charCodeAt(at);
    at = code === QUOTE ? endOfString(json, at) : at + 1;
    if (isOpening(code)) depth++;
    else if (isClosing(code) && --depth === 0) return at;
  }
}

/** Returns whether a character, or the end of the text, ends a number or a literal. */
function isDelimiter(code: number): boolean {
  return !(code > 0x20) || code === COMMA || isClosing(code);
}

/** Returns the position behind a string: behind the next quote after an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let at = end;
    while (json.charCodeAt(at - 1) === BACKSLASH) at--;
    if ((end - at) % 2 === 0) return end + 1;
  }
}

function isOpening(code: number): boolean {
  return code === OPEN_OBJECT || code === OPEN_ARRAY;
}

function isClosing(code: number): boolean {
  return code === CLOSE_OBJECT || code === CLOSE_ARRAY;
}
