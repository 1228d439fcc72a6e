import {createRequire} from 'node:module';

/** The version of this package, as in its package.json. */
export const VERSION: string = (createRequire(import.meta.url)('../package.json') as {version: string}).version;

/** The version of the HTTP contract: changes are additive, so it grows only when a path is replaced. */
export const API_VERSION = '1';
