import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {finished} from 'node:stream/promises';
import {createStream} from 'rotating-file-stream';
import {AppError} from '../../domain/app-error.ts';
import {messageOf} from '../../domain/error-text.ts';

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

/** Options of {@link openLogFile}. */
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
  const stream = createStream(path, {size: `${fileBytes}B`, rotate: OLDER_FILES, mode: PRIVATE});
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

/** Permissions of a log file: it names keys, pilots and addresses. */
const PRIVATE = 0o600;

/** Creates the file if it is missing, and takes it from other users. Refuses what is no file, without waiting for the reader of a pipe. */
async function createPrivately(path: string): Promise<void> {
  try {
    const {O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0} = constants;
    const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, PRIVATE);
    try {
      if (!(await file.stat()).isFile()) throw new Error('it is not a file');
      await file.chmod(PRIVATE);
    } finally {
      await file.close();
    }
  } catch (error) {
    const failure = {code: 'unwritable-output', target: JSON.stringify(path), problem: messageOf(error)} as const;
    throw new AppError(failure, {cause: error});
  }
}
