/** Maximum number of files and folders in a package. A published background with its `node_modules` has some thousands. */
export const PACKAGE_FILES_MAX = 20_000;

/** Maximum size of a package, in bytes: of the archive, and of all its files together. Published plugins have a few MiB. */
export const PACKAGE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Maximum ratio of the size of the files to that of the archive. Deflate compresses code to about a fifth, and only repeated bytes,
 * as in a ZIP bomb, to a thousandth.
 */
export const PACKAGE_RATIO_MAX = 100;

/** Maximum length of a path in a package, in UTF-8 bytes: Linux allows 4096, with the directory of plugins. */
export const PACKAGE_PATH_BYTES_MAX = 512;

/** Maximum length of the name of a file or folder, in UTF-8 bytes (Linux: `NAME_MAX`). */
export const PACKAGE_NAME_BYTES_MAX = 255;

/** Maximum depth of nested folders. Nested `node_modules` reach about ten. */
export const PACKAGE_DEPTH_MAX = 32;
