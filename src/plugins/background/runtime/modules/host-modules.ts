import Module, {createRequire, register} from 'node:module';
import {fileURLToPath} from 'node:url';
import {hostFileOf, IMPORT_HOOKS, SDK_COMMON_JS} from '../program/places.ts';
import {isHostModule, isMissing, isSdk} from './host-module-names.ts';
import {resolveNow} from './import-hooks.ts';

/**
 * Provides the modules of the host to `require` of plugins that have none of their own: axios, effect, and the SDK of
 * backgrounds. `__non_webpack_require__`, which bundles no longer contain, is `require` too.
 */
export function provideToRequire(file: string): void {
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
export function provideToImport(): void {
  const registerHooks: unknown = Reflect.get(Module, 'registerHooks');
  // Node 20 has no hooks in the thread of the plugin: it starts another one for them.
  if (typeof registerHooks === 'function') Reflect.apply(registerHooks, Module, [{resolve: resolveNow}]);
  else register(IMPORT_HOOKS);
}
