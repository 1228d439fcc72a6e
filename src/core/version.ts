import {readFileSync} from 'node:fs';

// Read rather than required: to resolve the name takes several times as long.
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
  readonly private?: boolean;
  readonly bugs?: {readonly url: string};
};

/** The version of this package, as in its package.json. */
export const VERSION: string = manifest.version;

/** True if this package came from npm; false in a clone and in release folders, whose package.json is private. */
export const IS_PUBLISHED: boolean = manifest.private !== true;

/** Address where defects are reported, which a release sets as `bugs` of its package.json; undefined if there is none. */
export const DEFECTS_URL: string | undefined = manifest.bugs?.url;
