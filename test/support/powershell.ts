/**
 * The words that a program gets for a line in PowerShell: by the rules of about_Quoting_Rules, about_Parsing (argument mode, arguments of native
 * programs), and of the tables of characters in its source (engine/parser/CharTraits.cs, tokenizer.cs). Debian has no PowerShell.
 *
 * @throws {Error} If PowerShell would do more than pass words on: variables, operators, redirections, comments, further commands.
 */
export function splitByPowerShell(line: string): readonly string[] {
  return splitByProgram(readArguments(line).map(passOn).join(' '));
}

const SPACE = /[\t\v\f \u0085\p{Zs}]/u;
const DOUBLE = /["\u201c\u201d\u201e]/;
const SINGLE = /['\u2018-\u201b]/;
const DASH = /[-\u2013-\u2015]/;

/** Characters that end a word, or are an operator, wherever they stand outside of quotes. */
const OPERATOR = /[&|;,(){}<>\0\r\n]/;

function readArguments(line: string): readonly string[] {
  const words: string[] = [];
  for (let rest = line; rest !== ''; ) {
    const [first = '', second = ''] = rest;
    if (SPACE.test(first)) {
      rest = rest.slice(1);
      continue;
    }
    if (/[@#[]/.test(first)) throw new Error(`${first} begins something else than a word`);
    if (rest.startsWith('--%')) throw new Error('--% ends the parsing');
    const [word, read] = readWord(rest, DASH.test(first) && /[\p{L}_?]/u.test(second));
    words.push(word);
    rest = rest.slice(read);
  }
  return words;
}

/** Reads a word. One that begins like a parameter ends before a dot or a bracket: PowerShell passes it on as two. */
function readWord(text: string, isParameter: boolean): readonly [word: string, read: number] {
  let word = '';
  let at = 0;
  while (at < text.length && !SPACE.test(text.charAt(at))) {
    const character = text.charAt(at);
    if (isParameter && /[.[]/.test(character)) break;
    if (character === '$' || character === '`' || OPERATOR.test(character))
      throw new Error(`${character} is not passed on`);
    if (DOUBLE.test(character) || SINGLE.test(character)) {
      const [quoted, read] = readQuoted(text.slice(at), DOUBLE.test(character) ? DOUBLE : SINGLE);
      word += quoted;
      at += read;
    } else {
      word += character;
      at++;
    }
  }
  return [word, at];
}

function readQuoted(text: string, quote: RegExp): readonly [quoted: string, read: number] {
  let quoted = '';
  for (let at = 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote === DOUBLE && /[$`]/.test(character)) throw new Error(`${character} is expanded in double quotes`);
    if (!quote.test(character)) quoted += character;
    else if (quote.test(text.charAt(at + 1))) quoted += text.charAt(++at);
    else return [quoted, at + 1];
  }
  throw new Error('the quote is open');
}

/** Windows PowerShell drops an empty word, puts quotes around one with blanks, and escapes none in it. */
function passOn(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}

/** Splits the line that a program gets, by the rules of the C runtime ("Parsing C command-line arguments"). */
function splitByProgram(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (const [part] of line.matchAll(/\\*"|\\+|[^"\\]/g)) {
    if (part.endsWith('"')) {
      const backslashes = part.length - 1;
      word = (word ?? '') + '\\'.repeat(backslashes / 2);
      if (backslashes % 2 === 1) word += '"';
      else isQuoted = !isQuoted;
    } else if (/[ \t]/.test(part) && !isQuoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + part;
  }
  return word === undefined ? words : [...words, word];
}
