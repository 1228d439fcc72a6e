import {existsSync, rmSync, writeFileSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {createUser, onDriveZ, until, untilServing} from './machine.ts';

const user = await createUser();

/** A background that writes a file when it has begun, and another when it may end in an orderly way. */
const BACKGROUND = `const {writeFileSync} = require('node:fs');
const write = name => () => writeFileSync(require('node:path').join(__dirname, name), '');
module.exports = {onStart: write('begun'), onEnd: write('ended')};`;
const MANIFEST = {
  id: 'com.example.ending',
  name: 'A',
  version: '1.0.0',
  type: 'user',
  description: '',
  availableSettings: {},
};

beforeAll(async () => {
  await mkdir(user.file('plugin', 'background'), {recursive: true});
  writeFileSync(user.file('plugin', 'plugin.json'), JSON.stringify(MANIFEST));
  writeFileSync(user.file('plugin', 'background', 'index.js'), BACKGROUND);
});

describe('a service', () => {
  test('stops by Ctrl+C in a terminal', async () => {
    const port = await findFreePort();
    const service = user.spawnInTerminal([
      ...user.crewroom,
      'start',
      '--port',
      String(port),
      '--ephemeral',
      '--dev-plugin',
      'plugin',
    ]);
    await untilServing(`http://127.0.0.1:${port}`, service);
    // Then it reads keys.
    await until(() => service.said().includes('Press h'), service.said);
    // And starts no process. Wine's copy of a process that is to become another gets the key too, and stands still with it: so does the service.
    await until(() => existsSync(user.file('plugin', 'background', 'begun')), service.said);
    service.type('\u0003');
    const {exitCode, stdout} = await service.finished;
    // Not its last words: the terminal may be gone before the console of Wine has passed them on.
    expect(exitCode, stdout).toBe(0);
  });

  test('stops by "crewroom stop", and its plugins may end in good order', async () => {
    const service = await user.start(['--dev-plugin', 'plugin']);
    await until(() => service.said().includes('"plugin started"'), service.said);
    rmSync(user.file('plugin', 'background', 'ended'), {force: true});
    const stopped = await user.run(['stop', '--json', '--port', String(service.port)]);
    expect(stopped, stopped.stderr).toMatchObject({exitCode: 0, stdout: expect.stringContaining('"stopped":true')});
    const {exitCode, stderr} = await service.finished;
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('"message":"stopped"')]);
    expect(existsSync(user.file('plugin', 'background', 'ended'))).toBe(true);
  });

  test('stops by Ctrl+Break', async () => {
    const port = await findFreePort();
    const pressed = user.file('press');
    const program = onDriveZ(join(user.windows.programs, 'break.exe'));
    const args = ['start', '--port', String(port), '--ephemeral'];
    const service = await user.spawnProgram([program, `${user.home}\\press`, ...user.crewroom, ...args]);
    await untilServing(`http://127.0.0.1:${port}`, service);
    writeFileSync(pressed, '');
    const {exitCode, stdout, stderr} = await service.finished;
    expect(exitCode, stdout).toBe(0);
    expect(stderr).toContain('"message":"stopped"');
  });
});

describe('a program that does not exist', () => {
  /** The shell of Windows, whose exit code Wine's own does not have. */
  const variables = {comspec: onDriveZ(join(user.windows.programs, 'unknowncmd.exe'))};

  test('ends "crewroom run" with a message', async () => {
    const {exitCode, stderr} = await user.run(['run', '--port', '0', '--', 'nosuchprogram'], {variables});
    expect([exitCode, stderr]).toEqual([127, expect.stringContaining('there is no such program')]);
  });

  test('ends "crewroom dev" with a message', async () => {
    const {exitCode, stderr} = await user.run(['dev', 'plugin', '--port', '0', '--no-open', '--', 'nosuchprogram'], {
      variables,
    });
    expect([exitCode, stderr]).toEqual([127, expect.stringContaining('there is no such program')]);
  });
});
