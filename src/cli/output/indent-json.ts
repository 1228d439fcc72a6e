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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACES: ReadonlySet<number> = unitsOf(' \t\n\r');
const MARKS: ReadonlySet<number> = unitsOf('{}[],:');

/**
 * Returns the tokens of a JSON text (RFC 8259 section 2). Uses no regular expression: one that matches whole strings needs a stack
 * as long as the longest string, and one that runs for each token is too slow for hostile texts.
 */
function readTokens(text: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (SPACES.has(unit)) {
      at++;
      continue;
    }
    const end = unit === QUOTE ? findStringEnd(text, at) : MARKS.has(unit) ? at + 1 : findWordEnd(text, at);
    tokens.push(text.slice(at, end));
    at = end;
  }
  return tokens;
}

/** Returns the end of a string; that of the text if the string has none. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1;
  for (let unit = text.charCodeAt(at); at < text.length && unit !== QUOTE; unit = text.charCodeAt(at))
    at += unit === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, text.length);
}

/** Returns the end of a number, a literal, or anything else that is not JSON. */
function findWordEnd(text: string, start: number): number {
  let at = start + 1;
  for (let unit = text.charCodeAt(at); at < text.length && !isDelimiter(unit); unit = text.charCodeAt(at)) at++;
  return at;
}

function isDelimiter(unit: number): boolean {
  return unit === QUOTE || SPACES.has(unit) || MARKS.has(unit);
}

function unitsOf(text: string): ReadonlySet<number> {
  return new Set(Array.from(text, character => character.charCodeAt(0)));
}
