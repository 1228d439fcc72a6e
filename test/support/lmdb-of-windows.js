// The engine as the store opens it on Windows: its map begins small, and grows inside of write transactions. See vitest.windows.config.ts.
import {createRequire} from 'node:module';

const lmdb = createRequire(import.meta.url)('lmdb');

export const {version} = lmdb;

/** Opens without the size of the map that the store gives on other systems. */
export function open({mapSize: _, ...options}) {
  return lmdb.open(options);
}
