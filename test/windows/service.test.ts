import {cp, link, mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, expect, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {createUser, type Finished, isReady, onDriveZ, until, watchWindows} from './machine.ts';

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

function run(...args: readonly string[]): Promise<Finished> {
  return user.runProgram([...PROGRAM, ...args]);
}

const isServing = (): Promise<boolean> => isReady(`http://127.0.0.1:${port}`);

/** Does what Windows does when a user logs in. @returns The end of the command of the Run key. */
function logOn(): Promise<Finished> {
  return user.runProgram([onDriveZ(join(user.windows.programs, 'logon.exe'))]);
}

/** Installs a plugin, whose background is a program for consoles as the service is. */
async function installPlugin(): Promise<void> {
  const folder = user.file('AppData', 'Local', 'crewroom', 'Data-plugins', 'com.example.quiet');
  const manifest = {
    id: 'com.example.quiet',
    name: 'Quiet',
    version: '1.0.0',
    type: 'user',
    description: '',
    availableSettings: {},
  };
  await mkdir(join(folder, 'background'), {recursive: true});
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'background', 'index.js'), 'module.exports = {onStart: () => {}};');
}

async function untilPluginRuns(): Promise<void> {
  const read = async () => (await fetch(`http://127.0.0.1:${port}/api/plugins/com.example.quiet`)).text();
  await until(async () => /"state":\s*"running"/.test(await read()), String);
}

const APPROVED_KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\StartupApproved\\Run';

async function reg(...args: readonly string[]): Promise<void> {
  expect(await user.runProgram(['reg', ...args])).toMatchObject({exitCode: 0});
}

test('"crewroom service" starts it at log-on by a value of the registry, without a window, and takes back everything', async () => {
  await installPlugin();
  const windowsShown = watchWindows(user.windows);
  expect(await run('service', 'status')).toMatchObject({exitCode: 3, stdout: 'not installed\n'});
  const installed = await run('service', 'install');
  expect(installed, installed.stderr).toMatchObject({exitCode: 0});
  expect(await isServing()).toBe(true);
  expect(await run('service', 'status')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('active, enabled'),
  });
  expect((await run('service', 'logs')).stdout).toContain('"message":"started"');
  await untilPluginRuns();

  expect(await run('stop')).toMatchObject({exitCode: 0});
  expect(await run('service', 'status')).toMatchObject({exitCode: 5});
  expect(await logOn()).toMatchObject({exitCode: 0});
  expect(await isServing()).toBe(true);
  await untilPluginRuns();

  await reg('add', APPROVED_KEY, '/v', 'crewroom', '/t', 'REG_BINARY', '/d', '030000000000000000000000', '/f');
  expect((await run('service', 'status')).stdout).toContain('active, switched off by the user');

  expect(await run('service', 'uninstall')).toMatchObject({exitCode: 0});
  expect(await isServing()).toBe(false);
  expect(await run('service', 'status')).toMatchObject({exitCode: 3});
  expect(await logOn()).toMatchObject({exitCode: 1});
  expect(await isServing()).toBe(false);
  expect(windowsShown()).toEqual([]);
});

test('an install that fails over a working one lets that run again, at the next log-on too', async () => {
  const broken = [PROGRAM[0] ?? '', `${user.home}\\broken\\node_modules\\crewroom\\dist\\cli\\main.js`];
  await cp(user.file(FOLDER, 'node_modules'), user.file('broken', 'node_modules'), {recursive: true});
  await rm(user.file('broken', 'node_modules', 'crewroom', 'dist', 'cli', 'service.cjs'));
  expect(await run('service', 'install')).toMatchObject({exitCode: 0});
  const failed = await user.runProgram([...broken, 'service', 'install']);
  expect(failed.exitCode, failed.stderr).toBe(1);
  expect(await isServing()).toBe(true);
  expect(await run('stop')).toMatchObject({exitCode: 0});
  expect(await logOn()).toMatchObject({exitCode: 0});
  expect(await isServing()).toBe(true);
  expect(await run('service', 'uninstall')).toMatchObject({exitCode: 0});
});
