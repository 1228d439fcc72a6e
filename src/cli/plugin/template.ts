import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {provideOwnPackages} from '../npm/own-packages.ts';

/** The folder that `crewroom plugin new` copies: a plugin that works, with its own names. */
const TEMPLATE = fileURLToPath(new URL('../../../templates/plugin', import.meta.url));

/** Names that the copy of the template gets. */
export interface TemplateNames {
  /** Such as `my-plugin`. */
  readonly name: string;
  /** Such as `com.example.my-plugin`. */
  readonly id: string;
  /** For people, such as `My plugin`. */
  readonly title: string;
}

/** Names of the template. They are replaced in one pass: a name of the copy may contain one of them, such as `my-new-plugin`. */
const OWN_NAMES = /com\.example\.new-plugin|new-plugin|New plugin/g;

/** Packages of ours, in the `package.json` of the template. */
const OWN_PACKAGES = /"(crewroom(?:-[a-z-]+)?)": "0\.0\.0"/g;

/** Only this user may write to a plugin, whatever the umask is: others are refused. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/**
 * Copies the template into a folder, which may exist, with the packages of ours that npm does not have. Overwrites nothing.
 *
 * @returns The paths of the files in the folder, with slashes, in order.
 */
export async function copyTemplate(folder: string, names: TemplateNames): Promise<readonly string[]> {
  const own = await provideOwnPackages(await readOwnPackages());
  const specifiers = new Map(own.map(({name, specifier}) => [name, specifier]));
  const replace = (text: string): string =>
    replaceNames(text, names).replace(OWN_PACKAGES, (_, name: string) => `"${name}": "${specifiers.get(name)}"`);
  const files = own.flatMap(({file}) => file ?? []);
  const entries = await readdir(TEMPLATE, {recursive: true, withFileTypes: true});
  for (const entry of entries.filter(each => each.isFile())) {
    const source = join(entry.parentPath, entry.name);
    const bytes = await readFile(source);
    const path = targetOf(source.slice(TEMPLATE.length + 1));
    files.push({path, bytes: path.endsWith('.png') ? bytes : Buffer.from(replace(bytes.toString()))});
  }
  for (const {path, bytes} of files) {
    await mkdir(dirname(join(folder, path)), {recursive: true, mode: FOLDER_MODE});
    await writeFile(join(folder, path), bytes, {flag: 'wx', mode: FILE_MODE});
  }
  return files.map(({path}) => path).sort();
}

/** Returns the names of the packages of ours that the template needs. */
async function readOwnPackages(): Promise<readonly string[]> {
  const text = await readFile(join(TEMPLATE, 'package.json'), 'utf8');
  return Array.from(text.matchAll(OWN_PACKAGES), ([, name = '']) => name);
}

/** Returns the path of a file in the copy, with slashes: npm leaves `.gitignore` out of packages. */
function targetOf(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path.replaceAll('\\', '/');
}

function replaceNames(text: string, {id, name, title}: TemplateNames): string {
  const named: Readonly<Record<string, string>> = {
    'com.example.new-plugin': id,
    'new-plugin': name,
    'New plugin': title,
  };
  return text.replace(OWN_NAMES, own => named[own] ?? own);
}
