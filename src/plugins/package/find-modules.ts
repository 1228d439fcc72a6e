import {readFile, realpath, stat} from 'node:fs/promises';
import {createRequire, isBuiltin} from 'node:module';
import {join, relative, sep} from 'node:path';
import {isHostModule, isMissing} from '../background/runtime/modules/host-module-names.ts';
import {BACKGROUND_ENTRY, BACKGROUND_FOLDER} from '../directory/plugin-halves.ts';
import {copyPart} from './check/finding.ts';
import {scanModuleNames} from './check/scan-module-names.ts';

/** A module that cannot be loaded once the plugin is installed. */
export interface ModuleProblem {
  /** File that loads it, by its path in the folder of the plugin. */
  readonly file: string;
  /** Line in that file, from 1. */
  readonly line: number;
  /** Name of the module, as written in the file. */
  readonly module: string;
  /** `outside` if it was found outside of the folder, and so is not installed with the plugin. */
  readonly kind: 'missing' | 'outside';
}

/** Maximum number of files of a background that are read. */
const FILES_MAX = 1000;

/** Largest file that is read, in bytes. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Maximum number of problems; the rest would not be read. */
const PROBLEMS_MAX = 50;

/**
 * Finds modules that the background loads and that will not resolve. Reads the tokens of its files, without running them.
 * Files in `node_modules` are not read: their packages declare what they need.
 *
 * @param folder Real path of the folder of the plugin.
 * @param background Folder of the background, by its path in that folder.
 */
export async function findModuleProblems(folder: string, background: string): Promise<readonly ModuleProblem[]> {
  const problems: ModuleProblem[] = [];
  // What a build wrote is packed alone.
  const packed = (background === BACKGROUND_FOLDER ? folder : join(folder, background)) + sep;
  const files = new Set([join(folder, background, BACKGROUND_ENTRY)]);
  // The loop adds to the set.
  for (const file of files) {
    for (const [module, line] of await readModules(file)) {
      const path = await resolveModule(module, file);
      const isFound = path === '' || isHostModule(module) || path?.startsWith(packed) === true;
      const kind = isFound ? undefined : path === undefined ? 'missing' : 'outside';
      if (kind !== undefined)
        problems.push({file: relative(folder, file).replaceAll(sep, '/'), line, module: copyPart(module), kind});
      else if (path !== undefined && isSource(path) && files.size < FILES_MAX) files.add(path);
      if (problems.length === PROBLEMS_MAX) return problems;
    }
  }
  return problems;
}

async function readModules(file: string): Promise<ReadonlyMap<string, number>> {
  const status = await stat(file).catch(() => undefined);
  if (status?.isFile() !== true || status.size > FILE_BYTES_MAX) return new Map();
  return scanModuleNames(await readFile(file, 'utf8'));
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
