import {mkdir, mkdtemp} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {TestProject} from 'vitest/node';
import {writeInstaller} from '../../release/installer.ts';
import {makeRelease, sizeOf} from '../../release/make.ts';
import {VERSION} from '../../src/core/version.ts';
import {endWithThisProcess, makePrefix, patchEngine, type Windows} from '../windows/set-up.ts';
import {execute} from './files.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the files of a release. */
    release: string;
    /** Path of the installer for Windows, of the folder that runs under Wine. */
    installer: string;
  }
}

/**
 * Makes a release and a Windows once for all tests; `RELEASE_FILES` names the folder of a release that was made before.
 *
 * @returns A function that removes both.
 */
export async function setup({provide}: TestProject): Promise<() => Promise<void>> {
  const work = await mkdtemp(join(tmpdir(), 'crewroom-files-'));
  // Without %, which starters under Wine do not bear.
  const app = join(work, 'für $alle', `crewroom-${VERSION}-win32-x64`);
  const windows: Windows = {
    work,
    prefix: join(work, 'prefix'),
    programs: join(work, 'programs'),
    node: join(app, 'node.exe'),
    app,
  };
  const end = endWithThisProcess(windows);
  try {
    const made = process.env['RELEASE_FILES'];
    const release = made ?? join(work, 'release');
    const startedAtMs = Date.now();
    const [files] = await Promise.all([made === undefined ? makeRelease(release, 0) : [], makePrefix(windows)]);
    for (const {path, sizeBytes} of files) process.stdout.write(`${(sizeBytes / 1e6).toFixed(1)} MB ${path}\n`);
    const installer = join(work, 'installer.exe');
    await unpackForWine(release, {app, installer});
    process.stdout.write(`the release and Windows took ${Math.round((Date.now() - startedAtMs) / 1000)} s\n`);
    provide('release', release);
    provide('windows', windows);
    provide('installer', installer);
    return end;
  } catch (error) {
    await end();
    throw error;
  }
}

/** Unpacks the folder for Windows, with stand-ins for what Wine lacks, and makes the same installer of it. */
async function unpackForWine(
  release: string,
  {app, installer}: {readonly app: string; readonly installer: string},
): Promise<void> {
  const archive = join(release, `crewroom-${VERSION}-win32-x64.zip`);
  await execute('sha256sum', ['--check', '--quiet', `${archive}.sha256`], {cwd: release});
  const folder = join(app, '..');
  await mkdir(folder);
  await execute('python3', ['-m', 'zipfile', '-e', archive, folder]);
  await patchEngine(join(app, 'node_modules'));
  await writeInstaller({
    folder: app,
    version: VERSION,
    sizeBytes: await sizeOf(app),
    isCompressed: false,
    to: installer,
  });
}
