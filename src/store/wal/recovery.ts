import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Revision} from '../../domain/entry.ts';
import {decodeBlock, type FoundBlock, findMagic} from './wal-record.ts';
import {JOURNAL_FILE_BYTES, JOURNAL_FILES, type RecordPlace} from './write-ahead-log.ts';

/** What a journal holds that the tree has not. */
export interface JournalContent {
  /** Commits without a gap, in their order: the first one follows the last that the tree has. */
  readonly blocks: readonly PlacedBlock[];
  /** Why commits that were acknowledged are not among them; undefined when all are. */
  readonly damage: string | undefined;
  /** Whether there is any file of it. */
  readonly isThere: boolean;
}

/** A block, and where it stands. */
export interface PlacedBlock extends FoundBlock {
  readonly place: RecordPlace;
}

/** What of a journal belongs to a tree. */
export interface JournalTree {
  /** The last revision that the tree has. */
  readonly settled: Revision;
  /** As `logId` of the metadata of the store. */
  readonly logId: string | undefined;
}

/** What the failures for a journal that cannot be used end with. */
const WITHOUT = `${JOURNAL_FILES.join(' and ')} the store is as it was before them`;

/**
 * Reads what a store that was not closed left in its journal. A block that was cut off at the end was never
 * acknowledged: each is written only once the one before it is on disk, so there is at most one.
 */
export async function readJournal(storePath: string, {settled, logId}: JournalTree): Promise<JournalContent> {
  const files = await Promise.all(JOURNAL_FILES.map(name => readIfThere(join(storePath, name))));
  const found = JOURNAL_FILES.flatMap((name, index) => findBlocks(name, files[index] ?? Buffer.alloc(0), settled));
  found.sort((a, b) => a.first - b.first);
  const blocks = found.slice(0, countConnected(found, settled));
  const damage = findForeign(found, logId) ?? findCut(files, logId) ?? findGap(found, settled);
  return {blocks, damage, isThere: files.some(file => file !== undefined)};
}

/** How many blocks follow each other, and the tree, without a gap. */
function countConnected(blocks: readonly FoundBlock[], settled: Revision): number {
  const end = blocks.findIndex(({first}, index) => first !== (blocks[index - 1]?.last ?? settled) + 1);
  return end === -1 ? blocks.length : end;
}

/** A journal of another store, or of another state of this one, is none of this tree, however well its revisions fit. */
function findForeign(blocks: readonly FoundBlock[], logId: string | undefined): string | undefined {
  const foreign = blocks.find(({storeId}) => storeId !== logId);
  if (foreign === undefined) return undefined;
  return `its write-ahead log (${JOURNAL_FILES.join(', ')}) was written for other files than data.mdb beside it, with the commits ${foreign.first} to ${blocks.at(-1)?.last}; put those files back, or move the log away and start once with --new-store-id`;
}

function findGap(blocks: readonly FoundBlock[], settled: Revision): string | undefined {
  const end = countConnected(blocks, settled);
  if (end === blocks.length) return undefined;
  const missing = (blocks[end - 1]?.last ?? settled) + 1;
  return `its journal lacks the commits ${missing} to ${(blocks[end]?.first ?? missing) - 1}; without its files ${WITHOUT}`;
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

/** Files are made one after the other, each as large as it will ever be, and of zeros; the tree names a journal once both are there. */
function findCut(files: readonly (Buffer | undefined)[], logId: string | undefined): string | undefined {
  const [first, second] = files;
  if (first === undefined && second === undefined) return undefined;
  if (first === undefined || second === undefined) {
    const index = first === undefined ? 0 : 1;
    return logId !== undefined ? `its file ${JOURNAL_FILES[index]} is missing; without ${WITHOUT}` : undefined;
  }
  const isBeingMade = logId === undefined && first.length === JOURNAL_FILE_BYTES && first.every(byte => byte === 0);
  const index = isBeingMade ? -1 : files.findIndex(file => file !== undefined && file.length < JOURNAL_FILE_BYTES);
  if (index === -1) return undefined;
  return `its file ${JOURNAL_FILES[index]} has ${files[index]?.length} bytes and should have ${JOURNAL_FILE_BYTES}; without ${WITHOUT}`;
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
