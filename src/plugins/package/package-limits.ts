/** Most files and folders in a package. A published background with all its packages in `node_modules` has some thousands. */
export const PACKAGE_FILES_MAX = 20_000;

/** Largest size of a package, in bytes: of the archive, and of all its files together. Published plugins have a few MiB. */
export const PACKAGE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Most bytes of files for each byte of an archive. Programs and pages shrink to a fifth; deflate shrinks the same byte over and over
 * to a thousandth, which only bombs do.
 */
export const PACKAGE_RATIO_MAX = 100;

/** Longest path in a package, in UTF-8 bytes: with the directory of plugins it has to stay below the 4096 that Linux takes. */
export const PACKAGE_PATH_BYTES_MAX = 512;

/** Longest name of a file or folder, in UTF-8 bytes (Linux: `NAME_MAX`). */
export const PACKAGE_NAME_BYTES_MAX = 255;

/** Most folders within each other. Packages within packages in `node_modules` have ten. */
export const PACKAGE_DEPTH_MAX = 32;
