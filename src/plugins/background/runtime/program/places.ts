// Places of files, all named in the folder into which the build bundles the programs of a background: code in a bundle knows the place
// of the bundle only.

/** Program of the watchdog thread. */
export const WATCHDOG_THREAD = new URL('watchdog-thread.cjs', import.meta.url);

/** Hooks that resolve imports, for the thread in which Node 20 runs them. */
export const IMPORT_HOOKS = new URL('../modules/import-hooks.js', import.meta.url);

/** Folder of the bundled packages that a plugin may expect of the host. */
const HOST_PACKAGES = new URL('../../../../../dist/host-packages/', import.meta.url);

/** Returns a file of a bundled package, from which its modules are resolved: a package finds itself by its own name. */
export function hostFileOf(name: string): string {
  return new URL(`${name.split('/', 1)[0]}/index.cjs`, HOST_PACKAGES).href;
}

/** Folder of the built SDK of backgrounds: a package beside the service, in a clone and in the published package. */
const SDK = new URL('../../../../../packages/background-sdk/dist/', import.meta.url);

/** The SDK as an ES module. */
export const SDK_MODULE = new URL('index.js', SDK);

/** The SDK as CommonJS: older versions of Node cannot require ES modules. */
export const SDK_COMMON_JS = new URL('cjs/index.js', SDK);
