import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {AppError} from '../../src/failures/app-error.ts';
import type {Failure} from '../../src/failures/failure.ts';
import {openPackage} from '../../src/plugins/package/plugin-package.ts';
import {unpack} from '../../src/plugins/package/unpack.ts';
import {makeTemporaryDirectory} from './service.ts';

/** Creates a directory that is removed after the test. */
export async function makeHome(): Promise<string> {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

/** Opens and unpacks a package. @returns The failure, if any. */
export async function unpackAll(path: string, folder: string): Promise<Failure | undefined> {
  try {
    await using opened = await openPackage(path, '"a.zip"');
    await unpack(opened.files, folder, new AbortController().signal);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.failure;
    throw error;
  }
}

/** Unpacks an archive into a folder of its own. */
export async function unpackZip(
  archive: Uint8Array,
): Promise<{readonly failure: Failure | undefined; readonly folder: string}> {
  const home = await makeHome();
  await writeFile(join(home, 'a.zip'), archive);
  const folder = join(home, 'out', 'plugin');
  return {failure: await unpackAll(join(home, 'a.zip'), folder), folder};
}
