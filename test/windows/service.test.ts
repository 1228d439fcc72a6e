import {spawnSync} from 'node:child_process';
import {cp, link, mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, expect, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {createUser, type Finished, until} from './machine.ts';

const user = await createUser();
/** A name that a shell, or a value with variables, would change. */
const FOLDER = '100% %TEMP% für alle';
const PROGRAM = [
  `${user.home}\\${FOLDER}\\node.exe`,
  `${user.home}\\${FOLDER}\\node_modules\\crewroom\\dist\\cli\\main.js`,
];
let port: number;

beforeAll(async () => {
  const {windows} = user;
  await cp(join(windows.app, 'node_modules'), user.file(FOLDER, 'node_modules'), {recursive: true});
  await link(windows.node, user.file(FOLDER, 'node.exe'));
  port = await findFreePort();
  await mkdir(user.file('AppData', 'Roaming', 'crewroom', 'Config'), {recursive: true});
  await writeFile(user.file('AppData', 'Roaming', 'crewroom', 'Config', 'config.json'), JSON.stringify({port}));
});

async function run(...args: readonly string[]): Promise<Finished> {
  return (await user.spawnProgram([...PROGRAM, ...args])).finished;
}

const isServing = async (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ok}) => ok,
    () => false,
  );

test('"crewroom service" starts it at log-on by a value of the registry, and takes back everything', async () => {
  expect(await run('service', 'status')).toMatchObject({exitCode: 3, stdout: 'not installed\n'});
  const installed = await run('service', 'install');
  expect(installed, installed.stderr).toMatchObject({exitCode: 0});
  expect(await isServing()).toBe(true);
  expect(await run('service', 'status')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('active, enabled'),
  });
  expect((await run('service', 'logs')).stdout).toContain('"message":"started"');

  expect(await run('stop')).toMatchObject({exitCode: 0});
  expect(await run('service', 'status')).toMatchObject({exitCode: 5});
  // What Windows does when a user logs in.
  spawnSync('wineboot', [], {env: user.environment, stdio: 'ignore'});
  await until(isServing, () => 'it was not started at log-on');

  expect(await run('service', 'uninstall')).toMatchObject({exitCode: 0});
  expect(await isServing()).toBe(false);
  expect(await run('service', 'status')).toMatchObject({exitCode: 3});
  spawnSync('wineboot', [], {env: user.environment, stdio: 'ignore'});
  expect(await isServing()).toBe(false);
});
