import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {type RenameDeps, renameOver} from './directory.ts';

/** A system that refuses to rename, a number of times, and counts the attempts and the time between them. */
function refusing(code: string, times: number, platform: NodeJS.Platform = 'win32') {
  const counts = {attempts: 0, pausedMs: 0};
  const deps: RenameDeps = {
    platform,
    rename: async () => {
      if (counts.attempts++ < times) throw Object.assign(new Error(`${code}: refused`), {code});
    },
    pause: async ms => {
      counts.pausedMs += ms;
    },
  };
  return {deps, counts};
}

describe('renameOver()', () => {
  test('replaces a file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'crewroom-rename-'));
    onTestFinished(() => rm(directory, {recursive: true, force: true}));
    const [from, to] = [join(directory, 'new'), join(directory, 'old')];
    await writeFile(from, 'new');
    await writeFile(to, 'old');
    await renameOver(from, to);
    expect(await readFile(to, 'utf8')).toBe('new');
  });

  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    test(`tries again on Windows after ${code}, ten times within two seconds`, async () => {
      const {deps, counts} = refusing(code, 9);
      await renameOver('a', 'b', deps);
      expect(counts.attempts).toBe(10);
      expect(counts.pausedMs).toBeCloseTo(2000);
    });

    test(`fails with ${code} if Windows still refuses then`, async () => {
      const {deps, counts} = refusing(code, Infinity);
      await expect(renameOver('a', 'b', deps)).rejects.toMatchObject({code});
      expect(counts.attempts).toBe(10);
    });
  }

  for (const {code, platform} of [
    {code: 'ENOENT', platform: 'win32'},
    {code: 'ENOSPC', platform: 'win32'},
    {code: 'EPERM', platform: 'linux'},
    {code: 'EBUSY', platform: 'darwin'},
  ] as const)
    test(`fails at once with ${code} on ${platform}`, async () => {
      const {deps, counts} = refusing(code, 1, platform);
      await expect(renameOver('a', 'b', deps)).rejects.toMatchObject({code});
      expect(counts.attempts).toBe(1);
    });
});
