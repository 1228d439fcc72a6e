import {mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {makeWhole} from '../../release/whole.ts';

async function makePlace(): Promise<{readonly folder: string; readonly place: string}> {
  const folder = await mkdtemp(join(tmpdir(), 'crewroom-whole-'));
  onTestFinished(() => rm(folder, {recursive: true, force: true}));
  const place = join(folder, 'files');
  await mkdir(place);
  await writeFile(join(place, 'earlier'), '');
  return {folder, place};
}

/** Writes a file, as a release does one after the other. */
async function writeInto(folder: string, name: string): Promise<void> {
  await mkdir(folder, {recursive: true});
  await writeFile(join(folder, name), name);
}

test('a release replaces an earlier one, of which nothing stays', async () => {
  const {folder, place} = await makePlace();
  await writeInto(`${place}.unfinished`, 'killed');
  expect(await makeWhole(place, into => writeInto(into, 'later').then(() => 7))).toBe(7);
  expect(await readdir(folder)).toEqual(['files']);
  expect(await readdir(place)).toEqual(['later']);
  expect(await readFile(join(place, 'later'), 'utf8')).toBe('later');
});

test('a release that fails half-way leaves nothing, and the earlier one stays', async () => {
  const {folder, place} = await makePlace();
  const failing = makeWhole(place, async into => {
    await writeInto(into, 'half');
    throw new Error('makensis failed');
  });
  await expect(failing).rejects.toThrow('makensis failed');
  expect(await readdir(folder)).toEqual(['files']);
  expect(await readdir(place)).toEqual(['earlier']);
});
