import {createRequire} from 'node:module';

const manifest = createRequire(import.meta.url)('../package.json') as {version: string; private?: boolean};

/** The version of this package, as in its package.json. */
export const VERSION: string = manifest.version;

/** True if this package came from npm; false in a clone and in the folders of a release, whose package.json is private. */
export const IS_PUBLISHED: boolean = manifest.private !== true;

/** The version of the HTTP contract: changes are additive, so it grows only when a path is replaced. */
export const API_VERSION = '1';
