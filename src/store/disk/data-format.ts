import {open, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../../domain/app-error.ts';
import {FileError, readRegularFile} from '../../files.ts';
import {type DataDirectory, FILE_MODE, FORMAT_FILE, unusableDirectory} from './data-directory.ts';

/** Version of the layout of a data directory. A directory of any other version is refused. */
export const DATA_FORMAT = 5;

/** Maximum size of the file that names the format, in bytes: a later version may write more into it than the number. */
const FORMAT_BYTES_MAX = 64 * 1024;

/**
 * Reads the format of a data directory.
 *
 * @returns Undefined if none was written yet.
 * @throws {AppError} `data-format-unsupported` if it is not {@link DATA_FORMAT}.
 */
export async function readDataFormat({path}: DataDirectory): Promise<number | undefined> {
  let text: string;
  try {
    text = (await readRegularFile(join(path, FORMAT_FILE), FORMAT_BYTES_MAX)).toString();
  } catch (error) {
    if (error instanceof FileError && error.problem === 'missing') return undefined;
    throw unusableDirectory(path, error);
  }
  const format = parseFormat(text);
  if (format === DATA_FORMAT) return format;
  const found = format === undefined ? JSON.stringify(text.slice(0, 40)) : String(format);
  throw new AppError({code: 'data-format-unsupported', directory: path, found, supported: DATA_FORMAT});
}

/** Writes {@link DATA_FORMAT} into a data directory, durably. */
export async function writeDataFormat({path}: DataDirectory): Promise<void> {
  const temporary = join(path, `${FORMAT_FILE}.new`);
  // An existing file may be a link to anywhere.
  await rm(temporary, {force: true});
  const file = await open(temporary, 'wx', FILE_MODE);
  try {
    await file.writeFile(`${JSON.stringify({format: DATA_FORMAT})}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // A reader sees the whole file or none.
  await rename(temporary, join(path, FORMAT_FILE));
}

function parseFormat(text: string): number | undefined {
  try {
    const {format} = JSON.parse(text) as {readonly format?: unknown};
    return typeof format === 'number' && Number.isInteger(format) && format >= 1 ? format : undefined;
  } catch {
    return undefined;
  }
}
