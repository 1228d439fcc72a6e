import {constants} from 'node:fs';
import {lstat, open, realpath} from 'node:fs/promises';
import {dirname} from 'node:path';
import {finished} from 'node:stream/promises';
import {createStream} from 'rotating-file-stream';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {describeOwner, findOwnProblem, ownUserId, PRIVATE_FILE_MODE} from '../../files/own.ts';

/** Size at which a log file is renamed and a new one begins, in bytes: some 30,000 lines, which an editor still opens. */
const FILE_BYTES = 5 * 1024 ** 2;

/** Number of older files that are kept beside a log file, as `NAME.1`, the newest, to `NAME.4`. */
const OLDER_FILES = 4;

/** Maximum size of lines that wait for the disk, in bytes. Later ones are dropped: a disk that stands still must not fill the memory. */
const WAITING_BYTES_MAX = 1024 ** 2;

/** A file of log lines. Disposing of it writes the lines that wait. */
export interface LogFile extends AsyncDisposable {
  /** Appends a line. Never fails: a file that fails is reported once, and no longer written. */
  write(line: string): void;
}

export interface LogFileOptions {
  /** Called once if the file can no longer be written. */
  readonly onFailure: (error: Error) => void;
  /** @default {5242880} */
  readonly fileBytes?: number;
}

/**
 * Opens a log file, which only its user can read. It is renamed when it is full; the oldest one is deleted.
 *
 * @throws {AppError} `unwritable-output`.
 */
export async function openLogFile(path: string, {onFailure, fileBytes = FILE_BYTES}: LogFileOptions): Promise<LogFile> {
  await createPrivately(path);
  const stream = createStream(path, {size: `${fileBytes}B`, rotate: OLDER_FILES, mode: PRIVATE_FILE_MODE});
  let missed = 0;
  stream.once('error', onFailure);
  return {
    write: line => {
      if (stream.destroyed) return;
      if (stream.writableLength + line.length > WAITING_BYTES_MAX) missed++;
      else {
        if (missed > 0)
          stream.write(`${JSON.stringify({level: 'error', message: 'lines not logged', count: missed})}\n`);
        missed = 0;
        stream.write(line);
      }
    },
    [Symbol.asyncDispose]: async () => {
      stream.end();
      // A failure was reported already.
      await finished(stream).catch(() => {});
    },
  };
}

/**
 * Creates the file if it is missing, and makes it private: it names keys, pilots and addresses. Refuses what is not a file, without waiting for the reader of a pipe, and what another
 * user made: that user could read the file, or have chosen where a link leads.
 */
async function createPrivately(path: string): Promise<void> {
  try {
    if (ownUserId() === 0) await assertPlaceOfRoot(dirname(path));
    const {O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0} = constants;
    const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW, PRIVATE_FILE_MODE);
    try {
      const status = await file.stat();
      if (!status.isFile()) throw new Error('it is not a file');
      const owner = findOwnProblem(status, {forbidden: 'reading'})?.owner;
      if (owner !== undefined) throw new Error(`it ${describeOwner(owner)}`);
      await file.chmod(PRIVATE_FILE_MODE);
    } finally {
      await file.close();
    }
  } catch (error) {
    const problem = codeOf(error) === 'ELOOP' ? 'it is a link' : messageOf(error);
    throw new AppError({code: 'unwritable-output', target: JSON.stringify(path), problem}, {cause: error});
  }
}

/** Refuses a path through a directory of another user: root would follow a link to any file of the system, and take it from its user. */
async function assertPlaceOfRoot(directory: string): Promise<void> {
  for (const each of [...pathTo(directory), ...pathTo(await realpath(directory))]) {
    const owner = findOwnProblem(await lstat(each), {forbidden: 'writing', userId: 0})?.owner;
    if (owner !== undefined) throw new Error(`it is reached through ${each}, which belongs to user ${owner}`);
  }
}

/** Returns a directory, and those above it. */
function pathTo(directory: string): readonly string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...pathTo(parent), directory];
}
