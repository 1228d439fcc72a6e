import {randomBytes} from 'node:crypto';
import {chmod, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {IS_WINDOWS, shownMode} from '../../../test/support/platform.ts';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {ownerFile, ownerFilesOf} from './owner-file.ts';

const TOKEN = `crewroom_${'a'.repeat(43)}`;

/** Returns the path of a file in a directory that does not exist yet. */
async function place(): Promise<string> {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  return join(home.path, 'crewroom', 'owner-token-7172');
}

describe('the file of the owner', () => {
  test('is for this user only, in a directory for this user only', async () => {
    const path = await place();
    await ownerFile(path).replace(TOKEN, randomBytes);
    expect((await stat(path)).mode & 0o777).toBe(shownMode(0o600));
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(shownMode(0o700));
    expect(await ownerFile(path).read()).toBe(TOKEN);
    expect(await readdir(join(path, '..'))).toEqual(['owner-token-7172']);
  });

  test.skipIf(IS_WINDOWS)('replaces a link that is there, and does not follow it', async () => {
    const path = await place();
    await mkdir(join(path, '..'), {mode: 0o700});
    await writeFile(`${path}.target`, 'untouched', {mode: 0o644});
    await symlink(`${path}.target`, path);
    await ownerFile(path).replace(TOKEN, randomBytes);
    expect(await readFile(`${path}.target`, 'utf8')).toBe('untouched');
    expect(await ownerFile(path).read()).toBe(TOKEN);
  });

  test('replaces a file that is there', async () => {
    const path = await place();
    await ownerFile(path).replace(`crewroom_${'b'.repeat(43)}`, randomBytes);
    await ownerFile(path).replace(TOKEN, randomBytes);
    expect(await ownerFile(path).read()).toBe(TOKEN);
    expect(await readdir(join(path, '..'))).toEqual(['owner-token-7172']);
  });

  test.skipIf(IS_WINDOWS)('is neither written nor read in a directory that other users can read', async () => {
    const path = await place();
    await ownerFile(path).replace(TOKEN, randomBytes);
    await chmod(join(path, '..'), 0o755);
    await expect(ownerFile(path).replace(TOKEN, randomBytes)).rejects.toThrow('is open to other users');
    expect(await ownerFile(path).read()).toBeUndefined();
  });

  test.skipIf(IS_WINDOWS)('may be in a data directory that is a link', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    await mkdir(join(home.path, 'data'), {mode: 0o700});
    await symlink(join(home.path, 'data'), join(home.path, 'link'));
    const path = join(home.path, 'link', 'owner-token');
    await ownerFile(path).replace(TOKEN, randomBytes);
    expect(await ownerFile(path).read()).toBe(TOKEN);
    expect(await readdir(join(home.path, 'data'))).toEqual(['owner-token']);
  });

  test('leaves no other file with the token if it cannot be written', async () => {
    const path = await place();
    await mkdir(path, {recursive: true, mode: 0o700});
    await mkdir(join(path, 'in-the-way'));
    await chmod(join(path, '..'), 0o700);
    await expect(ownerFile(path).replace(TOKEN, randomBytes)).rejects.toThrow();
    expect(await readdir(join(path, '..'))).toEqual(['owner-token-7172']);
  });

  test.skipIf(IS_WINDOWS)('has no token in a directory for all users that is a link', async () => {
    const path = await place();
    await ownerFile(path).replace(TOKEN, randomBytes);
    await symlink(join(path, '..'), join(path, '..', '..', 'link'));
    const linked = ownerFile(join(path, '..', '..', 'link', 'owner-token-7172'));
    expect([await linked.read(), await ownerFile(path).read()]).toEqual([undefined, TOKEN]);
  });

  test('is one line, and may have white space around the token, up to 256 bytes', async () => {
    const path = await place();
    await ownerFile(path).replace(TOKEN, randomBytes);
    expect(await readFile(path, 'utf8')).toBe(`${TOKEN}\n`);
    const padded = `\r\n ${TOKEN}`.padEnd(256);
    await writeFile(path, padded);
    expect(await ownerFile(path).read()).toBe(TOKEN);
    await writeFile(path, `${padded} `);
    expect(await ownerFile(path).read()).toBeUndefined();
  });

  test('is in the data directory, or by the port in one of the directories for running programs', () => {
    const runtimeDirs = [join('run', 'crewroom'), join('tmp', 'crewroom-1000')];
    expect(ownerFilesOf({dataDir: 'data', runtimeDirs, port: 7172})).toEqual([join('data', 'owner-token')]);
    expect(ownerFilesOf({dataDir: undefined, runtimeDirs, port: 8080})).toEqual([
      join('run', 'crewroom', 'owner-token-8080'),
      join('tmp', 'crewroom-1000', 'owner-token-8080'),
    ]);
  });

  for (const content of ['', 'crewroom_short', `${TOKEN}a`, `x${TOKEN}`, 'a'.repeat(300)])
    test(`has no token if it contains ${JSON.stringify(content.slice(0, 20))}`, async () => {
      const path = await place();
      await ownerFile(path).replace(TOKEN, randomBytes);
      await writeFile(path, content);
      expect(await ownerFile(path).read()).toBeUndefined();
    });
});
