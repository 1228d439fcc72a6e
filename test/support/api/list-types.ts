import {readFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';

/** The built entry point of a package. */
export interface Door {
  /** Such as `crewroom/client`. */
  readonly name: string;
  /** Its `.d.ts` file. */
  readonly file: string;
  /** Begins the names of types that only this package has; empty for those of `src/`. */
  readonly owner: string;
}

/** A declaration, and where it is. */
interface Declared {
  readonly name: string;
  readonly owner: string;
  readonly module: Module;
  readonly text: string;
}

/** A `.d.ts` file as the compiler writes it. */
interface Module {
  readonly file: string;
  /** Texts by name, without comments; overloads are one text. */
  readonly declarations: ReadonlyMap<string, string>;
  /** The file and the name in it of each name that is imported, or exported from another file. */
  readonly imported: ReadonlyMap<string, Target>;
  readonly exported: ReadonlyMap<string, Target>;
}

interface Target {
  readonly file: string;
  readonly name: string;
}

const modules = new Map<string, Module>();

/** Returns the names that a door exports, and whether each is a value at run time too. */
export function exportsOf({file}: Pick<Door, 'file'>): readonly {readonly name: string; readonly isValue: boolean}[] {
  const {exported} = readModule(file);
  const named = [...exported].map(([name, target]) => {
    const {text} = find(target, '');
    return {name, isValue: /^export declare (?:abstract )?(?:class|const|function) /m.test(text)};
  });
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Lists the declarations that doors export, and all that these mention, each once, by name. */
export function listTypes(doors: readonly Door[]): string {
  return findReachable(doors)
    .map(({owner, name, text}) => `// ${owner}${name}\n${text.replaceAll(/import\("[^"]+"\)\./g, '')}\n`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join('\n');
}

/** Returns the names that exported declarations mention, and that no door exports. */
export function findUnnamed(doors: readonly Door[]): readonly string[] {
  const exported = new Set(doors.flatMap(door => exportsOf(door).map(({name}) => `${door.owner}${name}`)));
  const names = findReachable(doors).map(({owner, name}) => `${owner}${name}`);
  return [...new Set(names)].filter(name => !exported.has(name)).sort();
}

function findReachable(doors: readonly Door[]): readonly Declared[] {
  const found = new Map<string, Declared>();
  const visit = (target: Target, owner: string): void => {
    const declared = find(target, owner);
    const id = `${owner} ${declared.name} ${declared.text}`;
    if (found.has(id)) return;
    found.set(id, declared);
    for (const each of mentionedIn(declared)) visit(each, owner);
  };
  for (const {file, owner} of doors) for (const target of readModule(file).exported.values()) visit(target, owner);
  return [...found.values()];
}

function find({file, name}: Target, owner: string): Declared {
  const module = readModule(file);
  const text = module.declarations.get(name);
  if (text !== undefined) return {name, owner, module, text};
  const target = module.exported.get(name) ?? module.imported.get(name);
  if (target === undefined) throw new Error(`${file} does not declare ${name}`);
  return find(target, owner);
}

/** Returns the declarations of our files that a declaration mentions. */
function mentionedIn({name: own, module, text}: Declared): readonly Target[] {
  const {file, declarations, imported} = module;
  const written = Array.from(text.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/g), ([, source = '', name = '']) => ({
    file: fileOf(file, source),
    name,
  }));
  // Not names of members, which may be those of functions too.
  const words = new Set(text.match(/\b[A-Za-z_]\w*\b(?!\??:)/g));
  const known = [...words].flatMap(name => {
    if (name === own) return [];
    return declarations.has(name) ? [{file, name}] : (imported.get(name) ?? []);
  });
  return [...written, ...known];
}

function readModule(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '');
  if (/^export \*/m.test(text)) throw new Error(`${file} exports everything of another file: list its exports`);
  const module = {
    file,
    declarations: readDeclarations(text),
    imported: readNames(file, text, 'import'),
    exported: readNames(file, text, 'export'),
  };
  modules.set(file, module);
  return module;
}

function readNames(file: string, text: string, keyword: 'import' | 'export'): ReadonlyMap<string, Target> {
  const clauses = text.matchAll(new RegExp(`^${keyword} (?:type )?\\{([^}]*)\\} from ['"](\\.[^'"]+)['"];$`, 'gm'));
  return new Map(
    Array.from(clauses).flatMap(([, names = '', source = '']) =>
      names
        .split(',')
        .map(each =>
          each
            .trim()
            .replace(/^type /, '')
            .split(' as '),
        )
        .filter(([name]) => name !== '')
        .map(([name = '', alias = name]) => [alias, {file: fileOf(file, source), name}] as const),
    ),
  );
}

function fileOf(from: string, source: string): string {
  return resolve(dirname(from), source.replace(/\.[jt]s$/, '.d.ts'));
}

function readDeclarations(text: string): ReadonlyMap<string, string> {
  const declarations = new Map<string, string>();
  for (const declaration of text.split(/^(?=(?:export|declare|import|interface|type) )/m)) {
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/.exec(
      declaration,
    )?.[1];
    if (name === undefined) continue;
    const before = declarations.get(name);
    declarations.set(name, (before === undefined ? '' : `${before}\n`) + declaration.trim());
  }
  return declarations;
}
