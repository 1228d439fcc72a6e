import {accessSync, closeSync, constants, openSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {formatBytes} from '../../core/domain/byte-size.ts';
import {codeOf, messageOf} from '../../core/failures/app-error.ts';

/** An environment cannot be opened here; the engine would end the process, or never return. The message says why. */
export class OpeningError extends Error {
  override readonly name = 'OpeningError';
  /** True if another program holds a file, perhaps for a moment only. */
  readonly isHeld: boolean;

  constructor(message: string, {isHeld = false, ...options}: ErrorOptions & {readonly isHeld?: boolean} = {}) {
    super(message, options);
    this.isHeld = isHeld;
  }
}

/** The environment that is opened. */
export interface EnvironmentOptions {
  readonly directory: string;
  /** Reads the files and never changes them. @default {false} */
  readonly readOnly?: boolean;
}

/** Address space reserved for the file, in bytes; it grows beyond if necessary. */
export const MAP_BYTES = 4 * 1024 ** 3;

/** Address space beside the map, in bytes: a few megabytes for the engine, the rest for Node, which ends the process if it gets none. */
const OTHER_SPACE_BYTES = 256 * 1024 ** 2;

/** Number of files that the engine opens for an environment, and one to spare. */
const OPENED_FILES = 4;

/** Errors of Windows for a file that another program holds. */
const HELD_CODES: readonly unknown[] = ['EBUSY', 'EACCES', 'EPERM'];

/** Names of the engine's files. */
const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

/**
 * Throws if the engine could not open its files: after a failed opening it reads freed memory, which ends the process, or never returns
 * on Windows. Opens neither file but on Windows: closing any descriptor of `lock.mdb` would give up the record locks of this process.
 *
 * @throws {OpeningError}
 */
export function assertCanOpen(files: EnvironmentOptions, platform: NodeJS.Platform = process.platform): void {
  try {
    if (platform === 'win32') assertShortPath(files.directory);
    assertRegularFiles(files);
    if (platform === 'win32') {
      assertFilesNotHeld(files);
      return;
    }
    assertDescriptorsLeft(files.directory);
    assertLockNotHeld(files.directory);
  } catch (error) {
    throw error instanceof OpeningError ? error : new OpeningError(messageOf(error), {cause: error});
  }
  assertAddressSpaceLeft(files.directory);
}

/** Longest path of a file that the engine opens on Windows, in characters (MAX_PATH without its end); Node opens longer ones. */
const WINDOWS_PATH_MAX = 259;

function assertShortPath(directory: string): void {
  const {length} = join(directory, DATA_FILE);
  if (length <= WINDOWS_PATH_MAX) return;
  throw new OpeningError(
    `the paths of its files have ${length} characters, and Windows opens those of up to ${WINDOWS_PATH_MAX}; ` +
      'use a directory with a shorter path',
  );
}

/** Opens the files that exist, as the engine will: another program may hold them. */
function assertFilesNotHeld({directory, readOnly}: EnvironmentOptions): void {
  for (const name of [DATA_FILE, LOCK_FILE]) {
    const path = join(directory, name);
    try {
      closeSync(openSync(path, readOnly && name === DATA_FILE ? 'r' : 'r+'));
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') continue;
      const isHeld = HELD_CODES.includes(code);
      const advice = isHeld
        ? '; another program, such as a backup or a virus scanner, may hold it: end that, and try again'
        : '';
      throw new OpeningError(`${path} cannot be opened for reading and writing (${code})${advice}`, {
        isHeld,
        cause: error,
      });
    }
  }
}

function assertDescriptorsLeft(directory: string): void {
  const files: number[] = [];
  try {
    while (files.length < OPENED_FILES) files.push(openSync(directory, 'r'));
  } finally {
    for (const file of files) closeSync(file);
  }
}

function assertRegularFiles({directory, readOnly}: EnvironmentOptions): void {
  for (const name of [DATA_FILE, LOCK_FILE]) {
    const path = join(directory, name);
    const status = statSync(path, {throwIfNoEntry: false});
    if (status === undefined) continue;
    if (!status.isFile()) throw new Error(`${path} is not a regular file`);
    try {
      accessSync(path, readOnly && name === DATA_FILE ? constants.R_OK : constants.R_OK | constants.W_OK);
    } catch (error) {
      // For reading only, the engine does without locks in these two cases.
      if (!readOnly || name === DATA_FILE || !['EACCES', 'EROFS'].includes(String(codeOf(error)))) throw error;
    }
  }
}

/**
 * Throws if another program has a lock on the first byte of `lock.mdb`, for whose end the engine would wait. Another opening has one for a
 * moment. Only Linux lists the locks, and those of this container.
 */
function assertLockNotHeld(directory: string): void {
  const path = join(directory, LOCK_FILE);
  const status = statSync(path, {throwIfNoEntry: false});
  if (status === undefined) return;
  // proc_locks(5): kind, mode, access, process, device and file, first and last byte.
  const locks = readProc('locks').matchAll(/^\d+: (?:POSIX|OFDLCK) +\S+ +WRITE +(\S+) ([\da-f]+:[\da-f]+):(\d+) 0 /gm);
  for (const [, holder, device, file] of locks) {
    if (Number(file) !== status.ino || device !== deviceName(status.dev)) continue;
    // A lock that belongs to an open file, not to a process, has no number.
    const who = Number(holder) > 0 ? `process ${holder}` : 'another program';
    throw new OpeningError(`${who} has a lock on ${path}; end it, and try again`, {isHeld: true});
  }
}

/** Returns the name of a device, as /proc/locks has it. */
function deviceName(device: number): string {
  // makedev(3), for numbers of 32 bits.
  const parts = [(device >>> 8) & 0xfff, (device & 0xff) | ((device >>> 12) & 0xfff00)];
  return parts.map(each => each.toString(16).padStart(2, '0')).join(':');
}

/**
 * Throws if there is too little address space for the maps of some environments. Only Linux says what the limit is and how much is used.
 *
 * @throws {OpeningError}
 */
export function assertAddressSpaceLeft(directory: string, environments = 1): void {
  const limit = /^Max address space +(\d+)/m.exec(readProc('self/limits'))?.[1];
  if (limit === undefined) return;
  const usedKilobytes = /^VmSize:\s+(\d+) kB/m.exec(readProc('self/status'))?.[1];
  const leftBytes = Number(limit) - 1024 * Number(usedKilobytes ?? 0);
  const fileBytes = statSync(join(directory, DATA_FILE), {throwIfNoEntry: false})?.size ?? 0;
  const neededBytes = environments * Math.max(MAP_BYTES, fileBytes) + OTHER_SPACE_BYTES;
  if (leftBytes >= neededBytes) return;
  throw new OpeningError(
    `the address space of this process is limited to ${formatBytes(Number(limit))} (ulimit -v), of which ` +
      `${formatBytes(Math.max(0, leftBytes))} are left, and ${environments > 1 ? 'a store' : 'each of the two files of a store'} needs ` +
      `${formatBytes(neededBytes)}; ` +
      'raise the limit, or remove it',
  );
}

/** Returns a file of /proc; empty where there is none. */
export function readProc(name: 'locks' | `self/${'environ' | 'limits' | 'mountinfo' | 'status'}`): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}
