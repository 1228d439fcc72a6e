/** Formats a JSON text with a line for each member. Tokens stay the same: a parsed number could lose digits. */
export function indentJson(text: string): string {
  const tokens = readTokens(text);
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

/** Removes the white space between the tokens of a JSON text. */
export function compactJson(text: string): string {
  return readTokens(text).join('');
}

/** The beginning of a string, a punctuation mark, or anything else up to the next of these or white space (RFC 8259 section 2). */
const TOKEN_START = /"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The tokens of a JSON text. An expression that matched whole strings would need a stack as long as the longest. */
function readTokens(text: string): readonly string[] {
  const tokens: string[] = [];
  const start = new RegExp(TOKEN_START);
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    if (found[0] === '"') start.lastIndex = findStringEnd(text, found.index);
    tokens.push(text.slice(found.index, start.lastIndex));
  }
  return tokens;
}

/** Returns the end of a string; that of the text if the string has none. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}
