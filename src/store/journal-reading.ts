import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Revision} from '../domain/entry.ts';
import {JOURNAL_FILE_BYTES, JOURNAL_FILES, type RecordPlace} from './journal.ts';
import {decodeBlock, type FoundBlock, findMagic} from './journal-block.ts';

/** What a journal holds that the tree has not. */
export interface JournalContent {
  /** Commits without a gap, in their order: the first one follows the last that the tree has. */
  readonly blocks: readonly PlacedBlock[];
  /** Why commits that were acknowledged are not among them; undefined when all are. */
  readonly damage: string | undefined;
}

/** A block, and where it stands. */
export interface PlacedBlock extends FoundBlock {
  readonly place: RecordPlace;
}

/**
 * Reads what a store that was not closed left in its journal. A block that was cut off at the end was never
 * acknowledged: each is written only once the one before it is on disk, so there is at most one.
 *
 * @param settled The last revision that the tree has.
 */
export async function readJournal(storePath: string, settled: Revision): Promise<JournalContent> {
  const files = await Promise.all(JOURNAL_FILES.map(name => readIfThere(join(storePath, name))));
  const found = JOURNAL_FILES.flatMap((name, index) => findBlocks(name, files[index] ?? Buffer.alloc(0), settled));
  found.sort((a, b) => a.first - b.first);
  const cut = findCut(files);
  if (cut !== undefined) return {blocks: found, damage: cut};
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
 * Every sound block of a file that the tree has not, also behind a damaged one. No key and no value can be taken for a block:
 * they have no zero bytes, and every header has some.
 */
function findBlocks(name: RecordPlace['file'], file: Buffer, settled: Revision): readonly PlacedBlock[] {
  const found: PlacedBlock[] = [];
  for (let at = findMagic(file, 0); at !== -1; ) {
    const block = decodeBlock(file, at);
    if (block !== undefined && block.first > settled)
      found.push({...block, place: {file: name, at, bytes: file.subarray(at, block.end)}});
    at = findMagic(file, block?.end ?? at + 1);
  }
  return found;
}

/** Files are made one after the other, each as large as it will ever be, and of zeros. */
function findCut(files: readonly (Buffer | undefined)[]): string | undefined {
  const [first, second] = files;
  if (first === undefined || second === undefined) return undefined;
  const isBeingMade = first.length === JOURNAL_FILE_BYTES && first.every(byte => byte === 0);
  const index = isBeingMade ? -1 : files.findIndex(file => file !== undefined && file.length < JOURNAL_FILE_BYTES);
  if (index === -1) return undefined;
  return `its file ${JOURNAL_FILES[index]} has ${files[index]?.length} bytes and should have ${JOURNAL_FILE_BYTES}; without ${JOURNAL_FILES.join(' and ')} the store is as it was before them`;
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
