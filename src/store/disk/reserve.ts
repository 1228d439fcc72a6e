import {randomBytes} from 'node:crypto';
import {truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {DataDirectory} from './data-directory.ts';
import {freeBytes, isFullDiskError, sizeOf, writableBytes} from './free-space.ts';

/**
 * How much of the disk is kept aside, in bytes. A deletion writes some pages of each tree before it frees
 * any, so on a full disk nothing could be deleted without it; this is enough for thousands of deletions.
 */
const RESERVE_BYTES = 1024 * 1024;

/** How much room opening and closing a store take at most, in bytes: the first pages of four files. */
const OPENING_BYTES = 256 * 1024;

/** Only whoever opens the store touches this file; its content says nothing. */
const RESERVE_FILE = 'reserve';

/** What a group of commits may write besides its operations, in bytes: some pages of each tree. */
const GROUP_OVERHEAD_BYTES = 256 * 1024;

/** With so much room, the disk does not get full within some groups, and is not asked before each of them. */
const AMPLE_BYTES = 1024 * 1024 * 1024;
const TRUSTED_GROUPS = 64;

/** And it is asked again after so long, in milliseconds: others write to it too. */
const TRUSTED_MS = 1000;

/**
 * Knows whether the disk has room before something is written to it. To try and see is not enough: the
 * engine (lmdb 3.5.6, mdb_page_flush) describes some failed writes in a text that is longer than the memory it takes for
 * it, which can end the process.
 */
export class DiskSpace {
  readonly #directory: DataDirectory;
  /** Whether the reserve is there. */
  #reserved = false;
  /** For how many groups the disk need not be asked again. */
  #trustedGroups = 0;
  #trustedUntilMs = 0;
  #isAmple = false;

  constructor(directory: DataDirectory) {
    this.#directory = directory;
  }

  /** Whether there was so much room, when the disk was asked last, that nobody fills it before it is asked again. */
  get isAmple(): boolean {
    return this.#isAmple;
  }

  /**
   * Whether so much may be written. Where it may not, the reserve is given up, so that there is room for
   * deletions, and it has to be there again before anything else is admitted.
   */
  async admits(sizeBytes: number): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#trustedGroups-- > 0 && nowMs < this.#trustedUntilMs) return true;
    this.#reserved ||= await keepReserve(this.#directory);
    if (!this.#reserved) return false;
    const free = await writableBytes(this.#directory.storePath);
    if (free < sizeBytes + GROUP_OVERHEAD_BYTES) {
      await this.releaseReserve();
      return false;
    }
    this.#isAmple = free >= AMPLE_BYTES;
    this.#trustedGroups = this.#isAmple ? TRUSTED_GROUPS : 0;
    this.#trustedUntilMs = nowMs + TRUSTED_MS;
    return true;
  }

  /** Whether there is room for so much, be it that of the reserve. */
  async holds(sizeBytes: number): Promise<boolean> {
    if (await this.admits(sizeBytes)) return true;
    await this.releaseReserve();
    return (await writableBytes(this.#directory.storePath)) >= sizeBytes;
  }

  /** Makes room for deletions, since the disk is full. */
  async releaseReserve(): Promise<void> {
    this.#reserved = false;
    this.#isAmple = false;
    this.#trustedGroups = 0;
    await truncateReserve(this.#directory);
  }
}

/**
 * Keeps the reserve, where there is room for it and as much again.
 *
 * @returns Whether it is there now.
 */
async function keepReserve({storePath}: DataDirectory): Promise<boolean> {
  const file = join(storePath, RESERVE_FILE);
  if ((await sizeOf(file)) === RESERVE_BYTES) return true;
  if ((await freeBytes(storePath)) < 2 * RESERVE_BYTES) return false;
  try {
    // Not zeros: some file systems keep no room for those.
    await writeFile(file, randomBytes(RESERVE_BYTES), {mode: 0o600});
    return true;
  } catch (error) {
    // Free room that a quota or a limit of the process does not let this user have is no room.
    if (isFullDiskError(error)) return false;
    throw error;
  }
}

/** Gives the room of the reserve back to the disk. */
async function truncateReserve({storePath}: DataDirectory): Promise<void> {
  const file = join(storePath, RESERVE_FILE);
  if ((await sizeOf(file)) > 0) await truncate(file);
}

/**
 * Makes room for opening or closing a store, from the reserve where it has to be. The engine maps its table
 * of readers into memory: where the disk has no room for it, the system ends the process.
 *
 * @returns Whether there is room.
 */
export async function makeRoom(directory: DataDirectory): Promise<boolean> {
  if ((await freeBytes(directory.storePath)) >= OPENING_BYTES) return true;
  await truncateReserve(directory);
  return (await freeBytes(directory.storePath)) >= OPENING_BYTES;
}
