/** Names of the SDK: its own, and that of an older one which is no longer published. */
const SDK_NAMES = ['crewroom-background-sdk', '@tfdidesign/smartcars3-background-sdk'] as const;

/** Packages that plugins may expect of their host. */
const HOST_PACKAGES = ['axios', 'effect', ...SDK_NAMES] as const;

/** Returns whether a name that is imported belongs to a package of the host. */
export function isHostModule(name: string): boolean {
  return HOST_PACKAGES.some(each => name === each || name.startsWith(`${each}/`));
}

/** Returns whether a name that is imported is the SDK of backgrounds. */
export function isSdk(name: string): boolean {
  return SDK_NAMES.some(each => name === each);
}

/** Returns whether an error says that there is no such module. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND');
}
