import {crc32} from 'node:zlib';

/**
 * Size of a sector, in bytes: disks write each one whole or not at all, also when they lose power. Every sector of a log begins with
 * four bytes that depend on its position: of a CRC-32 over the rest, or {@link markOf} an unused one, whose rest is zeros. An
 * interrupted write leaves old and new sectors, which are all sound, so an unsound one was damaged later: a record that it held may have been
 * acknowledged, however close to the end it is.
 */
export const SECTOR_BYTES = 512;
const CHECKSUM_BYTES = 4;
const CONTENT_BYTES = SECTOR_BYTES - CHECKSUM_BYTES;

/**
 * Size of a block, in bytes. Each record begins with one: the operating system and most disks write whole blocks, so a write within
 * the last block of a record would put that record at risk again.
 */
const BLOCK_BYTES = 4096;
const SECTORS_PER_BLOCK = BLOCK_BYTES / SECTOR_BYTES;
const BLOCK_CONTENT_BYTES = SECTORS_PER_BLOCK * CONTENT_BYTES;

/** Content of an unused sector. */
const ZEROS = Buffer.alloc(CONTENT_BYTES);

/** Content of a file of a log. */
export interface SectorContent {
  /** Content of all sectors, without their checksums. */
  readonly content: Buffer;
  /** Positions in the file of the sectors that are damaged, in bytes, in their order. */
  readonly damagedAt: readonly number[];
}

/** Returns the bytes of a file that a record takes. */
export function sealedBytes(recordBytes: number): number {
  return Math.ceil(recordBytes / BLOCK_CONTENT_BYTES) * BLOCK_BYTES;
}

/** Returns the position in a file of a position in its content that begins a block, in bytes. */
export function sealedPosition(at: number): number {
  return (at / BLOCK_CONTENT_BYTES) * BLOCK_BYTES;
}

/** Returns the first position in the content of a file, from a position on, at which a record may begin. */
export function nextBeginning(at: number): number {
  return Math.ceil(at / BLOCK_CONTENT_BYTES) * BLOCK_CONTENT_BYTES;
}

/** Writes records into sectors of one file of a log. */
export class SectorWriter {
  readonly #file: number;

  /** @param file Number of the file in its log. */
  constructor(file: number) {
    this.#file = file;
  }

  /**
   * Writes a record into sectors at the beginning of a buffer, followed by unused sectors up to the end of its last block.
   *
   * @param at Position of the record in the file, in bytes.
   * @returns The part of the buffer that was written.
   */
  seal(record: Buffer, buffer: Buffer, at: number): Buffer {
    const first = at / SECTOR_BYTES;
    const used = Math.ceil(record.length / CONTENT_BYTES);
    buffer.fill(0, (used - 1) * SECTOR_BYTES, used * SECTOR_BYTES);
    for (let sector = 0; sector < used; sector++) {
      const start = sector * SECTOR_BYTES;
      record.copy(buffer, start + CHECKSUM_BYTES, sector * CONTENT_BYTES, (sector + 1) * CONTENT_BYTES);
      buffer.writeUInt32BE(crc32(contentAt(buffer, start), seedOf(this.#file, first + sector)), start);
    }
    const sizeBytes = sealedBytes(record.length);
    this.#clear(buffer.subarray(used * SECTOR_BYTES, sizeBytes), first + used);
    return buffer.subarray(0, sizeBytes);
  }

  /** Returns unused sectors for a position in the file, in bytes. */
  empty(at: number, sizeBytes: number): Buffer {
    const sectors = Buffer.allocUnsafe(sizeBytes);
    this.#clear(sectors, at / SECTOR_BYTES);
    return sectors;
  }

  /** Returns an unused block, which erases the record that begins at a position. */
  emptyBlock(at: number): Buffer {
    return this.empty(at, BLOCK_BYTES);
  }

  #clear(sectors: Buffer, first: number): void {
    sectors.fill(0);
    for (let start = 0; start < sectors.length; start += SECTOR_BYTES)
      sectors.writeUInt32BE(markOf(this.#file, first + start / SECTOR_BYTES), start);
  }
}

/**
 * Reads the content of a file of a log.
 *
 * @param number Number of the file in its log.
 * @param sizeBytes Size that the file should have; sectors that it lacks are damaged.
 */
export function unseal(file: Buffer, number: number, sizeBytes: number): SectorContent {
  const sectors = Math.floor(sizeBytes / SECTOR_BYTES);
  const content = Buffer.alloc(sectors * CONTENT_BYTES);
  const damagedAt: number[] = [];
  for (let sector = 0; sector < sectors; sector++) {
    const start = sector * SECTOR_BYTES;
    const isThere = start + SECTOR_BYTES <= file.length;
    if (isThere && isUnused(file, start, markOf(number, sector))) continue;
    if (isThere) file.copy(content, sector * CONTENT_BYTES, start + CHECKSUM_BYTES, start + SECTOR_BYTES);
    const isSound = isThere && crc32(contentAt(file, start), seedOf(number, sector)) === file.readUInt32BE(start);
    if (!isSound) damagedAt.push(start);
  }
  return {content, damagedAt};
}

function contentAt(sectors: Buffer, start: number): Buffer {
  return sectors.subarray(start + CHECKSUM_BYTES, start + SECTOR_BYTES);
}

/**
 * Returns the first four bytes of an unused sector, as a number. Not a checksum: a log has thousands of unused sectors, and to compute as
 * many would delay its creation and its recovery. Not zero, since the factor is odd.
 */
function markOf(file: number, sector: number): number {
  return Math.imul(seedOf(file, sector), 0x9e37_79b1) >>> 0;
}

function isUnused(file: Buffer, start: number, mark: number): boolean {
  return file.readUInt32BE(start) === mark && ZEROS.compare(file, start + CHECKSUM_BYTES, start + SECTOR_BYTES) === 0;
}

/** Returns the initial value of a checksum, so that a sector at a wrong place is not sound. Not zero, or one of zeros would be. */
function seedOf(file: number, sector: number): number {
  return (file + 1) * 0x100_0000 + sector;
}
