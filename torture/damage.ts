import {open, readdir, readFile, truncate} from 'node:fs/promises';
import {join} from 'node:path';
import type {Random} from './random.ts';

/** Damage done to a file. */
export interface Damage {
  /** Path relative to the directory. */
  readonly file: string;
  /** Kind and place of the damage: enough to repeat it. */
  readonly what: string;
  /** Position of the first byte that is different, and the position after the last one. */
  readonly from: number;
  readonly to: number;
}

/** Page size of the disk and of the engine, in bytes. */
export const PAGE_BYTES = 4096;

/** Probability that a file with data is chosen. */
const DATA_SHARE = 0.7;

/** Approximate size of a page header, in bytes. */
const PAGE_HEAD_BYTES = 32;

/**
 * Damages one random file of a directory at a random place, most often a file with data.
 *
 * @param mark Text that files with data contain.
 * @returns The damage; the content of the file has certainly changed.
 */
export async function damageDirectory(directory: string, mark: string, random: Random): Promise<Damage> {
  const files: string[] = [];
  const filesOfData: string[] = [];
  for (const file of await listFiles(directory)) {
    const bytes = await readFile(join(directory, file));
    if (bytes.length > 0) files.push(file);
    if (bytes.includes(mark)) filesOfData.push(file);
  }
  const file = random.pick(random.chance(DATA_SHARE) ? filesOfData : files);
  const path = join(directory, file);
  const before = await readFile(path);
  for (;;) {
    const what = await random.pick(WAYS)(path, before.length, random);
    const after = await readFile(path);
    if (!before.equals(after)) return {file, what, ...differenceOf(before, after)};
  }
}

function differenceOf(before: Buffer, after: Buffer): {readonly from: number; readonly to: number} {
  const isDifferent = (_: number, at: number): boolean => before[at] !== after[at];
  return {from: before.findIndex(isDifferent), to: before.findLastIndex(isDifferent) + 1};
}

/** Lists every file below a directory, by relative path. */
export async function listFiles(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, {recursive: true, withFileTypes: true});
  return found
    .filter(each => each.isFile())
    .map(({parentPath, name}) => join(parentPath, name).slice(directory.length + 1))
    .toSorted();
}

type Way = (path: string, sizeBytes: number, random: Random) => Promise<string>;

const WAYS: readonly Way[] = [
  async path => {
    await truncate(path, 0);
    return 'emptied';
  },
  async (path, sizeBytes, random) => {
    const rest = random.integer(0, sizeBytes - 1);
    await truncate(path, rest);
    return `cut from ${sizeBytes} to ${rest} bytes`;
  },
  async (path, sizeBytes, random) => {
    const rest = random.integer(0, Math.floor((sizeBytes - 1) / PAGE_BYTES)) * PAGE_BYTES;
    await truncate(path, rest);
    return `cut from ${sizeBytes} to ${rest} bytes, at the end of a page`;
  },
  (path, sizeBytes, random) => flipBit(path, random.integer(0, sizeBytes - 1), random),
  (path, sizeBytes, random) => flipBit(path, random.integer(0, sizeBytes - 1), random),
  (path, sizeBytes, random) => {
    const page = choosePage(sizeBytes, random);
    return flipBit(path, Math.min(sizeBytes - 1, page + random.integer(0, PAGE_HEAD_BYTES - 1)), random);
  },
  async (path, sizeBytes, random) => {
    const at = choosePage(sizeBytes, random);
    await overwrite(path, at, Buffer.alloc(Math.min(PAGE_BYTES, sizeBytes - at)));
    return `a page of zeros at ${at}`;
  },
  async (path, sizeBytes, random) => {
    const at = choosePage(sizeBytes, random);
    const noise = Buffer.from(Array.from({length: Math.min(PAGE_BYTES, sizeBytes - at)}, () => random.integer(0, 255)));
    await overwrite(path, at, noise);
    return `a page of noise at ${at}`;
  },
  async (path, sizeBytes, random) => {
    const bytes = await readFile(path);
    const [from, to] = [choosePage(sizeBytes, random), choosePage(sizeBytes, random)];
    await overwrite(path, to, bytes.subarray(from, from + Math.min(PAGE_BYTES, sizeBytes - Math.max(from, to))));
    return `the page at ${from} written to ${to} as well`;
  },
];

function choosePage(sizeBytes: number, random: Random): number {
  return random.integer(0, Math.floor((sizeBytes - 1) / PAGE_BYTES)) * PAGE_BYTES;
}

async function flipBit(path: string, at: number, random: Random): Promise<string> {
  const bit = random.integer(0, 7);
  const byte = (await readFile(path)).readUInt8(at);
  await overwrite(path, at, Buffer.of(byte ^ (1 << bit)));
  return `bit ${bit} of byte ${at} flipped`;
}

async function overwrite(path: string, at: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(bytes, 0, bytes.length, at);
  } finally {
    await file.close();
  }
}
