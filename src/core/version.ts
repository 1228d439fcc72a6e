import {readFileSync} from 'node:fs';

// Read rather than required: to resolve the name takes several times as long.
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
  readonly private?: boolean;
};

/** The version of this package, as in its package.json. */
export const VERSION: string = manifest.version;

/** True if this package came from npm; false in a clone and in release folders, whose package.json is private. */
export const IS_PUBLISHED: boolean = manifest.private !== true;
