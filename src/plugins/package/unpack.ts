import {type FileHandle, open} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {makeDirectory} from '../../files/directory.ts';
import type {PackageFile} from './package-files.ts';

/** Only this user may change the files, whose code runs as this user, or read them. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const PROGRAM_MODE = 0o700;

/**
 * Writes the files of a package into a folder that does not exist yet. Never overwrites a file or follows a link.
 *
 * @param signal Aborted to stop between two files.
 * @throws {AppError} `invalid-package`, see `PackageFile.read()`.
 */
export async function unpack(files: readonly PackageFile[], folder: string, signal: AbortSignal): Promise<void> {
  await makeDirectory(folder, FOLDER_MODE);
  for (const file of files) {
    signal.throwIfAborted();
    const path = join(folder, file.path);
    await makeDirectory(dirname(path), FOLDER_MODE);
    await writeFile(await open(path, 'wx', file.isExecutable ? PROGRAM_MODE : FILE_MODE), file.read());
  }
}

async function writeFile(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
  } finally {
    await file.close();
  }
}
