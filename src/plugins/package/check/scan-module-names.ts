import {tokenizer, tokTypes} from 'acorn';
import {textOf} from './route-scanner.ts';

/**
 * Reads the names of modules that a program loads: constant ones in `require()`, `import` and `from`, outside of strings and comments.
 * Leaves out those directly in a `try` block, in which bundles load optional modules. In a text that is not JavaScript, finds those
 * before the error.
 */
export function scanModuleNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  /** For each open brace, whether `try` precedes it. */
  const blocks: boolean[] = [];
  let before: readonly string[] = [];
  /** Argument of a call, which is constant if the next token ends it. */
  let argument: string | undefined;
  try {
    for (const token of tokenizer(text, {ecmaVersion: 'latest', allowHashBang: true})) {
      const {type} = token;
      const word = type === tokTypes.string ? '' : text.slice(token.start, token.end);
      if (argument !== undefined && (word === ')' || word === ',')) names.add(argument);
      argument = undefined;
      if (type === tokTypes.braceL || type === tokTypes.dollarBraceL) blocks.push(before.at(-1) === 'try');
      if (type === tokTypes.braceR) blocks.pop();
      const name = type === tokTypes.string && blocks.at(-1) !== true ? textOf(token) : undefined;
      if (name !== undefined && isDeclaration(before)) names.add(name);
      else if (isCall(before)) argument = name;
      before = [...before.slice(-2), word];
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return names;
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
