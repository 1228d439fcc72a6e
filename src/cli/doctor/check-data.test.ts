import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {ownUserId} from '../../core/files/own.ts';
import {checkData} from './check-data.ts';

/** Makes an empty data directory, with a space in its name. */
async function makeDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'crewroom data-'));
  onTestFinished(() => rm(path, {recursive: true}));
  return path;
}

describe('the doctor reports who may read the data', () => {
  const machine = {
    userId: ownUserId(),
    platform: 'win32',
    environment: {USERDOMAIN: 'AIRLINE', USERNAME: 'Ada B'},
  } as const;

  test('on Windows, in the profile: only this user', async () => {
    const path = await makeDirectory();
    expect(await checkData(path, {...machine, homeDir: dirname(path)})).toContainEqual({
      check: 'Data',
      level: 'ok',
      detail: 'in your profile, which Windows keeps from other users',
    });
  });

  for (const [where, homeDir] of [
    ['beside the profile', (path: string) => `${path}-home`],
    ['if there is no profile', () => ''],
  ] as const)
    test(`on Windows, ${where}: that it did not look, and the command that lets only this user read it`, async () => {
      const path = await makeDirectory();
      expect(await checkData(path, {...machine, homeDir: homeDir(path)})).toContainEqual({
        check: 'Data',
        level: 'skipped',
        detail: `${path} is outside of your profile, and permissions of Windows are not read here: others may have some`,
        fix: `Let only you read it, unless you did already: icacls "${path}" /inheritance:r /grant:r "AIRLINE\\Ada B:(OI)(CI)F"`,
      });
    });
});
