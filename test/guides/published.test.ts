import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {packNpmPackage} from '../../src/cli/npm/own-packages.ts';
import {VERSION} from '../../src/core/version.ts';
import {openRegistry, type Registry} from '../support/registry.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);
/** A user of npm, whose registry is on loopback. */
let work: string;
let registry: Registry;

async function run(command: string, args: readonly string[], folder = work): Promise<string> {
  const {npm_config_registry: _, ...others} = process.env;
  const env = {...others, npm_config_userconfig: join(work, 'npmrc'), npm_config_cache: join(work, 'cache')};
  const {stdout} = await execute(command, args, {cwd: folder, env, maxBuffer: 16 * 1024 * 1024});
  return stdout;
}

const readJson = async (path: string) =>
  JSON.parse(await readFile(path, 'utf8')) as Record<string, Record<string, string>>;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'crewroom-published-'));
  const {stdout} = await execute('npm', ['config', 'get', 'registry'], {cwd: tmpdir()});
  registry = await openRegistry(stdout.trim());
  const {host} = new URL(registry.url);
  await writeFile(
    join(work, 'npmrc'),
    `registry=${registry.url}\n//${host}/:_authToken=a\naudit=false\nfund=false\nupdate-notifier=false\n`,
  );
  for (const folder of ['', 'packages/background-sdk', 'packages/ui-sdk', 'packages/client']) {
    const {fileName, bytes} = await packNpmPackage(join(ROOT, folder), {forRegistry: true});
    await writeFile(join(work, fileName), bytes);
    await run('npm', ['publish', fileName]);
  }
});
afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  await rm(work, {recursive: true, force: true});
});

test('all packages are published under their names, and a clone is not by accident', async () => {
  expect(registry.published()).toEqual(['crewroom', 'crewroom-background-sdk', 'crewroom-client', 'crewroom-ui-sdk']);
  await using empty = await openRegistry();
  const words = ['publish', '--ignore-scripts', '--registry', empty.url];
  await expect(run('npm', [...words, `--//${new URL(empty.url).host}/:_authToken=a`], ROOT)).rejects.toThrow('private');
  expect(empty.published()).toEqual([]);
  const published = JSON.parse(await run('npm', ['view', 'crewroom', '--json'])) as {readonly scripts?: object};
  expect(published.scripts).toBeUndefined();
});

test('"npx crewroom" works in an empty folder, and its new plugin is installed from the registry', async () => {
  const folder = join(work, 'empty');
  await mkdir(folder);
  expect(await run('npx', ['--yes', 'crewroom', '--version'], folder)).toContain(VERSION);
  await run('npx', ['--yes', 'crewroom', 'plugin', 'new', 'hello'], folder);
  const project = join(folder, 'hello');
  expect(await readdir(project)).not.toContain('vendor');
  const {dependencies, devDependencies} = await readJson(join(project, 'package.json'));
  expect([dependencies?.['crewroom-background-sdk'], devDependencies?.['crewroom']]).toEqual([
    `^${VERSION}`,
    `^${VERSION}`,
  ]);
  await run('npm', ['install', '--no-audit'], project);
  await run('npm', ['run', 'build'], project);
  expect(await run('npm', ['run', 'check'], project)).toContain('no problems');
});

test('a plugin from a clone is installed with the packages of the clone', async () => {
  await run(process.execPath, [join(ROOT, 'dist', 'cli', 'main.js'), 'plugin', 'new', 'cloned']);
  const project = join(work, 'cloned');
  await run('npm', ['install'], project);
  const {packages} = await readJson(join(project, 'package-lock.json'));
  const resolved = (name: string): unknown =>
    (packages?.[`node_modules/${name}`] as {resolved?: string} | undefined)?.resolved;
  expect(resolved('crewroom')).toBe(`file:vendor/crewroom-${VERSION}.tgz`);
  expect(resolved('crewroom-background-sdk')).toBe(`file:vendor/crewroom-background-sdk-${VERSION}.tgz`);
  expect(packages).toHaveProperty(['node_modules/vite']);
  await run('npm', ['run', 'build'], project);
});
