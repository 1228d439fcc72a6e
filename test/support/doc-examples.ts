import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

/** Root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A complete program in a docstring. */
export interface DocExample {
  /** File below `src/`. */
  readonly file: string;
  readonly code: string;
}

/** Returns the examples in docstrings of the source that are complete programs: those that import from this package. */
export function findExamples(): readonly DocExample[] {
  return readdirSync(join(ROOT, 'src'), {recursive: true, encoding: 'utf8'})
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap(file =>
      examplesIn(readFileSync(join(ROOT, 'src', file), 'utf8'))
        .filter(code => /from 'crewroom[/']/.test(code))
        .map(code => ({file, code})),
    );
}

function examplesIn(text: string): readonly string[] {
  const blocks = text.matchAll(/^ *\* @example\n *\* ```ts\n([\s\S]*?)^ *\* ```$/gm);
  return Array.from(blocks, ([, block = '']) => block.replaceAll(/^ *\* ?/gm, ''));
}

/** A function or class that an entry point exports. */
export interface PublicFunction {
  /** Such as `crewroom/client`. */
  readonly entryPoint: string;
  readonly name: string;
  /** The examples in its docstring. */
  readonly examples: readonly string[];
}

/** Returns the functions and classes of all entry points of the built package. */
export function findPublicFunctions(): readonly PublicFunction[] {
  const {exports} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | {readonly types: string}>>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : functionsOf(join(ROOT, target.types)).map(each => ({entryPoint: path.replace('.', 'crewroom'), ...each})),
  );
}

/** @param file A `.d.ts` file that exports only by `export {…} from`. */
function functionsOf(file: string): readonly Omit<PublicFunction, 'entryPoint'>[] {
  const lists = readFileSync(file, 'utf8').matchAll(/^export \{([^}]*)\} from '([^']+)';$/gm);
  return Array.from(lists).flatMap(([, names = '', source = '']) => {
    const text = readFileSync(resolve(dirname(file), source.replace(/\.[jt]s$/, '.d.ts')), 'utf8');
    return names.split(',').flatMap(each => {
      const name = each.trim();
      if (name === '') return [];
      // The docstring that ends right before the declaration; of overloads it is that of the first one.
      const declared = new RegExp(
        `(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?export declare (?:function|class) ${name}\\b`,
      ).exec(text);
      return declared === null ? [] : [{name, examples: examplesIn(declared[1] ?? '')}];
    });
  });
}
