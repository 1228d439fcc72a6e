import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {TestProject} from 'vitest/node';
import {makeRelease} from '../../release/make.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the files of a release. */
    release: string;
  }
}

/** Makes a release once for all tests; `RELEASE_FILES` names the folder of one that was made before. @returns A function that removes it. */
export async function setup({provide}: TestProject): Promise<() => Promise<void>> {
  const made = process.env['RELEASE_FILES'];
  const folder = made ?? (await mkdtemp(join(tmpdir(), 'crewroom-files-')));
  const startedAtMs = Date.now();
  if (made === undefined)
    for (const {path, sizeBytes} of await makeRelease(folder))
      process.stdout.write(`${(sizeBytes / 1e6).toFixed(1)} MB ${path}\n`);
  process.stdout.write(`the release took ${Math.round((Date.now() - startedAtMs) / 1000)} s\n`);
  provide('release', folder);
  return async () => {
    if (made === undefined) await rm(folder, {recursive: true, force: true});
  };
}
