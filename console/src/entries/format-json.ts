/** A token of JSON, with the white space before it. */
const TOKEN = /[ \t\n\r]*("(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+)/g;

/** Indentation of one level. */
const INDENT = '  ';

/** Longest text that is laid out, in UTF-16 units: the indentation of deep values is 256 times as long as they are. */
export const LAID_OUT_MAX = 4 * 1024 * 1024;

/**
 * Lays out a JSON text on lines. Only white space between tokens changes: numbers, strings, and members of equal names keep their texts.
 *
 * @param text Valid JSON.
 * @returns The text as it is, if it would become longer than {@link LAID_OUT_MAX}.
 */
export function formatJson(text: string): string {
  const parts: string[] = [];
  let [depth, length] = [0, 0];
  let previous = '';
  for (const [, token = ''] of text.matchAll(TOKEN)) {
    const closes = token === ']' || token === '}';
    if (closes) depth--;
    // An empty array or object stays on its line.
    const isEmpty = closes && (previous === '[' || previous === '{');
    const begins = !isEmpty && (closes || previous === '[' || previous === '{' || previous === ',');
    const space = previous === ':' ? ' ' : begins ? `\n${INDENT.repeat(depth)}` : '';
    length += space.length + token.length;
    if (length > LAID_OUT_MAX) return text;
    parts.push(space, token);
    if (token === '[' || token === '{') depth++;
    previous = token;
  }
  return parts.join('');
}

/** Returns the text in which a stored value is shown: one on a single line is laid out, any other one is as it is. @param text Valid JSON. */
export function readableJson(text: string): string {
  return /[\n\r]/.test(text) ? text : formatJson(text);
}

/** White space after commas and colons, in values on one line: of JavaScript, of Python, and between the two. */
const LINE_STYLES = [
  {',': ',', ':': ':'},
  {',': ', ', ':': ': '},
  {',': ',', ':': ': '},
] as const;

/**
 * Puts a JSON text on one line, with the white space of another one, as far as that has any rule. Only white space between tokens changes.
 *
 * @param text Valid JSON.
 */
export function toOneLine(text: string, like: string): string {
  const [compact] = LINE_STYLES;
  const style = LINE_STYLES.find(each => joinTokens(like, each) === like) ?? compact;
  return joinTokens(text, style);
}

function joinTokens(text: string, style: (typeof LINE_STYLES)[number]): string {
  return Array.from(text.matchAll(TOKEN), ([, token = '']) =>
    token === ',' || token === ':' ? style[token] : token,
  ).join('');
}

/** Returns why a text is not JSON, or undefined if it is. The service has further limits, which it reports. */
export function findJsonProblem(text: string): string | undefined {
  if (text.trim() === '') return 'The value is empty; a value is any JSON, also null';
  try {
    JSON.parse(text);
    return;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
