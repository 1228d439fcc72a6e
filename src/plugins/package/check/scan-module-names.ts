import {type Token, tokenizer, tokTypes} from 'acorn';

/**
 * Reads the names of modules that a program loads: constant ones in `require()`, `import` and `from`, outside of strings and comments.
 * Leaves out those directly in a `try` block, in which bundles load optional modules. In a text that is not JavaScript, finds those
 * before the error.
 *
 * @returns The lines of their first places, by name.
 */
export function scanModuleNames(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const note = (name: string, line: number): void => {
    if (!lines.has(name)) lines.set(name, line);
  };
  /** For each open brace, whether `try` precedes it. */
  const blocks: boolean[] = [];
  let before: readonly string[] = [];
  /** Argument of a call, which is constant if the next token ends it. */
  let argument: string | undefined;
  try {
    for (const token of tokenizer(text, {ecmaVersion: 'latest', allowHashBang: true, locations: true})) {
      const {type} = token;
      const line = token.loc?.start.line ?? 1;
      const word = type === tokTypes.string ? '' : text.slice(token.start, token.end);
      if (argument !== undefined && (word === ')' || word === ',')) note(argument, line);
      argument = undefined;
      if (type === tokTypes.braceL || type === tokTypes.dollarBraceL) blocks.push(before.at(-1) === 'try');
      if (type === tokTypes.braceR) blocks.pop();
      const name = type === tokTypes.string && blocks.at(-1) !== true ? textOf(token) : undefined;
      if (name !== undefined && isDeclaration(before)) note(name, line);
      else if (isCall(before)) argument = name;
      before = [...before.slice(-2), word];
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return lines;
}

/** Returns whether these tokens begin a call whose argument is the name of a module. */
function isCall(before: readonly string[]): boolean {
  const [last, word = '', object] = before.toReversed();
  return last === '(' && object !== '.' && ['require', 'import'].includes(word);
}

/** Returns whether these tokens end a declaration up to the name of a module. */
function isDeclaration(before: readonly string[]): boolean {
  const [last, word] = before.toReversed();
  return last === 'import' || (last === 'from' && word !== '.');
}

/** Returns the text of a name, a keyword or a string; undefined for any other token. */
export function textOf(token: Token): string | undefined {
  // The types of the library lack this member.
  const value: unknown = Reflect.get(token, 'value');
  return typeof value === 'string' ? value : undefined;
}
