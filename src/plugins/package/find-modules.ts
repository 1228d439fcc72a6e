import {readFile, realpath, stat} from 'node:fs/promises';
import {createRequire, isBuiltin} from 'node:module';
import {join, relative, sep} from 'node:path';
import {isHostModule, isMissing} from '../background/runtime/modules/host-module-names.ts';
import {BACKGROUND_FILE} from '../directory/folder-state.ts';

/** A module that cannot be loaded once the plugin is installed. */
export interface ModuleProblem {
  /** File that loads it, by its path in the folder of the plugin. */
  readonly file: string;
  /** Name of the module, as written in the file. */
  readonly module: string;
  /** `outside` if it was found outside of the folder, and so is not installed with the plugin. */
  readonly kind: 'missing' | 'outside';
}

/** Maximum number of files of a background that are read. */
const FILES_MAX = 1000;

/** Largest file that is read, in bytes. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Finds modules that the background loads and that will not resolve. Searches the text of its files, without running them.
 * Files in `node_modules` are not read: their packages declare what they need.
 *
 * @param folder Real path of the folder of the plugin.
 */
export async function findModuleProblems(folder: string): Promise<readonly ModuleProblem[]> {
  const problems: ModuleProblem[] = [];
  const files = new Set([join(folder, BACKGROUND_FILE)]);
  // The loop adds to the set.
  for (const file of files) {
    for (const module of await readModules(file)) {
      const path = await resolveModule(module, file);
      const kind =
        path === undefined ? 'missing' : path.startsWith(folder + sep) || path === '' ? undefined : 'outside';
      if (kind !== undefined) problems.push({file: relative(folder, file), module, kind});
      else if (path !== undefined && isSource(path) && files.size < FILES_MAX) files.add(path);
    }
  }
  return problems;
}

/** Calls of `require` and `import` with a constant name, and `from` at the end of a declaration. */
const USES =
  /(?<![.\w$])(?:require|import)[ \t]{0,9}\([ \t]{0,9}(?<q>['"])(?<name>[^'"\\\n]{1,300})\k<q>[ \t]{0,9}[,)]|^[ \t]{0,99}(?:import|export|\})(?:[^'"\n;]{0,999}\bfrom)?[ \t]{0,9}(?<p>['"])(?<other>[^'"\\\n]{1,300})\k<p>/gm;

/** Lines that are comments as a whole, and short comments at the beginning of a line. */
const COMMENTS = /^[ \t]{0,99}(?:\/\*\*?[^*\n]{0,999}\*\/|(?:\/\/|\*).*$)/gm;

/** A `try` block before the use: bundles load optional modules in one. */
const IN_TRY = /\btry\s*\{[^{}]*$/;

/** Number of characters before a use that are searched for a `try`. */
const TRY_LENGTH = 200;

async function readModules(file: string): Promise<ReadonlySet<string>> {
  const status = await stat(file).catch(() => undefined);
  if (status?.isFile() !== true || status.size > FILE_BYTES_MAX) return new Set();
  const text = (await readFile(file, 'utf8')).replace(COMMENTS, '');
  const names = new Set<string>();
  for (const {index, groups} of text.matchAll(USES)) {
    const name = groups?.['name'] ?? groups?.['other'];
    if (name !== undefined && !IN_TRY.test(text.slice(Math.max(0, index - TRY_LENGTH), index))) names.add(name);
  }
  return names;
}

/** Resolves a module. @returns Its real path; empty for one of Node or of the host; undefined if it is missing. */
async function resolveModule(name: string, file: string): Promise<string | undefined> {
  if (isBuiltin(name)) return '';
  try {
    return await realpath(createRequire(file).resolve(name));
  } catch (error) {
    // For packages that can only be imported, `require` fails with another error.
    return isMissing(error) && !isHostModule(name) ? undefined : '';
  }
}

function isSource(path: string): boolean {
  return /\.[cm]?js$/.test(path) && !path.includes(`${sep}node_modules${sep}`);
}
