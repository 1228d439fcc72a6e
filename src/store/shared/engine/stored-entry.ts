import {crc32} from 'node:zlib';
import {createEntry, type Entry, type EntryInfo} from '../../../core/domain/entries/entry.ts';
import {type Key, NO_REVISION} from '../../../core/domain/entries/identifiers.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import {copyJson} from '../../../core/json/json-text.ts';
import {decodeEntryInfo, decodeEntryRecord} from '../../format/entry-record.ts';
import {matchesChecksum, NUMBER_BYTES} from '../../format/numbers.ts';
import {sum} from '../../plan/prepare-commit.ts';
import type {Driver, KeyRange} from './driver.ts';
import {bodyKey, keyAfter, partKey} from './engine-keys.ts';
import {PairSizes, readPages, readPairs} from './range-pages.ts';

/**
 * An entry in the engine is its record, as `entry-record.ts` writes it, with its value if that is small. A larger value is its body, in a key beside
 * it. One that is larger still is in parts, which are written before the head names them and never change. Then the record has no value, and this
 * before it, all numbers big-endian:
 *
 * | bytes | content |
 * |---|---|
 * | 0 | 2, which no record begins with |
 * | 1–4 | CRC-32 of the rest of this table |
 * | 5–10 | size of the value, in bytes |
 * | 11–16 | number of its first part |
 * | 17–40 | id of the group that wrote the parts; zeros for a body |
 */
const IN_PARTS = 2;
const AT = {checksum: 1, size: 5, first: 5 + NUMBER_BYTES, group: 5 + 2 * NUMBER_BYTES, record: 41} as const;

/** Largest value in a record, in bytes: lists of keys read it too, and others take one key more. */
export const INLINE_BYTES_MAX = 256;

/** Largest body, in bytes: it is written, read and replaced with its entry, by the same request. */
export const BODY_BYTES_MAX = 4096;

const BODY_GROUP = '0'.repeat(24);

/** Largest part of a value, and size at which a request for several ends, in bytes. */
export const PART_BYTES_MAX = 512 * 1024;

/** A value that is in parts: the group that wrote them, and the number of the first one. */
export interface Parts {
  readonly group: string;
  readonly first: number;
  readonly sizeBytes: number;
}

/** An entry as the engine has it, without its value if that is in parts. */
export interface StoredEntry {
  readonly info: EntryInfo;
  readonly parts: Parts | undefined;
  readonly record: Buffer;
}

/** Returns the value of the key of an entry whose value is in parts. @param header The record of the entry, without its value. */
export function encodeInParts(header: Buffer, {group, first, sizeBytes}: Parts): Buffer {
  const stored = Buffer.alloc(AT.record + header.length);
  stored[0] = IN_PARTS;
  stored.writeUIntBE(sizeBytes, AT.size, NUMBER_BYTES);
  stored.writeUIntBE(first, AT.first, NUMBER_BYTES);
  stored.write(group, AT.group, 'latin1');
  stored.writeUInt32BE(crc32(stored.subarray(AT.size, AT.record)), AT.checksum);
  stored.set(header, AT.record);
  return stored;
}

/** Reads an entry without its value. @throws {AppError} `entry-corrupt` if a checksum fails. */
export function decodeStored(key: Key, stored: Buffer): StoredEntry {
  if (stored[0] !== IN_PARTS) return {info: decodeEntryInfo(key, stored), parts: undefined, record: stored};
  const isSound =
    stored.length > AT.record && matchesChecksum(stored, AT.checksum, stored.subarray(AT.size, AT.record));
  if (!isSound) throw new AppError({code: 'entry-corrupt', key});
  const sizeBytes = stored.readUIntBE(AT.size, NUMBER_BYTES);
  const group = stored.toString('latin1', AT.group, AT.record);
  const record = stored.subarray(AT.record);
  const info = decodeEntryInfo(key, record, record.length + sizeBytes);
  return {info, parts: {group, first: stored.readUIntBE(AT.first, NUMBER_BYTES), sizeBytes}, record};
}

/** Reads an entry without its value; if it is damaged, with a revision that no check expects, so it can be replaced. */
export function decodeState(key: Key, stored: Buffer): StoredEntry {
  try {
    return decodeStored(key, stored);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // It may have a body, which is replaced or removed with it.
    const info = {key, revision: NO_REVISION, sizeBytes: 0, updatedAtMs: 0};
    return {info, parts: bodyOf(0), record: stored};
  }
}

/** Returns what names a body, in the place of parts. */
export function bodyOf(sizeBytes: number): Parts {
  return {group: BODY_GROUP, first: 0, sizeBytes};
}

/** Returns whether a value is a body. */
export function isBody(parts: Parts | undefined): boolean {
  return parts?.group === BODY_GROUP;
}

/** Returns the keys of the body or the parts of a value, if it has any. */
export function keysOfParts(key: Key, parts: Parts | undefined): readonly string[] {
  if (parts === undefined) return [];
  if (isBody(parts)) return [bodyKey(key)];
  const {group, first, sizeBytes} = parts;
  return Array.from({length: Math.ceil(sizeBytes / PART_BYTES_MAX)}, (_, index) => partKey(group, first + index));
}

/** Returns the range of the parts of a value. */
export function rangeOfParts({group, first, sizeBytes}: Parts): KeyRange {
  return {from: partKey(group, first), to: partKey(group, first + Math.ceil(sizeBytes / PART_BYTES_MAX))};
}

/** Reads the bodies and parts of values, in the state of the engine in which their entries were found. */
export async function readParts(
  driver: Pick<Driver, 'read'>,
  entries: readonly StoredEntry[],
  at: number,
): Promise<ReadonlyMap<string, Buffer>> {
  const keys = entries.flatMap(({info, parts}) =>
    keysOfParts(info.key, parts).map(from => ({from, bytes: Math.min(parts?.sizeBytes ?? 0, PART_BYTES_MAX)})),
  );
  const pairs = await readPairs(driver, keys, at);
  return new Map(pairs.flatMap(pair => (pair === undefined ? [] : [[pair.key, pair.value]])));
}

/** Reads the same of entries that are neighbours: their bodies as a range. */
export async function readPartsOfRange(
  driver: Pick<Driver, 'read'>,
  entries: readonly StoredEntry[],
  at: number,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map(
    await readParts(
      driver,
      entries.filter(({parts}) => !isBody(parts)),
      at,
    ),
  );
  const bodies = entries.filter(({parts}) => isBody(parts));
  const keys = bodies.map(({info}) => bodyKey(info.key)).sort();
  const [from, last] = [keys[0], keys.at(-1)];
  if (from === undefined || last === undefined) return found;
  const sizes = new PairSizes(sum(bodies, ({info}) => info.key.length + info.sizeBytes) / bodies.length);
  const pages = {from, to: keyAfter(last), limit: bodies.length, at, sizes};
  for await (const {key, value} of readPages(driver, pages)) {
    found.set(key, value);
    // Not a page more: those in between are of entries that have expired.
    if (key === last) break;
  }
  return found;
}

/** Returns an entry with its value. @param found What {@link readParts} found. @throws {AppError} `entry-corrupt`. */
export function joinParts({info: {key}, parts, record}: StoredEntry, found: ReadonlyMap<string, Buffer>): Entry {
  if (parts === undefined) {
    const entry = decodeEntryRecord(key, record);
    // Its bytes are a part of an answer with other entries.
    return createEntry(entry, copyJson(entry.json));
  }
  const whole = Buffer.concat([record, ...keysOfParts(key, parts).map(part => found.get(part) ?? Buffer.alloc(0))]);
  if (whole.length !== record.length + parts.sizeBytes) throw new AppError({code: 'entry-corrupt', key});
  return decodeEntryRecord(key, whole);
}
