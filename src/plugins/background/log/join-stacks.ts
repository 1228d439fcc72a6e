/** Maximum number of lines of an entry: the stack of an error with its causes has some dozens. */
const LINES_MAX = 100;

/** A position in a stack, as V8 writes it. */
const POSITION = /^\s+at /;

/** Line after a stack that belongs to it: further members of an error, and its causes. */
const AFTER_POSITION = /^(?:\s|[}\]])/;

/**
 * Joins the lines of a stack, and those of the members of its error, to the line before them. A program writes a stack at once, so that its lines are
 * read together.
 */
export function joinStacks(lines: readonly string[]): readonly string[] {
  const entries: string[][] = [];
  let isStack = false;
  for (const line of lines) {
    const entry = entries.at(-1);
    const isPosition = POSITION.test(line);
    if (entry !== undefined && entry.length < LINES_MAX && (isPosition || (isStack && AFTER_POSITION.test(line)))) {
      entry.push(line);
      isStack = true;
    } else {
      entries.push([line]);
      isStack = isPosition;
    }
  }
  return entries.map(entry => entry.join('\n'));
}
