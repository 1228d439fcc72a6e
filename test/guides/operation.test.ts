import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, describe, expect, test} from 'vitest';
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
      const start = 'npx crewroom start --no-keep --airline airline.json &\nnpx crewroom wait';
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

describe('keep-it-running.md', () => {
  test.skipIf(process.platform !== 'linux')('installs a unit, shows it and removes it (Linux)', async () => {
    const {project} = await openProject();
    const bin = join(project.home, 'node_modules', '.bin');
    const answer = 'case "$2" in is-active) echo active;; is-enabled) echo enabled;; esac';
    for (const name of ['systemctl', 'journalctl'])
      await writeFile(join(bin, name), `#!/bin/sh\n${answer}\n`, {mode: 0o755});
    const lines = commandsOf(readGuide('keep-it-running.md'));
    expect(lines).toHaveLength(4);
    const {exitCode, output} = await project.run(lines.map(line => `npx ${line} || true`).join('\n'));
    expect(exitCode, output).toBe(0);
    // A clone may be in a directory for temporary files, which is refused.
    expect(output).toMatch(/Installed .*crewroom\.service|in a directory for temporary files/);
  });
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
      await compiled.catch(({stdout}: {readonly stdout: string}) => expect(stdout).toBe(''));
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
