import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {constants, existsSync} from 'node:fs';
import {copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {packNpmPackage} from '../../src/cli/npm/own-packages.ts';
import {findFreePort} from '../support/free-port.ts';
import {commandsOf, fileOf, readGuide} from '../support/guide.ts';
import {createProject, type Project} from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const projects: Project[] = [];
afterAll(async () => {
  for (const project of projects) await project[Symbol.asyncDispose]();
});

/** Creates a directory for a guide. Its service keeps data where the system has it by default, below the home directory. */
async function openProject(): Promise<{readonly project: Project; readonly port: number}> {
  const port = await findFreePort();
  const project = await createProject(port);
  projects.push(project);
  return {project, port};
}

/** Runs all commands of a guide as one script, with other ports in the addresses. @returns What they print. */
async function runGuide(
  project: Project,
  name: string,
  change: (text: string) => string = text => text,
): Promise<string> {
  const {exitCode, output} = await project.run(change(commandsOf(readGuide(name)).join('\n')));
  expect(exitCode, output).toBe(0);
  return output;
}

/** Starts the example of a back end. */
async function startBackEnd(): Promise<{readonly port: string; readonly child: ChildProcess}> {
  const child = spawn(process.execPath, [join(ROOT, 'examples', 'back-end', 'main.js'), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {port: new URL(/http:\S+/.exec(line)?.[0] ?? '').port, child};
}

describe('sign-in.md and for-airlines.md', () => {
  test('check a back end, sign in and sign out', async () => {
    const {project} = await openProject();
    const {port, child} = await startBackEnd();
    try {
      const change = (text: string): string => text.replaceAll('localhost:8080', `localhost:${port}`);
      expect(await runGuide(project, 'for-airlines.md', change)).toContain('Ada Quill');
      const airline = await readFile(join(ROOT, 'examples', 'back-end', 'airline.json'), 'utf8');
      await writeFile(join(project.home, 'airline.json'), change(airline));
      const start = 'npx crewroom start --no-keep-session --airline airline.json &\nnpx crewroom wait';
      const started = await project.run(start);
      expect(started.exitCode, started.output).toBe(0);
      const output = await runGuide(project, 'sign-in.md', change);
      expect(output).toContain('Ada Quill (CRW0042)');
      expect(output).toContain('"pilotID":"CRW0042"');
      await project.run('npx crewroom stop');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
});

describe('move-upgrade-remove.md', () => {
  test('moves entries, and leaves nothing that "crewroom paths" does not name', async () => {
    const {project} = await openProject();
    const before = new Set(await readdir(project.home));
    expect(await runGuide(project, 'move-upgrade-remove.md')).toContain('"dark"');
    const {output} = await project.run('node_modules/.bin/crewroom paths --json');
    const paths = JSON.parse(output) as Readonly<Record<string, {readonly path: string}>>;
    for (const {path} of Object.values(paths)) await rm(path, {recursive: true, force: true});
    // The files that the guide itself names, and the note of this test.
    const own = ['moved', 'copied', 'backup.ndjson', '.directory', '.npm'];
    const left = await readdir(project.home, {recursive: true, withFileTypes: true});
    const files = left
      .filter(entry => !entry.isDirectory())
      .map(entry => relative(project.home, join(entry.parentPath, entry.name)))
      .filter(file => !before.has(file.split('/')[0] ?? '') && !own.some(name => file.split('/')[0] === name));
    expect(files).toEqual([]);
  });
});

describe('windows-and-macos.md', () => {
  test('has lines of curl that work', async () => {
    const {project, port} = await openProject();
    const [json] = readGuide('windows-and-macos.md').filter(({language}) => language === 'json');
    await writeFile(join(project.home, 'settings.json'), json?.text ?? '');
    const change = (text: string): string =>
      [`npx crewroom start --ephemeral &`, 'npx crewroom wait', text, 'npx crewroom stop']
        .join('\n')
        .replaceAll('curl.exe', 'curl -sS --fail-with-body')
        .replaceAll('localhost:7172', `localhost:${port}`);
    expect(await runGuide(project, 'windows-and-macos.md', change)).toContain('"airlineName":"Crewroom Air"');
  });
});

/** The checker of systemd, in Debian `systemd`. */
const CHECKER = '/usr/bin/systemd-analyze';

/** True if there is no systemd to ask. With `CI` a missing checker is a failure. */
const CANNOT_INSTALL = process.platform !== 'linux' || (!existsSync(CHECKER) && process.env['CI'] === undefined);

/** A Crewroom that is installed outside of directories for temporary files, where "service install" accepts it, with Node beside it. */
interface Installed extends AsyncDisposable {
  /** Folder of the programs. */
  readonly bin: string;
  /** Notes of the stand-in for `systemctl`, one line for each call. */
  calls(): Promise<readonly string[]>;
  uninstall(): Promise<void>;
}

async function installForGood(project: Project): Promise<Installed> {
  const folder = await mkdtemp(join(homedir(), '.crewroom-guide-'));
  const bin = join(folder, 'bin');
  const npm = (...args: readonly string[]) =>
    promisify(execFile)('npm', [...args, '--global', '--prefix', folder, '--no-audit', '--no-fund']);
  await mkdir(bin);
  await copyFile(process.execPath, join(bin, 'node'), constants.COPYFILE_FICLONE);
  const {fileName, bytes} = await packNpmPackage(ROOT);
  await writeFile(join(project.home, fileName), bytes);
  await npm('install', join(project.home, fileName));
  const calls = join(folder, 'calls');
  const answer = 'case "$2" in is-active) echo active;; is-enabled) echo enabled;; esac';
  for (const name of ['systemctl', 'journalctl'])
    await writeFile(join(bin, name), `#!/bin/sh\necho "${name} $*" >> "${calls}"\n${answer}\n`, {mode: 0o755});
  return {
    bin,
    calls: async () => (await readFile(calls, 'utf8')).trim().split('\n'),
    uninstall: async () => void (await npm('uninstall', 'crewroom')),
    [Symbol.asyncDispose]: () => rm(folder, {recursive: true, force: true}),
  };
}

describe('keep-it-running.md', () => {
  const guide = readGuide('keep-it-running.md');
  const lines = [...commandsOf(guide)];
  let project: Project;
  let installed: Installed;
  const unit = (): string => join(project.home, 'config', 'systemd', 'user', 'crewroom.service');

  beforeAll(async () => {
    if (CANNOT_INSTALL) return;
    ({project} = await openProject());
    installed = await installForGood(project);
    await mkdir(join(project.home, 'tmp'));
  });
  afterAll(async () => installed?.[Symbol.asyncDispose]());

  /** Lets a line run as that of a user for whom nothing is anywhere but in the home directory, without a keychain. */
  function asNewUser(line: string): string {
    const unset = 'unset CREWROOM_DATA_DIR XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR';
    const set = `export PATH="${installed.bin}:$PATH" TMPDIR="${project.home}/tmp" DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere`;
    return `${unset}\n${set}\n${line}`;
  }

  async function run(line: string): Promise<string> {
    const {exitCode, output} = await project.run(asNewUser(line));
    expect(exitCode, output).toBe(0);
    return output;
  }

  test.skipIf(CANNOT_INSTALL)('installs a unit that systemd accepts (Linux, needs systemd-analyze)', async () => {
    expect(lines).toHaveLength(4);
    expect(await run(lines.shift() ?? '')).toContain(`Installed ${unit()}`);
    const environment = {...process.env, HOME: project.home, XDG_RUNTIME_DIR: project.home};
    await promisify(execFile)(CHECKER, ['--user', '--man=no', 'verify', unit()], {env: environment});
    expect((await installed.calls()).map(call => call.replace('systemctl --user ', ''))).toEqual([
      'is-active crewroom.service',
      'is-enabled crewroom.service',
      'daemon-reload',
      'enable crewroom.service',
      'restart crewroom.service',
    ]);
  });

  test.skipIf(CANNOT_INSTALL)(
    'starts a service by that unit, with the config file and the log file of the guide',
    async () => {
      const [config] = guide.filter(({language}) => language === 'json');
      await mkdir(join(project.home, 'config', 'crewroom'), {recursive: true});
      await writeFile(join(project.home, 'config', 'crewroom', 'config.json'), config?.text ?? '');
      const [, command = ''] = /^ExecStart=:(.+)$/m.exec(await readFile(unit(), 'utf8')) ?? [];
      const service = project.start(asNewUser(`exec ${command}`));
      await run('crewroom wait');
      expect(await run(lines.shift() ?? '')).toContain('active, enabled');
      await run(lines.shift() ?? '');
      await useEverything(project);
      await service.stop();
      const log = await readFile(join(project.home, 'config', 'crewroom', 'crewroom.log'), 'utf8');
      expect(log).toContain('"message":"started"');
    },
  );

  test.skipIf(CANNOT_INSTALL)('removes it, and leaves nothing that "crewroom paths" does not name', async () => {
    const paths = JSON.parse(await run('crewroom paths --json')) as Readonly<
      Record<string, {readonly path: string; readonly exists: boolean}>
    >;
    // Node 20 keeps no compiled code.
    const missing = Object.entries(paths).filter(([name, {exists}]) => !exists && name !== 'cacheDir');
    expect(missing).toEqual([]);
    expect(await run(lines.shift() ?? '')).toContain(`Removed ${unit()}`);
    expect(await readdir(join(unit(), '..'))).toEqual([]);
    await installed.uninstall();
    for (const {path} of Object.values(paths)) await rm(path, {recursive: true, force: true});
    // The packages and notes of this test, the package of the plugin, and what npm keeps.
    const own = /^(?:[^/]+\.tgz|package\.json|\.directory|\.npm|node_modules|[^/]+\.zip)(?:\/|$)/;
    const left = await readdir(project.home, {recursive: true, withFileTypes: true});
    const files = left
      .filter(entry => !entry.isDirectory())
      .map(entry => relative(project.home, join(entry.parentPath, entry.name)));
    expect(files.filter(file => !own.test(file))).toEqual([]);
  });

  /** Lets the service and its commands write everything that they ever write. */
  async function useEverything({home}: Project): Promise<void> {
    const {port, child} = await startBackEnd();
    try {
      await run(`crewroom plugin pack "${join(ROOT, 'examples', 'plugin')}"`);
      await run('crewroom plugin install com.example.logbook-*.zip --yes');
      await run('crewroom put com.example.hello/theme \'"dark"\'');
      await run('crewroom snapshot save first');
      await run('crewroom token create backup --permission entries:read:');
      await run(`echo "cabin crew" | crewroom sign-in --script-url http://localhost:${port}/ --username 42`);
      await run('crewroom console --print');
      expect((await readdir(home, {recursive: true})).some(name => name.endsWith('access-tokens.json'))).toBe(true);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  }
});

describe('embed-in-a-desktop-client.md', () => {
  test('has a service that runs in Node, and a main process whose types are right', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crewroom-embed-'));
    try {
      const guide = readGuide('embed-in-a-desktop-client.md');
      for (const file of ['service.ts', 'main.ts']) await writeFile(join(folder, file), fileOf(guide, file).text);
      await mkdir(join(folder, 'node_modules'));
      await symlink(ROOT, join(folder, 'node_modules', 'crewroom'));
      await symlink(join(ROOT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
      await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
      const work = join(folder, 'electron');
      await mkdir(work);
      // Only its types: its scripts would download the program.
      const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', work, 'electron@38.8.6'];
      await promisify(execFile)('npm', install, {cwd: work});
      await symlink(join(work, 'node_modules', 'electron'), join(folder, 'node_modules', 'electron'));
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck'];
      const lib = ['--lib', 'es2023,esnext.disposable,dom', '--allowImportingTsExtensions', '--types', 'node'];
      const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      const compiled = promisify(execFile)(process.execPath, [compiler, ...options, ...lib, 'main.ts'], {cwd: folder});
      expect((await compiled.catch((error: {readonly stdout: string}) => error)).stdout).toBe('');
      const program = `const {startService} = await import('./service.ts');
        const crewroom = await startService('data', 0);
        console.log(crewroom.storeId.length);
        await crewroom[Symbol.asyncDispose]();`;
      const tsx = join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs');
      await writeFile(join(folder, 'run.mjs'), program);
      const {stdout} = await promisify(execFile)(process.execPath, [tsx, 'run.mjs'], {cwd: folder});
      expect(stdout).toBe('16\n');
    } finally {
      await rm(folder, {recursive: true, force: true});
    }
  });
});
