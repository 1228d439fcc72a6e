/** Name of the SDK of backgrounds, which is no longer published. */
export const SDK_NAME = '@tfdidesign/smartcars3-background-sdk';

/** Address of the replacement for this SDK. */
export const SDK_URL = new URL('background-sdk.js', import.meta.url);

/** Packages that plugins may expect of their host. */
const HOST_PACKAGES = ['axios', 'effect', SDK_NAME] as const;

/** Returns whether a name that is imported belongs to a package of the host. */
export function isHostModule(name: string): boolean {
  return HOST_PACKAGES.some(each => name === each || name.startsWith(`${each}/`));
}

/** Returns whether an error says that there is no such module. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND');
}
