/**
 * A string, a punctuation mark, or anything else up to the next of these or white space (RFC 8259 section 2). A string
 * without an end is one too: nothing is read twice, whatever it is.
 */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs;

/** Writes a JSON text with a line for each member. Its parts stay as they are: a parsed number could have lost digits. */
export function indentJson(text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  let result = '';
  const breakLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const isEmpty = (before === '{' && token === '}') || (before === '[' && token === ']');
    if (token === '}' || token === ']') {
      depth--;
      result += isEmpty ? token : breakLine() + token;
    } else {
      result += before === '{' || before === '[' ? breakLine() + token : token;
      if (token === '{' || token === '[') depth++;
      else if (token === ',') result += breakLine();
      else if (token === ':') result += ' ';
    }
  }
  return result;
}

/** Writes a JSON text without white space between its parts, which stay as they are. */
export function compactJson(text: string): string {
  return (text.match(TOKEN) ?? []).join('');
}
