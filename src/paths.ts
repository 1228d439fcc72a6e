import {join} from 'node:path';
import environmentPaths from 'env-paths';

/** Where the platform wants programs to keep their files. */
export interface PlatformPaths {
  /** Directory of the store. */
  readonly dataDir: string;
  /** The config file, which need not exist. */
  readonly configFile: string;
  /** Directory of what may be deleted at any time. */
  readonly cacheDir: string;
}

/** The places of this platform and user: on Linux those of the XDG base directories. */
export function platformPaths(): PlatformPaths {
  const {data, config, cache} = environmentPaths('crewroom', {suffix: ''});
  return {dataDir: data, configFile: join(config, 'config.json'), cacheDir: cache};
}

/** Where the snapshots of a store are: beside its directory, which is for it alone. */
export function snapshotsDirOf(dataDir: string): string {
  return `${dataDir}-snapshots`;
}
