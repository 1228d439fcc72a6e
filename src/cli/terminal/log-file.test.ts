import {spawnSync} from 'node:child_process';
import {chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {IS_WINDOWS, shownMode} from '../../../test/support/platform.ts';
import type {RenameDeps} from '../../core/files/directory.ts';
import {openLogFile} from './log-file.ts';

const home = await mkdtemp(join(tmpdir(), 'crewroom-log-'));
afterAll(() => rm(home, {recursive: true, force: true}));

/** A user without any rights of its own. */
const OTHER_USER = 65534;

/** A new directory, with the path of a log file in it. */
async function makePlace(): Promise<{readonly directory: string; readonly path: string}> {
  const directory = await mkdtemp(join(home, 'place-'));
  return {directory, path: join(directory, 'crewroom.log')};
}

function refuse(error: Error): void {
  throw error;
}

/** Lines that fill four files of 1,000 bytes each. */
const LINES = Array.from({length: 100}, (_, index) => `${String(index).padStart(39, '.')}\n`);

describe('openLogFile()', () => {
  test('keeps the newest lines in a few files of limited size, which only their user can read', async () => {
    const {directory, path} = await makePlace();
    for (let round = 0; round < 3; round++) {
      await using file = await openLogFile(path, {onFailure: refuse, fileBytes: 1000});
      for (const line of LINES) file.write(line);
    }
    const names = (await readdir(directory)).sort();
    expect(names).toEqual(['', '.1', '.2', '.3', '.4'].map(end => `crewroom.log${end}`));
    for (const name of names) {
      const {size, mode} = await stat(join(directory, name));
      expect(size).toBeLessThanOrEqual(1000 + 40);
      expect(mode & 0o777).toBe(shownMode(0o600));
    }
    const texts = await Promise.all(names.reverse().map(name => readFile(join(directory, name), 'utf8')));
    const all = [...LINES, ...LINES, ...LINES].join('');
    expect(texts.join('').length).toBeGreaterThanOrEqual(4000);
    expect(all.endsWith(texts.join(''))).toBe(true);
  });

  test('appends to a file that it finds, and takes it from other users', async () => {
    const {path} = await makePlace();
    await writeFile(path, 'before\n');
    await chmod(path, 0o644);
    {
      await using file = await openLogFile(path, {onFailure: refuse});
      file.write('after\n');
    }
    expect(await readFile(path, 'utf8')).toBe('before\nafter\n');
    expect((await stat(path)).mode & 0o777).toBe(shownMode(0o600));
  });

  test('drops lines while the disk stands still, and counts them', async () => {
    const {path} = await makePlace();
    const line = `${'x'.repeat(300_000)}\n`;
    {
      await using file = await openLogFile(path, {onFailure: refuse});
      // No tick of the event loop between them: none can be written.
      for (let count = 0; count < 10; count++) file.write(line);
      await expect.poll(async () => (await stat(path)).size).toBe(3 * line.length);
      file.write('the last\n');
    }
    const text = await readFile(path, 'utf8');
    expect(text.endsWith('{"level":"error","message":"lines not logged","count":7}\nthe last\n')).toBe(true);
  });

  test('writes on while a viewer on Windows holds a file that is full, and renames it once it is free', async () => {
    const {directory, path} = await makePlace();
    let isHeld = true;
    const held = Object.assign(new Error('EBUSY: resource busy or locked, rename'), {code: 'EBUSY'});
    const tried: string[] = [];
    const renaming: RenameDeps = {
      platform: 'win32',
      rename: async (from, to) => {
        tried.push(from);
        if (isHeld && from === path) throw held;
        await rename(from, to);
      },
      pause: async () => {},
    };
    {
      await using file = await openLogFile(path, {onFailure: refuse, fileBytes: 1000, renaming});
      for (const line of LINES.slice(0, 60)) file.write(line);
      await expect.poll(async () => (await stat(path)).size).toBe(60 * 40);
      // Ten attempts each time, and not again with every line.
      expect(tried.filter(from => from === path)).toHaveLength(20);
      isHeld = false;
      for (const line of LINES.slice(60)) file.write(line);
    }
    const texts = await Promise.all([`${path}.1`, path].map(name => readFile(name, 'utf8')));
    expect(texts.join('')).toBe(LINES.join(''));
    expect((await readdir(directory)).sort()).toEqual(['crewroom.log', 'crewroom.log.1']);
  });

  for (const {name, end} of [
    {name: 'the file', end: ''},
    {name: 'the newest of the older files', end: '.1'},
  ]) {
    test(`loses no older file while a viewer on Windows holds ${name}, however often it is full`, async () => {
      const {directory, path} = await makePlace();
      const older = ['.1', '.2', '.3', '.4'];
      for (const each of older) await writeFile(`${path}${each}`, `older${each}\n`);
      let isHeld = true;
      const renaming: RenameDeps = {
        platform: 'win32',
        rename: async (from, to) => {
          if (isHeld && [from, to].includes(`${path}${end}`)) throw Object.assign(new Error('EBUSY'), {code: 'EBUSY'});
          await rename(from, to);
        },
        pause: async () => {},
      };
      await using file = await openLogFile(path, {onFailure: refuse, fileBytes: 1000, renaming});
      for (const line of LINES) file.write(line);
      await file[Symbol.asyncDispose]();
      const readAll = async (): Promise<string> => {
        const names = (await readdir(directory)).sort();
        return (await Promise.all(names.reverse().map(each => readFile(join(directory, each), 'utf8')))).join('');
      };
      const kept = older.slice(0, end === '' ? 4 : 3);
      for (const each of kept) expect(await readAll()).toContain(`older${each}\n`);
      isHeld = false;
      file.write('the last\n');
      await file[Symbol.asyncDispose]();
      expect((await readdir(directory)).sort()).not.toContain('crewroom.log.0');
      expect(await readFile(`${path}.1`, 'utf8')).toContain(LINES.at(-1));
      expect(await readFile(path, 'utf8')).toBe('the last\n');
    });
  }

  // Windows has one code for a directory in the place of a file and for a file that is held.
  test.skipIf(IS_WINDOWS)('reports once that the file can no longer be written, and does not fail', async () => {
    const {directory, path} = await makePlace();
    // The place of the oldest file is taken.
    await mkdir(join(directory, 'crewroom.log.4'));
    for (const count of [1, 2, 3]) await writeFile(join(directory, `crewroom.log.${count}`), '');
    const failures: Error[] = [];
    await using file = await openLogFile(path, {onFailure: error => failures.push(error), fileBytes: 10});
    for (const line of LINES.slice(0, 3)) file.write(line);
    await expect.poll(() => failures.length).toBe(1);
    file.write('one more\n');
    expect(failures).toHaveLength(1);
  });

  const refused: readonly {
    readonly name: string;
    readonly problem: RegExp;
    readonly onWindows?: boolean;
    readonly make: (path: string) => unknown;
  }[] = [
    // Linux, Windows, and Wine, which opens it.
    {name: 'a directory', onWindows: true, problem: /EISDIR|EPERM|^it is not a file$/, make: path => mkdir(path)},
    {
      name: 'a name in a missing directory',
      onWindows: true,
      problem: /ENOENT/,
      make: path => rm(join(path, '..'), {recursive: true}),
    },
    {name: 'a link', problem: /^it is a link$/, make: path => symlink(join(home, 'target'), path)},
    {name: 'a pipe, without waiting for its reader', problem: /ENXIO/, make: path => spawnSync('mkfifo', [path])},
  ];
  for (const {name, problem, make, onWindows = false} of refused) {
    test.skipIf(IS_WINDOWS && !onWindows)(`refuses ${name}`, async () => {
      const {path} = await makePlace();
      await make(path);
      await expect(openLogFile(path, {onFailure: refuse})).rejects.toMatchObject({
        failure: {code: 'unwritable-output', target: JSON.stringify(path), problem: expect.stringMatching(problem)},
      });
    });
  }

  test.skipIf(process.getuid?.() !== 0)('refuses a file of another user, and leaves it as it is', async () => {
    const {path} = await makePlace();
    await writeFile(path, '', {mode: 0o644});
    await chown(path, OTHER_USER, OTHER_USER);
    const problem = `it belongs to user ${OTHER_USER}, and this process runs as 0`;
    await expect(openLogFile(path, {onFailure: refuse})).rejects.toMatchObject({failure: {problem}});
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });
});
