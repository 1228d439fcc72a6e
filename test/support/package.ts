import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {AppError} from '../../src/core/failures/app-error.ts';
import type {AnyFailure} from '../../src/core/failures/failure.ts';
import {openPackage, unpack} from '../../src/plugins/package/plugin-package.ts';
import {makeTemporaryDirectory} from './service.ts';

/** Creates a directory that is removed after the test. */
export async function makeHome(): Promise<string> {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

/** Opens and unpacks a package. @returns The failure, if any. */
export async function unpackAll(path: string, folder: string): Promise<AnyFailure | undefined> {
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
): Promise<{readonly failure: AnyFailure | undefined; readonly folder: string}> {
  const home = await makeHome();
  await writeFile(join(home, 'a.zip'), archive);
  const folder = join(home, 'out', 'plugin');
  return {failure: await unpackAll(join(home, 'a.zip'), folder), folder};
}
