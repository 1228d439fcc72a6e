/** Maximum number of lines of an entry: the stack of an error with its causes has some dozens. */
const LINES_MAX = 100;

/** Maximum number of lines of a message that are joined to its stack. */
const MESSAGE_LINES_MAX = 20;

/** A position in a stack, as V8 writes it. */
const POSITION = /^\s+at /;

/** A position with its line and column, or in what has none, such as `JSON.parse (<anonymous>)`: no text has it by chance. */
const EXACT_POSITION = /^\s+at .+(?::\d+:\d+\)?|\((?:<anonymous>|native|index \d+)\))(?: \{)?$/;

/** First line of an error: the name of its class, such as `TypeError [CODE]: `, also after other words of the program. */
const HEAD = /(?:^|[\s([])(?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?(?::|$)/;

/** First line of what `console.trace()` writes. */
const TRACE = /^Trace(?::|$)/;

/** Line after a stack that belongs to it: further members of an error, and its causes. */
const AFTER_POSITION = /^(?:\s|[}\]])/;

/**
 * Joins the lines of a stack, and those of the members of its error, to the line before them. A program writes a stack at once, so that its lines are
 * read together. So are those of a message of several lines, if the first one names the class of its error: for other messages nothing shows
 * where they begin.
 */
export function joinStacks(lines: readonly string[]): readonly string[] {
  const entries: string[][] = [];
  let isStack = false;
  for (const line of lines) {
    const entry = entries.at(-1);
    const isPosition = POSITION.test(line);
    if (entry !== undefined && entry.length < LINES_MAX && (isPosition || (isStack && AFTER_POSITION.test(line)))) {
      if (!isStack && EXACT_POSITION.test(line)) joinMessage(entries);
      entries.at(-1)?.push(line);
      isStack = true;
    } else {
      entries.push([line]);
      isStack = isPosition;
    }
  }
  return entries.map(entry => entry.join('\n'));
}

/** Joins the lines of a message, which are the last ones, to the nearest that names an error, if no other stack is in between. */
function joinMessage(entries: string[][]): void {
  for (let at = entries.length - 1; at >= Math.max(0, entries.length - MESSAGE_LINES_MAX); at--) {
    const [line = '', ...others] = entries[at] ?? [];
    if (others.length > 0 || POSITION.test(line) || TRACE.test(line)) return;
    if (!HEAD.test(line)) continue;
    entries.push(entries.splice(at).flat());
    return;
  }
}
