import {readFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';

/**
 * Returns everything that a built entry point exports, as text: for each name, in alphabetical order, its declaration without
 * comments.
 *
 * @param file A `.d.ts` file that exports only by `export {…} from` and by declarations of its own.
 */
export function describeApi(file: string): string {
  const exported = findExports(file).sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return `${exported.map(({name, declaration}) => `// ${name}\n${declaration}`).join('\n\n')}\n`;
}

interface Exported {
  readonly name: string;
  readonly declaration: string;
}

function findExports(file: string): Exported[] {
  const text = readFileSync(file, 'utf8');
  if (/^export \*/m.test(text)) throw new Error(`${file} exports everything of another file: list its exports`);
  return Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';$/gm)).flatMap(
    ([, names = '', source = '']) => {
      const declarations = readDeclarations(resolve(dirname(file), source.replace(/\.ts$/, '.d.ts')));
      return names.split(',').flatMap(each => {
        const [declared = '', name = declared] = each
          .trim()
          .replace(/^type /, '')
          .split(' as ');
        if (name === '') return [];
        const declaration = declarations.get(declared);
        if (declaration === undefined) throw new Error(`${source} does not declare ${declared}`);
        return [{name, declaration}];
      });
    },
  );
}

/** Returns the top-level declarations of a file as the compiler writes it, by their names; overloads are one text. */
function readDeclarations(file: string): ReadonlyMap<string, string> {
  const text = readFileSync(file, 'utf8').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '');
  const declarations = new Map<string, string>();
  for (const declaration of text.split(/^(?=(?:export|declare|import) )/m)) {
    const name = /^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/.exec(
      declaration,
    )?.[1];
    if (name === undefined) continue;
    const before = declarations.get(name);
    declarations.set(name, (before === undefined ? '' : `${before}\n`) + declaration.trim());
  }
  return declarations;
}
