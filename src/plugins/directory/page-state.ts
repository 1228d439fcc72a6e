import {createHash} from 'node:crypto';
import {lstat, readdir} from 'node:fs/promises';
import {join} from 'node:path';

/** Maximum number of files and folders of a page that are followed. A built page has some dozens; sources of a page have some hundreds. */
const PAGE_FILES_MAX = 2000;

/**
 * Returns a text that changes with the files of the page of a plugin, without `node_modules`. Changes beyond {@link PAGE_FILES_MAX} files go unnoticed.
 *
 * @param page Folder of the page, by its path in that of the plugin.
 */
export async function readPageState(folder: string, page: string): Promise<string> {
  const state = createHash('sha256');
  let names: readonly string[] = [page];
  // Level by level, so that the files nearest to the root are followed.
  for (let left = PAGE_FILES_MAX; names.length > 0; left -= names.length) {
    const entries = await Promise.all(names.map(name => readEntry(folder, name)));
    for (const {stamp} of entries) state.update(stamp);
    names = entries.flatMap(({followed}) => followed).slice(0, left);
  }
  return state.digest('hex').slice(0, 32);
}

/** Entry of a page. */
interface PageEntry {
  /** Text that changes with a file; empty for a folder. */
  readonly stamp: string;
  /** Entries of a folder that are followed. */
  readonly followed: readonly string[];
}

async function readEntry(folder: string, name: string): Promise<PageEntry> {
  const status = await lstat(join(folder, name)).catch(() => undefined);
  if (status === undefined) return {stamp: '', followed: []};
  if (!status.isDirectory()) return {stamp: `${name} ${status.ino} ${status.size} ${status.mtimeMs}\n`, followed: []};
  const found = (await readdir(join(folder, name)).catch(() => [])).sort();
  return {stamp: '', followed: found.filter(each => each !== 'node_modules').map(each => join(name, each))};
}
