import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, expect, inject, onTestFinished, test} from 'vitest';
import {VERSION} from '../../src/core/version.ts';
import {findFreePort} from '../support/free-port.ts';
import {createUser, type Finished, isReady, onDriveZ, runningPrograms, until} from '../windows/machine.ts';
import {execute, get, nodeOfBackground, PLUGIN_ID, put, releaseFile, writePlugin} from './files.ts';

const user = await createUser();
/** Folder into which the installer puts the program. Without %, which starters under Wine do not bear. */
const FOLDER = 'C:\\für alle\\Crewroom';
const RUN_KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run';
/** Also the mark of the folder. */
const UNINSTALLER = 'uninstall-crewroom.exe';
const UNINSTALL_KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Crewroom';
/** PATH of the user. Windows replaces the variable. */
const MINE = '%SystemDrive%\\mine';
/** A PATH that is longer than NSIS can hold. */
const LONG = `C:\\${'long'.repeat(300)}`;
let port: number;

/** Returns the path on Linux of a file in drive C. */
const onLinux = (path: string): string => join(user.windows.prefix, 'drive_c', ...path.replace('C:\\', '').split('\\'));
const run = async (...words: readonly string[]): Promise<Finished> => (await user.spawnProgram(words)).finished;
const crewroom = (...words: readonly string[]): Promise<Finished> =>
  run(`${FOLDER}\\node.exe`, `${FOLDER}\\node_modules\\crewroom\\dist\\cli\\main.js`, ...words);
const install = (...words: readonly string[]): Promise<Finished> => run(onDriveZ(inject('installer')), '/S', ...words);
const url = (): string => `http://127.0.0.1:${port}`;
const isServing = (): Promise<boolean> => isReady(url());
const untilServing = (): Promise<void> => until(isServing, () => 'no service answers');

async function setValue(key: string, name: string, value: string, type = 'REG_EXPAND_SZ'): Promise<void> {
  expect(await run('reg', 'add', key, '/v', name, '/t', type, '/d', value, '/f')).toMatchObject({exitCode: 0});
}

/** Returns what a key of the registry has, as an export: only that has all characters. */
async function readKey(key: string): Promise<string> {
  const file = 'C:\\exported.reg';
  let text = '';
  // Programs under Wine sometimes end early and say that all is well: a whole export ends with an empty line, and only one that looked fails.
  await until(
    async () => {
      await rm(onLinux(file), {force: true});
      const {exitCode} = await run('reg', 'export', key, file, '/y');
      text = existsSync(onLinux(file)) ? await readFile(onLinux(file), 'utf16le') : '';
      return exitCode === 1 || text.endsWith('\r\n\r\n');
    },
    () => `the registry is not exported: ${text}`,
  );
  return text.replaceAll('\\\r\n  ', '');
}

/** Returns a value of the registry and its type; undefined if there is none. */
async function readValueAndType(key: string, name: string): Promise<[value: string, type: string] | undefined> {
  const line = new RegExp(`^"${name}"=(?:hex\\(2\\):(?<hex>.*)|"(?<plain>.*)")\r$`, 'm').exec(await readKey(key));
  if (line === null) return undefined;
  const {hex, plain = ''} = line.groups ?? {};
  if (hex === undefined) return [plain.replaceAll(/\\(.)/g, '$1'), 'REG_SZ'];
  return [Buffer.from(hex.replaceAll(',', ''), 'hex').toString('utf16le').replace('\0', ''), 'REG_EXPAND_SZ'];
}

const ENVIRONMENT = 'HKCU\\Environment';
const readValue = async (key: string, name: string): Promise<string | undefined> =>
  (await readValueAndType(key, name))?.[0];
const readPathAndType = (): Promise<[value: string, type: string] | undefined> => readValueAndType(ENVIRONMENT, 'Path');
const readPath = (): Promise<string | undefined> => readValue(ENVIRONMENT, 'Path');

/** Runs the uninstaller, which continues in a copy of itself, and waits until it is done. */
async function uninstall(words: readonly string[] = [], folder = FOLDER): Promise<void> {
  await run(`${folder}\\${UNINSTALLER}`, '/S', ...words);
  await until(
    async () => (await run('reg', 'query', UNINSTALL_KEY)).exitCode !== 0,
    () => 'it is not removed',
  );
}

/** Updates while the new file or folder of a name disappears after it was unpacked, so that it cannot be put in its place. */
async function updateWithout(name: string): Promise<Finished> {
  const installer = await user.spawnProgram([onDriveZ(inject('installer')), '/S']);
  // The installer asks for the service, and stops it, once it has unpacked all.
  await until(
    () => runningPrograms(user.windows).some(line => /Crewroom\\node_modules\\.*main\.js"? (status|stop)\b/.test(line)),
    () => 'the installer does not stop the service',
  );
  await rename(onLinux(`${FOLDER}\\new\\${name}`), onLinux(`C:\\lost ${name}`));
  return installer.finished;
}

beforeAll(async () => {
  port = await findFreePort();
  // The folders of this user, of which Wine knows only one.
  const shellFolders = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\User Shell Folders';
  await setValue(shellFolders, 'Local AppData', `${user.home}\\AppData\\Local`);
  await setValue(shellFolders, 'AppData', `${user.home}\\AppData\\Roaming`);
  await setValue(ENVIRONMENT, 'Path', MINE);
  // Where an installer of an older version was told to install. Wine quotes /D, which an installer takes only without quotes.
  await setValue(UNINSTALL_KEY, 'InstallLocation', FOLDER);
  const config = user.file('AppData', 'Roaming', 'crewroom', 'Config');
  await mkdir(config, {recursive: true});
  await writeFile(join(config, 'config.json'), JSON.stringify({port}));
  await writePlugin(user.file('here'));
});

describe('the installer for Windows, under Wine', () => {
  test('is made with the release, and is not larger than the archive', async () => {
    const [installer, archive] = await Promise.all(
      ['exe', 'zip'].map(end => readFile(releaseFile(`win32-x64.${end}`))),
    );
    expect(installer?.length).toBeLessThan(archive?.length ?? 0);
  });

  test('touches no folder that has other files', async () => {
    const files = ['new/mine', 'node_modules/mine', 'old/mine', 'uninstall.exe'];
    for (const folder of ['new', 'node_modules', 'old'])
      await mkdir(onLinux(`C:\\foreign\\${folder}`), {recursive: true});
    for (const file of files) await writeFile(join(onLinux('C:\\foreign'), file), '');
    expect(await install('/D=C:\\foreign')).toMatchObject({exitCode: 2});
    expect((await readdir(onLinux('C:\\foreign'), {recursive: true})).sort()).toEqual(
      [...files, 'new', 'node_modules', 'old'].sort(),
    );
    expect(await readPath()).toBe(MINE);
  });

  test('installs into the folder of an installer that was killed, for the user alone, with a start menu, PATH and a start at log-on', async () => {
    const killed = await user.spawnProgram([onDriveZ(inject('installer')), '/S']);
    await until(
      () => existsSync(onLinux(`${FOLDER}\\new\\node_modules`)),
      () => 'nothing is unpacked',
    );
    killed.child.kill('SIGKILL');
    await killed.finished;
    expect((await readdir(onLinux(FOLDER))).sort()).toEqual(['new', UNINSTALLER]);
    const {exitCode, stderr} = await install('/AUTOSTART');
    expect(exitCode, stderr).toBe(0);
    await untilServing();
    expect(await readPathAndType()).toEqual([`${MINE};${FOLDER}`, 'REG_EXPAND_SZ']);
    const menu = await execute('find', [onLinux('C:\\users'), '-name', 'Crewroom.lnk', '-path', '*Start Menu*']);
    expect(await readFile(menu.stdout.trim(), 'latin1')).toContain('crewroom-console.cmd');
    expect((await crewroom('service', 'status')).stdout).toContain('active, enabled');
    expect(await readValue(RUN_KEY, 'crewroom')).toContain(`"${FOLDER}\\node.exe"`);
    expect(await readValue(UNINSTALL_KEY, 'DisplayVersion')).toBe(VERSION);
    // Windows looks for it in the PATH.
    const version = await run('cmd', '/c', 'crewroom', '--version');
    expect(version.stdout, version.stderr).toContain(VERSION);
  });

  test('has a service with a store on disk, a plugin with a background, and a console', async () => {
    const installed = await crewroom('plugin', 'install', `${user.home}\\here`, '--yes');
    expect(installed, installed.stderr).toMatchObject({exitCode: 0});
    await expect.poll(() => nodeOfBackground(url())).toBe(`${FOLDER}\\node.exe`);
    expect(await put(url(), '1.0')).toBe(200);
    // What the entry of the start menu runs. It ends at once if it opened a browser, and waits for a key if it did not.
    const menu = user.spawnInTerminal([`${FOLDER}\\crewroom-console.cmd`]);
    expect(await menu.finished, menu.said()).toMatchObject({exitCode: 0});
    expect(menu.said()).toContain('Opened the console as the owner');
    expect(menu.said()).not.toContain('Cannot listen');
    expect((await fetch(`${url()}/`)).headers.get('content-type')).toContain('text/html');
  });

  test('changes nothing if the new packages cannot be put in the place of the earlier ones, and starts the service again', async () => {
    const before = (await readdir(onLinux(FOLDER))).sort();
    await writeFile(onLinux(`${FOLDER}\\node_modules\\old.txt`), '');
    expect(await updateWithout('node_modules')).toMatchObject({exitCode: 2});
    expect((await readdir(onLinux(FOLDER))).sort()).toEqual(before);
    expect(existsSync(onLinux(`${FOLDER}\\node_modules\\old.txt`))).toBe(true);
    await untilServing();
  });

  test('keeps the earlier form of a file whose new one cannot be put in its place', async () => {
    expect(await updateWithout('node.exe')).toMatchObject({exitCode: 3});
    expect(await readdir(onLinux(FOLDER))).toEqual(expect.arrayContaining(await readdir(user.windows.app)));
    await untilServing();
  });

  test('updates a version that runs with a background, and starts it again', async () => {
    // In this type Windows replaces no variable.
    await setValue(ENVIRONMENT, 'Path', MINE, 'REG_SZ');
    await writeFile(onLinux(`${FOLDER}\\node_modules\\old.txt`), '');
    expect(await install()).toMatchObject({exitCode: 0});
    expect(existsSync(onLinux(`${FOLDER}\\node_modules\\old.txt`))).toBe(false);
    expect((await readdir(onLinux(FOLDER))).sort()).toEqual([...(await readdir(user.windows.app)), UNINSTALLER].sort());
    await untilServing();
    expect(await get(url())).toBe('1.0');
    await expect.poll(() => nodeOfBackground(url())).toBe(`${FOLDER}\\node.exe`);
    expect(await readPathAndType()).toEqual([`${MINE};${FOLDER}`, 'REG_SZ']);
  });

  test('puts an update into no other folder', async () => {
    expect(await install('/D=C:\\other')).toMatchObject({exitCode: 2});
    expect(existsSync(onLinux('C:\\other'))).toBe(false);
    expect(await isServing()).toBe(true);
  });

  test('changes nothing while another program of it runs, and lets the service run on', async () => {
    await writeFile(onLinux(`${FOLDER}\\node_modules\\old.txt`), '');
    const before = await readdir(onLinux(FOLDER));
    const program = await user.spawnProgram([`${FOLDER}\\node.exe`, '-e', 'setInterval(() => {}, 1e6)']);
    onTestFinished(() => void program.child.kill('SIGKILL'));
    expect(await install()).toMatchObject({exitCode: 2});
    expect(await readdir(onLinux(FOLDER))).toEqual(before);
    expect(existsSync(onLinux(`${FOLDER}\\node_modules\\old.txt`))).toBe(true);
    await untilServing();
  });

  test('leaves the data when it is removed, and nothing else', async () => {
    await uninstall();
    expect(await isServing()).toBe(false);
    expect(existsSync(onLinux(FOLDER))).toBe(false);
    expect(await readPathAndType()).toEqual([MINE, 'REG_SZ']);
    expect(await readValue(RUN_KEY, 'crewroom')).toBeUndefined();
    const menu = await execute('find', [onLinux('C:\\users'), '-name', 'Crewroom.lnk']);
    expect(menu.stdout).toBe('');
    expect(await readdir(user.file('AppData', 'Local', 'crewroom'))).toContain('Data');
    expect(await readdir(user.file('AppData', 'Roaming', 'crewroom', 'Config'))).toEqual(['config.json']);
  });

  test('leaves a long PATH as it is', async () => {
    await setValue(ENVIRONMENT, 'Path', LONG);
    await setValue(UNINSTALL_KEY, 'InstallLocation', FOLDER);
    expect(await install()).toMatchObject({exitCode: 3});
    expect(await readPath()).toBe(LONG);
  });

  test('starts no service again that the user started, since it may have had flags', async () => {
    await setValue(ENVIRONMENT, 'Path', FOLDER);
    expect((await crewroom('start', '--detached')).exitCode).toBe(0);
    expect(await get(url())).toBe('1.0');
    expect(await (await fetch(`${url()}/api/plugins/${PLUGIN_ID}`)).json()).toMatchObject({id: PLUGIN_ID});
    expect(await install()).toMatchObject({exitCode: 3});
    expect(await isServing()).toBe(false);
  });

  test('removes the data if it is told so, also while a service runs', async () => {
    await setValue(ENVIRONMENT, 'Path', LONG);
    expect((await crewroom('start', '--detached')).exitCode).toBe(0);
    await uninstall(['/DATA']);
    expect(await isServing()).toBe(false);
    expect(await readPath()).toBe(LONG);
    expect(existsSync(user.file('AppData', 'Local', 'crewroom'))).toBe(false);
    expect(existsSync(user.file('AppData', 'Roaming', 'crewroom'))).toBe(false);
  });

  test('installs into a folder with %, and leaves no PATH where there was none', async () => {
    const folder = 'C:\\100% für alle';
    await run('reg', 'delete', ENVIRONMENT, '/v', 'Path', '/f');
    await setValue(UNINSTALL_KEY, 'InstallLocation', folder);
    expect(await install()).toMatchObject({exitCode: 0});
    expect(await readPathAndType()).toEqual([folder, 'REG_EXPAND_SZ']);
    const version = await run(
      `${folder}\\node.exe`,
      `${folder}\\node_modules\\crewroom\\dist\\cli\\main.js`,
      '--version',
    );
    expect(version.stdout, version.stderr).toContain(VERSION);
    await uninstall([], folder);
    expect(existsSync(onLinux(folder))).toBe(false);
    expect(await readPath()).toBeUndefined();
  });

  for (const [name, folder] of [
    ['a variable', 'C:\\%TEMP% für alle'],
    ['a semicolon', 'C:\\eins; zwei'],
  ] as const)
    test(`puts no folder with ${name} on the PATH, where it would be another one`, async () => {
      await setValue(UNINSTALL_KEY, 'InstallLocation', folder);
      expect(await install()).toMatchObject({exitCode: 3});
      expect(existsSync(onLinux(`${folder}\\node.exe`))).toBe(true);
      expect(await readPath()).toBeUndefined();
      await uninstall([], folder);
      expect(existsSync(onLinux(folder))).toBe(false);
    });
});
