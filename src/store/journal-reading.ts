import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Revision} from '../domain/entry.ts';
import {JOURNAL_FILES} from './journal.ts';
import {decodeBlock, type FoundBlock, findMagic} from './journal-block.ts';

/** What a journal holds that the tree has not. */
export interface JournalContent {
  /** Commits without a gap, in their order: the first one follows the last that the tree has. */
  readonly blocks: readonly FoundBlock[];
  /** Why commits that were acknowledged are not among them; undefined when all are. */
  readonly damage: string | undefined;
}

/**
 * Reads what a store that was not closed left in its journal. A block that was cut off at the end was never
 * acknowledged: each is written only once the one before it is on disk, so there is at most one.
 *
 * @param settled The last revision that the tree has.
 */
export async function readJournal(storePath: string, settled: Revision): Promise<JournalContent> {
  const found: FoundBlock[] = [];
  for (const name of JOURNAL_FILES) found.push(...findBlocks(await readIfThere(join(storePath, name)), settled));
  found.sort((a, b) => a.first - b.first);
  let next = settled + 1;
  const end = found.findIndex(({first, last}) => {
    const follows = first === next;
    next = last + 1;
    return !follows;
  });
  if (end === -1) return {blocks: found, damage: undefined};
  const missing = (found[end - 1]?.last ?? settled) + 1;
  return {
    blocks: found.slice(0, end),
    damage: `its journal lacks the commits ${missing} to ${(found[end]?.first ?? missing) - 1}; without its files ${JOURNAL_FILES.join(' and ')} the store is as it was before them`,
  };
}

/**
 * Every sound block of a file that the tree has not, also behind a damaged one. No value can be taken for a block: JSON
 * texts have no zero bytes, and every header has some.
 */
function findBlocks(file: Buffer, settled: Revision): readonly FoundBlock[] {
  const found: FoundBlock[] = [];
  for (let at = findMagic(file, 0); at !== -1; ) {
    const block = decodeBlock(file, at);
    if (block !== undefined && block.first > settled) found.push(block);
    at = findMagic(file, block?.end ?? at + 1);
  }
  return found;
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
