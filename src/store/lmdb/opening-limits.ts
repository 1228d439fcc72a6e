import {accessSync, closeSync, constants, openSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {formatBytes} from '../../domain/byte-size.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';

/** An environment cannot be opened here; the engine would end the process, or never return. The message says why. */
export class OpeningError extends Error {
  override readonly name = 'OpeningError';
}

/** The environment that is opened. */
export interface OpenedFiles {
  readonly directory: string;
  readonly readOnly: boolean;
}

/** Address space reserved for the file, in bytes; it grows beyond if necessary. */
export const MAP_BYTES = 4 * 1024 ** 3;

/** Address space beside the map, in bytes: a few megabytes for the engine, the rest for Node, which ends the process if it gets none. */
const OTHER_SPACE_BYTES = 256 * 1024 ** 2;

/** Number of files that the engine opens for an environment, and one to spare. */
const OPENED_FILES = 4;

/** Names of the engine's files. */
const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

/**
 * Throws if the engine could not open its files: after a failed opening it reads freed memory, which ends the process, or never returns
 * on Windows. Opens neither file but on Windows: closing any descriptor of `lock.mdb` would give up the record locks of this process.
 *
 * @throws {OpeningError}
 */
export function assertCanOpen(files: OpenedFiles, platform: NodeJS.Platform = process.platform): void {
  try {
    if (platform === 'win32') {
      assertNotHeld(files);
      return;
    }
    assertDescriptorsLeft(files.directory);
    assertRegularFiles(files);
  } catch (error) {
    throw error instanceof OpeningError ? error : new OpeningError(messageOf(error), {cause: error});
  }
  assertAddressSpaceLeft(files.directory);
}

/** Opens the files that exist, as the engine will: another program may hold them. */
function assertNotHeld({directory, readOnly}: OpenedFiles): void {
  for (const name of [DATA_FILE, LOCK_FILE]) {
    const path = join(directory, name);
    try {
      closeSync(openSync(path, readOnly && name === DATA_FILE ? 'r' : 'r+'));
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') continue;
      const advice = 'another program, such as a backup or a virus scanner, may hold it: end that, and try again';
      throw new OpeningError(`${path} cannot be opened for reading and writing (${code}); ${advice}`, {cause: error});
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

function assertRegularFiles({directory, readOnly}: OpenedFiles): void {
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

/** Only Linux says what the limit is and how much is used. */
function assertAddressSpaceLeft(directory: string): void {
  const limit = /^Max address space +(\d+)/m.exec(readProcess('limits'))?.[1];
  if (limit === undefined) return;
  const usedKilobytes = /^VmSize:\s+(\d+) kB/m.exec(readProcess('status'))?.[1];
  const leftBytes = Number(limit) - 1024 * Number(usedKilobytes ?? 0);
  const fileBytes = statSync(join(directory, DATA_FILE), {throwIfNoEntry: false})?.size ?? 0;
  const neededBytes = Math.max(MAP_BYTES, fileBytes) + OTHER_SPACE_BYTES;
  if (leftBytes >= neededBytes) return;
  throw new OpeningError(
    `the address space of this process is limited to ${formatBytes(Number(limit))} (ulimit -v), of which ` +
      `${formatBytes(Math.max(0, leftBytes))} are left, and a store needs ${formatBytes(neededBytes)} for each of its two files; ` +
      'raise the limit, or remove it',
  );
}

/** Returns a file about this process; empty where there is none. */
export function readProcess(name: 'limits' | 'status' | 'environ' | 'mountinfo'): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    return '';
  }
}
