import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {createUser, onDriveZ, until} from './machine.ts';

const user = await createUser();
const DATA = ['AppData', 'Local', 'crewroom', 'Data'] as const;

/** Actions of other programs that the holder of a file allows. */
const READ = 1;
const READ_AND_WRITE = 3;

const releases: (() => Promise<void>)[] = [];
const releaseAll = async (): Promise<void> => {
  for (const release of releases.splice(0)) await release();
};
afterEach(releaseAll);

/** Holds a file as another program does, until it is released. */
async function hold(names: readonly string[], shared: number): Promise<void> {
  const program = onDriveZ(join(user.windows.programs, 'hold.exe'));
  const holder = await user.spawnProgram([program, [user.home, ...names].join('\\'), String(shared), '600000']);
  releases.push(async () => {
    holder.child.kill('SIGKILL');
    await holder.finished;
  });
  await until(() => holder.said() !== '', holder.said);
  expect(holder.said()).toMatch(/^held/);
}

describe('a file that a backup or a virus scanner holds', () => {
  for (const names of [
    ['store', 'data.mdb'],
    ['store', 'lock.mdb'],
    ['lock', 'data.mdb'],
    ['lock', 'lock.mdb'],
  ])
    test(`ends a start with the name of the file: ${names.join('/')}`, async () => {
      await (await user.start()).kill();
      await hold([...DATA, ...names], READ);
      const {exitCode, stderr} = await user.run(['start', '--port', '0']);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(names.join('\\'))]);
      expect(stderr).toMatch(/EBUSY/);
    });

  test('is replaced once it is free: the token of the owner', async () => {
    await (await user.start()).kill();
    const before = readFileSync(user.file(...DATA, 'owner-token'), 'utf8');
    await hold([...DATA, 'owner-token'], READ_AND_WRITE);
    const starting = user.start();
    // The new one waits beside it; after a failure that is not tried again it would be gone at the second look.
    const isWaiting = (): boolean => readdirSync(user.file(...DATA)).some(name => name.startsWith('owner-token.'));
    await until(async () => isWaiting() && (await pause(100, isWaiting))(), String);
    await releaseAll();
    const service = await starting;
    await until(() => readFileSync(user.file(...DATA, 'owner-token'), 'utf8') !== before, service.said);
    expect(await user.run(['token', 'list', '--port', String(service.port)])).toMatchObject({exitCode: 0});
    await service.kill();
  });

  test('is named if it stays held: the target of an export', async () => {
    writeFileSync(user.file('out.ndjson'), 'old');
    const service = await user.start();
    await hold(['out.ndjson'], READ_AND_WRITE);
    const {exitCode, stderr} = await user.run(['export', 'out.ndjson', '--force', '--port', String(service.port)]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/out\.ndjson.*(EPERM|EACCES|EBUSY)/s)]);
    expect(readFileSync(user.file('out.ndjson'), 'utf8')).toBe('old');
    await service.kill();
  });

  test('does not end the log: a log file that is full, and that is renamed once it is free', async () => {
    writeFileSync(user.file('full log.txt'), `${'x'.repeat(1023)}\n`.repeat(5 * 1024));
    await hold(['full log.txt'], READ_AND_WRITE);
    const args = ['--log-file', `${user.home}\\full log.txt`];
    const service = await user.start(args);
    await until(() => readFileSync(user.file('full log.txt'), 'utf8').includes('"message":"started"'), service.said);
    await service.kill();
    await releaseAll();
    const again = await user.start(args);
    await until(() => existsSync(user.file('full log.txt.1')), again.said);
    expect(readFileSync(user.file('full log.txt.1'), 'utf8')).toContain('"message":"started"');
    await again.kill();
  });
});
