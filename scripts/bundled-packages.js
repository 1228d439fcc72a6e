/** Packages that plugins may expect of their host, which find them by their names. */
export const HOST_PACKAGES = ['axios', 'effect'];

/**
 * Packages that the service loads from bundles, by folder; those of one folder share a bundle. Others stay dependencies: they are small, or
 * native. The native part of lmdb stays one as well.
 */
export const BUNDLES = {
  grpc: ['@grpc/grpc-js', '@grpc/proto-loader'],
  lmdb: ['lmdb'],
  valibot: ['valibot'],
};

/** Bundles with only what the service uses of a package: each start loads them. */
export const USED_ONLY = ['valibot'];

/** Packages that only the command line uses. They exist as ES modules only, and go into its bundle. */
const COMMAND_LINE_PACKAGES = ['@bomb.sh/tab', '@clack/prompts', 'fast-string-width'];

/** All packages of the registry that the build puts into the service, without those that they bring with them. */
export const BUNDLED_PACKAGES = [...HOST_PACKAGES, ...Object.values(BUNDLES).flat(), ...COMMAND_LINE_PACKAGES];
