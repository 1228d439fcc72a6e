import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';

/** How many bytes of the unit in which file systems count blocks. Source: stat(2). */
const BLOCK_BYTES = 512;

/** How much room a directory takes on the disk: what is allocated, not how long its files say they are. */
export async function readSizeBytes(directory: string): Promise<number> {
  const names = await readdir(directory, {recursive: true});
  const blocks = await Promise.all(
    names.map(async name => {
      try {
        return (await stat(join(directory, name))).blocks;
      } catch {
        // A file for a moment only.
        return 0;
      }
    }),
  );
  return blocks.reduce((sum, each) => sum + each, 0) * BLOCK_BYTES;
}
