import {crc32} from 'node:zlib';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {decodeChanges, encodeChanges, encodedBytesMax, type LoggedChange} from '../format/change-encoding.ts';
import {matchesChecksum, NUMBER_BYTES, toStoredTime} from '../format/numbers.ts';

/**
 * A record of the write-ahead log holds the commits of one group; all numbers big-endian:
 *
 * | bytes | content |
 * |---|---|
 * | 0–3 | the letters `CRW2`, where a record may begin |
 * | 4–7 | CRC-32 of the rest of the header |
 * | 8–11 | size of the changes, in bytes |
 * | 12–15 | CRC-32 of the changes |
 * | 16–21 | revision of the first change |
 * | 22–27 | revision of the last change |
 * | 28–33 | time of the write by the clock of the machine, in milliseconds since the Unix epoch |
 * | 34–39 | time by the clock of the store, likewise |
 * | 40–71 | the id of the store, padded with zeros |
 * | 72– | the changes, as `change-encoding.ts` writes them, each put with its value |
 */
const MAGIC = Buffer.from('CRW2');
const ID_BYTES_MAX = 32;
const HEADER_BYTES = 72;
const AT = {
  headerChecksum: 4,
  changesBytes: 8,
  changesChecksum: 12,
  first: 16,
  last: 22,
  updatedAt: 28,
  now: 34,
  storeId: 40,
} as const;

/** Content of a record of the write-ahead log. */
export interface WalRecord {
  /** At least one change; each put has its value. */
  readonly changes: readonly LoggedChange[];
  /** Time of the write by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** Time by the clock of the store, likewise. */
  readonly nowMs: number;
  /** Id of the store that wrote the record. */
  readonly storeId: string;
}

/** The header of a record that was read from a file. */
export interface DecodedHeader extends Omit<WalRecord, 'changes'> {
  /** Revision of its first change. */
  readonly first: Revision;
  /** Revision of its last change. */
  readonly last: Revision;
  /** Position after the record in the content of the file, in bytes. */
  readonly end: number;
}

/** A record that was read from a file. */
export interface DecodedRecord extends DecodedHeader, WalRecord {}

/** Returns the maximum size of a record of some changes, in bytes. */
export function walRecordBytesMax(changes: readonly LoggedChange[]): number {
  return HEADER_BYTES + encodedBytesMax(changes);
}

/** Writes a record at the beginning of a buffer that is large enough. @returns The part that was written. */
export function encodeWalRecord({changes, updatedAtMs, nowMs, storeId}: WalRecord, buffer: Buffer): Buffer {
  const end = encodeChanges(changes, buffer, HEADER_BYTES);
  const record = buffer.subarray(0, end);
  record.set(MAGIC);
  record.writeUInt32BE(end - HEADER_BYTES, AT.changesBytes);
  record.writeUInt32BE(crc32(record.subarray(HEADER_BYTES)), AT.changesChecksum);
  record.writeUIntBE(changes[0]?.revision ?? 0, AT.first, NUMBER_BYTES);
  record.writeUIntBE(changes.at(-1)?.revision ?? 0, AT.last, NUMBER_BYTES);
  record.writeUIntBE(toStoredTime(updatedAtMs), AT.updatedAt, NUMBER_BYTES);
  record.writeUIntBE(toStoredTime(nowMs), AT.now, NUMBER_BYTES);
  record.fill(0, AT.storeId, HEADER_BYTES);
  record.write(storeId, AT.storeId, ID_BYTES_MAX, 'latin1');
  record.writeUInt32BE(crc32(record.subarray(AT.changesBytes, HEADER_BYTES)), AT.headerChecksum);
  return record;
}

/** Reads the changes of the record at a position, given its header; undefined if they are not sound. */
export function decodeWalChanges(file: Buffer, at: number, {end}: DecodedHeader): readonly LoggedChange[] | undefined {
  const start = at + HEADER_BYTES;
  if (end > file.length) return undefined;
  if (!matchesChecksum(file.subarray(at), AT.changesChecksum, file.subarray(start, end))) return undefined;
  return decodeChanges(file, start, end);
}

/** Reads the header of the record at a position; undefined if there is no sound one. */
export function decodeWalHeader(file: Buffer, at: number): DecodedHeader | undefined {
  const header = file.subarray(at, at + HEADER_BYTES);
  if (!isHeaderSound(header)) return undefined;
  return {
    first: header.readUIntBE(AT.first, NUMBER_BYTES),
    last: header.readUIntBE(AT.last, NUMBER_BYTES),
    updatedAtMs: header.readUIntBE(AT.updatedAt, NUMBER_BYTES),
    nowMs: header.readUIntBE(AT.now, NUMBER_BYTES),
    storeId: header.toString('latin1', AT.storeId).replace(/\0+$/, ''),
    end: at + HEADER_BYTES + header.readUInt32BE(AT.changesBytes),
  };
}

function isHeaderSound(header: Buffer): boolean {
  return (
    header.length === HEADER_BYTES &&
    header.subarray(0, MAGIC.length).equals(MAGIC) &&
    matchesChecksum(header, AT.headerChecksum, header.subarray(AT.changesBytes))
  );
}

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
