import {spawnSync} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import Module, {createRequire, register} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {inspect} from 'node:util';
import {hostFileOf, IMPORT_HOOKS, SDK_COMMON_JS} from '../program/places.ts';
import {memberOf} from '../values/member.ts';
import {describeThrown, messageOfThrown} from '../values/problem.ts';
import {isHostModule, isMissing, isSdk} from './host-module-names.ts';
import {resolveNow} from './import-hooks.ts';

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
    // Node goes on above a folder of this name.
    if (statSync(manifest, {throwIfNoEntry: false})?.isFile())
      return memberOf(readPackage(manifest), 'type') === 'module';
    if (folder === dirname(folder)) return false;
  }
}

/** Reads a `package.json` as Node does, which ignores a byte order mark. @throws {Error} With its path, unlike the error of its content. */
function readPackage(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${messageOfThrown(error)}`, {cause: error});
  }
}

/**
 * Provides the modules of the host to `require` of plugins that have none of their own: axios, effect, and the SDK of
 * backgrounds. `__non_webpack_require__`, which bundles no longer contain, is `require` too.
 */
function provideToRequire(file: string): void {
  const resolveInPlugin: unknown = Reflect.get(Module, '_resolveFilename');
  if (typeof resolveInPlugin !== 'function') throw new Error('This version of Node has no Module._resolveFilename');
  // Resolving in the host calls this function again, which must not recurse if the host does not have the module.
  let inHost = false;
  Reflect.set(Module, '_resolveFilename', (name: string, ...rest: readonly unknown[]): unknown => {
    try {
      return Reflect.apply(resolveInPlugin, Module, [name, ...rest]);
    } catch (error) {
      if (inHost || !isHostModule(name) || !isMissing(error)) throw error;
      if (isSdk(name)) return fileURLToPath(SDK_COMMON_JS);
      inHost = true;
      try {
        return createRequire(hostFileOf(name)).resolve(name);
      } finally {
        inHost = false;
      }
    }
  });
  Reflect.set(globalThis, '__non_webpack_require__', createRequire(file));
}

/** Provides the modules of the host to `import`. */
function provideToImport(): void {
  const registerHooks: unknown = Reflect.get(Module, 'registerHooks');
  // Node 20 has no hooks in the thread of the plugin: it starts another one for them.
  if (typeof registerHooks === 'function') Reflect.apply(registerHooks, Module, [{resolve: resolveNow}]);
  else register(IMPORT_HOOKS);
}

/** Name under which the SDK of backgrounds, also a bundled copy of it, finds the log of its host. */
const HOST_LOG = Symbol.for('crewroom.log');

/** Provides the log to the SDK of backgrounds, which sends lines to the service where there is no such log. */
function provideLog(): void {
  Reflect.set(globalThis, HOST_LOG, log);
}

/**
 * Logs a message of the plugin, on standard output or, for errors, on standard error: the service adds the id of the plugin and
 * masks secrets.
 */
function log(message: unknown, level?: unknown, error?: unknown): void {
  const text = typeof message === 'string' ? message : inspect(message);
  const line = error === undefined ? text : `${text}: ${describeThrown(error)}`;
  (level === 'error' ? process.stderr : process.stdout).write(`${line}\n`);
}

/** Longest search, in milliseconds; it takes some tens. */
const SEARCH_TIMEOUT_MS = 5000;

/** Ends the evaluation of the modules that are imported after it, which happens once all of them were parsed. */
const STOP = 'data:text/javascript,throw 0';

/**
 * Returns what Node prints about a syntax error in an ES module, or in one that it imports; it begins with the place, which the error
 * itself does not have. Evaluates nothing of the modules.
 */
export function describeSyntaxError(file: string): string {
  const program = `import ${JSON.stringify(STOP)}; import ${JSON.stringify(pathToFileURL(file).href)};`;
  const {stderr} = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: SEARCH_TIMEOUT_MS,
  });
  return stderr;
}
