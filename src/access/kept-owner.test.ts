import {randomBytes} from 'node:crypto';
import {chown, lstat, mkdir, readdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {makeTemporaryDirectory} from '../../test/support/service.ts';
import {type Log, SILENT_LOG} from '../domain/log.ts';
import {openOwner} from './kept-owner.ts';
import {readOwnerFile} from './owner-file.ts';

/** A service without a data directory, on a machine with two directories for its file. */
async function openService() {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const [session, temporary] = [join(home.path, 'session', 'crewroom'), join(home.path, 'crewroom-1000')];
  const errors: unknown[] = [];
  const log: Log = {...SILENT_LOG, error: (_, about) => void errors.push(about?.['paths'])};
  const place = {dataDir: undefined, runtimeDirs: [session, temporary]};
  const owner = openOwner({host: 'localhost', place, log, elapsedMs: () => 0, randomBytes});
  onTestFinished(() => owner[Symbol.asyncDispose]());
  const files = [join(session, 'owner-token-7172'), join(temporary, 'owner-token-7172')] as const;
  return {home: home.path, session, temporary, owner, errors, files};
}

describe.skipIf(process.platform === 'win32')('the file of the owner of a service without a data directory', () => {
  test('is in the directory of the session', async () => {
    const {session, temporary, owner, files} = await openService();
    await mkdir(join(session, '..'));
    await owner.keep(7172);
    expect(owner.isOwner(await readOwnerFile(files[0]))).toBe(true);
    await expect(lstat(temporary)).rejects.toThrow('ENOENT');
  });

  const spoiled = [
    {name: 'missing', spoil: async () => {}},
    {name: 'open to other users', spoil: (path: string) => mkdir(path, {recursive: true, mode: 0o755})},
    {
      name: 'a link',
      spoil: async (path: string) => {
        await mkdir(join(path, '..', 'target'), {recursive: true, mode: 0o700});
        await symlink('target', path);
      },
    },
  ];
  for (const {name, spoil} of spoiled) {
    test(`is in the directory for temporary files if that of the session is ${name}`, async () => {
      const {session, temporary, owner, errors, files} = await openService();
      await spoil(session);
      await owner.keep(7172);
      expect(owner.isOwner(await readOwnerFile(files[1]))).toBe(true);
      expect((await lstat(temporary)).mode & 0o777).toBe(0o700);
      expect(errors).toEqual([]);
      await owner[Symbol.asyncDispose]();
      expect(await readdir(temporary)).toEqual([]);
    });

    test(`is nowhere if both are ${name}, which is logged`, async () => {
      const {home, session, temporary, owner, errors, files} = await openService();
      await spoil(session);
      // A link that leads nowhere.
      if (name === 'missing') await symlink(join(home, 'nothing'), temporary);
      else await spoil(temporary);
      await owner.keep(7172);
      expect(errors).toEqual([files]);
      for (const file of files) expect(await readOwnerFile(file)).toBeUndefined();
    });
  }

  test.runIf(process.getuid?.() === 0)('is in no directory of another user (needs root to make one)', async () => {
    const {session, owner, files} = await openService();
    await mkdir(session, {recursive: true, mode: 0o700});
    await chown(session, 65534, 65534);
    await owner.keep(7172);
    expect(await readdir(session)).toEqual([]);
    expect(owner.isOwner(await readOwnerFile(files[1]))).toBe(true);
  });
});
