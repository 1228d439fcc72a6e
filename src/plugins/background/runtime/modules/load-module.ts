import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {memberOf} from '../values/member.ts';
import {provideToImport, provideToRequire} from './host-modules.ts';
import {provideLog} from './plugin-log.ts';

/** Members of a background. */
const MEMBERS = ['onStart', 'onEnd', 'onSettingsUpdate', 'routes'] as const;

/** Loads the module of a background, as CommonJS or as an ES module, and returns its exports. It can load the modules of the host. */
export async function loadModule(file: string): Promise<unknown> {
  provideLog();
  provideToRequire(file);
  const exported = isEsModule(file) ? await importModule(file) : await requireModule(file);
  // Compilers export an `export default` as the member `default`, and importing such a module wraps it once more.
  const candidates = [exported, memberOf(exported, 'default'), memberOf(memberOf(exported, 'default'), 'default')];
  return candidates.find(each => MEMBERS.some(name => memberOf(each, name) !== undefined)) ?? exported;
}

async function requireModule(file: string): Promise<unknown> {
  try {
    return createRequire(file)(file);
  } catch (error) {
    // Node also detects ES modules by their syntax. One with a top-level `await` can only be imported.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_REQUIRE_ASYNC_MODULE')
      return importModule(file);
    throw error;
  }
}

function importModule(file: string): Promise<unknown> {
  provideToImport();
  return import(pathToFileURL(file).href);
}

/** Returns whether a file is an ES module by its extension, or by the type in the nearest `package.json`. */
function isEsModule(file: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.mjs');
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return memberOf(JSON.parse(readFileSync(manifest, 'utf8')), 'type') === 'module';
    if (folder === dirname(folder)) return false;
  }
}
