import {join} from 'node:path';
import {AppError} from '../../failures/app-error.ts';
import {type DataDirectory, FORMAT_FILE, unusableDirectory} from './data-directory.ts';
import {writeWhole} from './file-system.ts';

/** Version of the layout of a data directory. A directory of any other version is refused. */
export const DATA_FORMAT = 6;

/** Maximum size of the file that names the format, in bytes: a later version may write more into it than the number. */
const FORMAT_BYTES_MAX = 64 * 1024;

/**
 * Reads the format of a data directory.
 *
 * @returns Undefined if none was written yet.
 * @throws {AppError} `data-format-unsupported` if it is not {@link DATA_FORMAT}.
 */
export async function readDataFormat({files, path}: DataDirectory): Promise<number | undefined> {
  const bytes = await files.readFile(join(path, FORMAT_FILE), FORMAT_BYTES_MAX).catch(error => {
    throw unusableDirectory(path, error);
  });
  if (bytes === undefined) return undefined;
  const text = bytes.toString();
  const format = parseFormat(text);
  if (format === DATA_FORMAT) return format;
  const found = format === undefined ? JSON.stringify(text.slice(0, 40)) : String(format);
  throw new AppError({code: 'data-format-unsupported', directory: path, found, supported: DATA_FORMAT});
}

/** Writes {@link DATA_FORMAT} into a data directory, durably. */
export async function writeDataFormat({files, path}: DataDirectory): Promise<void> {
  const temporary = join(path, `${FORMAT_FILE}.new`);
  // An existing file may be a link to anywhere.
  await files.remove(temporary);
  const file = await files.open(temporary, 'wx');
  try {
    await writeWhole(file, Buffer.from(`${JSON.stringify({format: DATA_FORMAT})}\n`), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  // A reader sees the whole file or none.
  await files.rename(temporary, join(path, FORMAT_FILE));
}

function parseFormat(text: string): number | undefined {
  try {
    const {format} = JSON.parse(text) as {readonly format?: unknown};
    return typeof format === 'number' && Number.isInteger(format) && format >= 1 ? format : undefined;
  } catch {
    return undefined;
  }
}
