/** A token of JSON, with the white space before it. */
const TOKEN = /[ \t\n\r]*("(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+)/g;

/** Indentation of one level. */
const INDENT = '  ';

/**
 * Lays out a JSON text on lines. Only white space between tokens changes: numbers, strings, and members of equal names keep their texts.
 *
 * @param text Valid JSON.
 */
export function formatJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let previous = '';
  for (const [, token = ''] of text.matchAll(TOKEN)) {
    const closes = token === ']' || token === '}';
    if (closes) depth--;
    // An empty array or object stays on its line.
    const isEmpty = closes && (previous === '[' || previous === '{');
    if (previous === ':') parts.push(' ');
    else if (!isEmpty && (closes || previous === '[' || previous === '{' || previous === ','))
      parts.push('\n', INDENT.repeat(depth));
    parts.push(token);
    if (token === '[' || token === '{') depth++;
    previous = token;
  }
  return parts.join('');
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
