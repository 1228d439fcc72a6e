import {type FileHandle, open} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {makeDirectory} from '../../files/directory.ts';
import {PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE} from '../../files/own.ts';
import type {PackageFile} from './package-files.ts';

/**
 * Writes the files of a package into a folder that does not exist yet, for this user only: their code runs as this user. Never overwrites a file or follows a link.
 *
 * @param signal Aborted to stop between two files.
 * @throws {AppError} `invalid-package`, see `PackageFile.read()`.
 */
export async function unpack(files: readonly PackageFile[], folder: string, signal: AbortSignal): Promise<void> {
  await makeDirectory(folder);
  for (const file of files) {
    signal.throwIfAborted();
    const path = join(folder, file.path);
    await makeDirectory(dirname(path));
    await writeFile(
      await open(path, 'wx', file.isExecutable ? PRIVATE_DIRECTORY_MODE : PRIVATE_FILE_MODE),
      file.read(),
    );
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
