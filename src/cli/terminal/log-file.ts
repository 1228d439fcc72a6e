import {constants} from 'node:fs';
import {type FileHandle, lstat, open, realpath} from 'node:fs/promises';
import {dirname} from 'node:path';
import {codeOf, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {isHeld, type RenameDeps, renameOver, SYSTEM_RENAME} from '../../core/files/directory.ts';
import {describeOwner, findOwnProblem, ownUserId, PRIVATE_FILE_MODE} from '../../core/files/own.ts';

/** Size at which a log file is renamed and a new one begins, in bytes: some 30,000 lines, which editors still open. */
const FILE_BYTES = 5 * 1024 ** 2;

/** Number of older files that are kept beside a log file, as `NAME.1`, the newest, to `NAME.4`. */
const OLDER_FILES = 4;

/** Maximum size of lines that wait for the disk, in bytes. Later ones are dropped: a disk that stands still must not fill the memory. */
const WAITING_BYTES_MAX = 1024 ** 2;

export interface LogFileOptions {
  /** Called once if the file can no longer be written. */
  readonly onFailure: (error: Error) => void;
  /** @default {5242880} */
  readonly fileBytes?: number;
  /** @default {The operating system} */
  readonly renaming?: RenameDeps;
}

/**
 * Opens a log file, which only its user can read. It is renamed when it is full; the oldest one is deleted. On Windows a full one grows on
 * while a viewer holds it, and waits as `NAME.0` while one holds `NAME.1`.
 *
 * @throws {AppError} `unwritable-output`.
 */
export async function openLogFile(
  path: string,
  {onFailure, fileBytes = FILE_BYTES, renaming = SYSTEM_RENAME}: LogFileOptions,
): Promise<RotatedFile> {
  await createPrivately(path);
  return new RotatedFile(path, {onFailure, fileBytes, renaming});
}

/** A file of log lines. Disposing of it writes the lines that wait. */
class RotatedFile implements AsyncDisposable {
  readonly #path: string;
  readonly #options: Required<LogFileOptions>;
  #lines: string[] = [];
  #waitingBytes = 0;
  #missed = 0;
  #file: FileHandle | undefined;
  #sizeBytes = 0;
  /** Size at which the file is renamed. */
  #fullBytes: number;
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(path: string, options: Required<LogFileOptions>) {
    this.#path = path;
    this.#options = options;
    this.#fullBytes = options.fileBytes;
  }

  /** Appends a line. Never fails: a file that fails is reported once, and no longer written. */
  write(line: string): void {
    if (this.#hasFailed) return;
    if (this.#waitingBytes + line.length > WAITING_BYTES_MAX) {
      this.#missed++;
      return;
    }
    if (this.#missed > 0)
      this.#append(`${JSON.stringify({level: 'error', message: 'lines not logged', count: this.#missed})}\n`);
    this.#missed = 0;
    this.#append(line);
    this.#writing ??= this.#writeLines();
  }

  #append(line: string): void {
    this.#lines.push(line);
    this.#waitingBytes += line.length;
  }

  async #writeLines(): Promise<void> {
    try {
      while (this.#lines.length > 0) {
        this.#file ??= await this.#open();
        if (this.#sizeBytes >= this.#fullBytes) this.#file = await this.#rotate(this.#file);
        const text = this.#takeLines();
        await this.#file.appendFile(text);
        this.#waitingBytes -= text.length;
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#lines = [];
      this.#options.onFailure(error as Error);
    } finally {
      this.#writing = undefined;
    }
  }

  /** Takes the lines that wait until the file is full. */
  #takeLines(): string {
    let count = 0;
    for (; count < this.#lines.length && this.#sizeBytes < this.#fullBytes; count++)
      this.#sizeBytes += Buffer.byteLength(this.#lines[count] ?? '');
    return this.#lines.splice(0, count).join('');
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#path, 'a', PRIVATE_FILE_MODE);
    this.#sizeBytes = (await file.stat()).size;
    return file;
  }

  /** Renames the full file and the older ones. @returns The file that is written next. */
  async #rotate(file: FileHandle): Promise<FileHandle> {
    const {fileBytes, renaming} = this.#options;
    this.#file = undefined;
    await file.close();
    try {
      // One of an attempt before, whose target was held.
      await this.#shift();
      await renameOver(this.#path, this.#nameOf(0), renaming);
      await this.#shift();
    } catch (error) {
      if (!isHeld(error, renaming.platform) && codeOf(error) !== 'ENOENT') throw error;
    }
    const next = await this.#open();
    // After a file that is held, the next attempt comes when as much was written again.
    this.#fullBytes = this.#sizeBytes >= fileBytes ? this.#sizeBytes + fileBytes : fileBytes;
    return next;
  }

  /** Makes `NAME.0`, if there is one, the newest of the older files. These move up only then, and only as far as a number is free. */
  async #shift(): Promise<void> {
    let count = 0;
    while (count < OLDER_FILES && (await exists(this.#nameOf(count)))) count++;
    for (; count > 0; count--) await renameOver(this.#nameOf(count - 1), this.#nameOf(count), this.#options.renaming);
  }

  #nameOf(count: number): string {
    return `${this.#path}.${count}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
  }
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
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
    throw unwritableOutput(path, problem, {cause: error});
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
