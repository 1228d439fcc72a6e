import {join} from 'node:path';
import {AppError} from '../../core/failures/app-error.ts';
import {type DataDirectory, FORMAT_FILE, unusableDirectory} from './data-directory.ts';
import {writeWhole} from './file-system.ts';

/** Version of the layout of a data directory. */
export const DATA_FORMAT = 7;

/** The older version that is converted. Its records are read as they are: they have neither ids nor times of commits. Any other version is refused. */
export const CONVERTED_FORMAT = 6;

/** Maximum size of the file that names the format, in bytes: a later version may write more into it than the number. */
const FORMAT_BYTES_MAX = 64 * 1024;

/**
 * Reads the format of a data directory.
 *
 * @returns Undefined if none was written yet.
 * @throws {AppError} `data-format-unsupported` if it is neither {@link DATA_FORMAT} nor {@link CONVERTED_FORMAT}.
 */
export async function readDataFormat({files, path}: DataDirectory): Promise<number | undefined> {
  const bytes = await files.readFile(join(path, FORMAT_FILE), FORMAT_BYTES_MAX).catch(error => {
    throw unusableDirectory(path, error);
  });
  if (bytes === undefined) return undefined;
  const text = bytes.toString();
  const format = parseFormat(text);
  if (format === DATA_FORMAT || format === CONVERTED_FORMAT) return format;
  const found = format === undefined ? JSON.stringify(text.slice(0, 40)) : String(format);
  throw unsupportedFormat(path, found);
}

/** Returns the failure for a data directory of a format that is not read. */
export function unsupportedFormat(directory: string, found: string): AppError {
  return new AppError({code: 'data-format-unsupported', directory, found, supported: DATA_FORMAT});
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
  await files.syncDirectory(path);
}

function parseFormat(text: string): number | undefined {
  try {
    const {format} = JSON.parse(text) as {readonly format?: unknown};
    return typeof format === 'number' && Number.isInteger(format) && format >= 1 ? format : undefined;
  } catch {
    return undefined;
  }
}
