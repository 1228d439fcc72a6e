/** One step into a document: to the member of this name, or to each element of an array. */
export type Step = string | typeof EACH;

/** The step to each element of an array. */
export const EACH = 0;

/**
 * Returns the values at a path as the exact texts that they have in a document, in their order: parsing them would change
 * numbers that JavaScript cannot represent. Takes one pass over a text that `JSON.parse` has accepted. Names of members are
 * compared as they are written: escapes in them are not resolved.
 *
 * @example
 * ```ts
 * readExactTexts('{"entries":[{"value":1.0},{"value":1e400}]}', ['entries', EACH, 'value']); // ['1.0', '1e400']
 * ```
 */
export function readExactTexts(json: string, path: readonly Step[]): readonly string[] {
  const texts: string[] = [];
  const wanted = path.map(step => (step === EACH ? '' : `"${step}"`)).join();
  /** The current path: a name in quotes for each object around the position, an empty name for each array. */
  const names: string[] = [];
  /** The beginning of the current name or value, unless it is deeper than the path. */
  let start = 0;
  for (let at = 0; at < json.length; at++) {
    const mark = json[at];
    const isOpening = mark === '{' || mark === '[';
    const isClosing = mark === '}' || mark === ']';
    if (mark === '"') at = endOfString(json, at);
    if (isOpening) names.push('');
    if ((isOpening || isClosing || mark === ':' || mark === ',') && names.length <= path.length) {
      const text = json.slice(start, at).trim();
      if (mark === ':') names[names.length - 1] = text;
      // An empty array has no text.
      else if (text !== '' && names.join() === wanted) texts.push(text);
      start = at + 1;
    }
    if (isClosing) names.pop();
  }
  return texts;
}

/** Returns the position of the quote that closes a string: the next one after an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let at = end;
    while (json[at - 1] === '\\') at--;
    if ((end - at) % 2 === 0) return end;
  }
}
