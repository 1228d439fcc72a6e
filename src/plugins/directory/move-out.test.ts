import {existsSync} from 'node:fs';
import {mkdir, readdir, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {type MoveDeps, moveOut} from './move-out.ts';

async function makePlugin(): Promise<{readonly folder: string; readonly to: string}> {
  const home = await makeHome();
  const folder = join(home, 'plugins', 'a');
  await mkdir(folder, {recursive: true});
  await writeFile(join(folder, 'plugin.json'), '{}');
  return {folder, to: join(home, 'kept')};
}

/** Refuses to rename, as Windows does, while `isHeld` says that a file in the folder is open. */
function holding(isHeld: (folder: string) => boolean, platform: NodeJS.Platform = 'win32') {
  let attempts = 0;
  const deps: MoveDeps = {
    platform,
    rename: async (from, to) => {
      attempts++;
      if (isHeld(from)) throw Object.assign(new Error('EPERM: operation not permitted, rename'), {code: 'EPERM'});
      await rename(from, to);
    },
  };
  return {deps, attempts: () => attempts};
}

describe('moveOut()', () => {
  test('moves a folder whose background holds a file, once the service no longer finds its manifest', async () => {
    const {folder, to} = await makePlugin();
    await moveOut(folder, to, holding(from => existsSync(join(from, 'plugin.json'))).deps);
    expect(await readdir(to)).toEqual(['plugin.json']);
    expect(existsSync(folder)).toBe(false);
  });

  test('leaves the plugin as it was if the file stays held', async () => {
    const {folder, to} = await makePlugin();
    await expect(moveOut(folder, to, holding(from => from === folder).deps)).rejects.toMatchObject({code: 'EPERM'});
    expect(await readdir(folder)).toEqual(['plugin.json']);
  });

  test('gives up if the manifest stays held, which a virus scanner may do for a moment', async () => {
    const {folder, to} = await makePlugin();
    const {deps, attempts} = holding(() => true);
    await expect(moveOut(folder, to, deps)).rejects.toMatchObject({code: 'EPERM'});
    expect([attempts(), await readdir(folder)]).toEqual([2, ['plugin.json']]);
  });

  test('tries once elsewhere', async () => {
    const {folder, to} = await makePlugin();
    const {deps, attempts} = holding(() => true, 'linux');
    await expect(moveOut(folder, to, deps)).rejects.toMatchObject({code: 'EPERM'});
    expect([attempts(), await readdir(folder)]).toEqual([1, ['plugin.json']]);
  });
});
