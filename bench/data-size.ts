import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';

/** Size of the unit in which file systems count blocks, in bytes. Source: stat(2). */
const BLOCK_BYTES = 512;

/** Returns the disk space of a directory: allocated blocks, not file sizes. */
export async function readSizeBytes(directory: string): Promise<number> {
  const names = await readdir(directory, {recursive: true});
  const blocks = await Promise.all(
    names.map(async name => {
      try {
        return (await stat(join(directory, name))).blocks;
      } catch {
        // A file that was deleted since the directory was read.
        return 0;
      }
    }),
  );
  return blocks.reduce((sum, each) => sum + each, 0) * BLOCK_BYTES;
}
