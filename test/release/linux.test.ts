import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, symlink} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {packNpmPackage} from '../../src/cli/npm/own-packages.ts';
import {VERSION} from '../../src/core/version.ts';
import {findFreePort} from '../support/free-port.ts';
import {
  execute,
  get,
  nodeOfBackground,
  PLACE,
  put,
  releaseFile,
  unpackFolder,
  withoutLicence,
  writePlugin,
} from './files.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let work: string;
let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'crewroom-linux-'));
  await chmod(work, 0o755);
  folder = await unpackFolder('linux-x64', join(work, PLACE));
  // Programs of the system that the starter uses, and no Node.
  await mkdir(join(work, 'bin'));
  await symlink('/usr/bin/readlink', join(work, 'bin', 'readlink'));
  await writePlugin(join(work, 'plugin'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(work, {recursive: true, force: true});
});

const environment = (home = work): NodeJS.ProcessEnv => ({PATH: join(work, 'bin'), HOME: home});

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: string;
}

/** Starts a service, and waits until it serves. */
async function start(
  program: string,
  words: readonly string[],
  {home, uid}: {readonly home?: string; readonly uid?: number} = {},
): Promise<Started> {
  const port = String(await findFreePort());
  const child = spawn(program, ['start', '--port', port, ...words], {
    env: environment(home),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(uid === undefined ? {} : {uid, gid: uid}),
  });
  children.add(child);
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    if (said.includes('"message":"started"')) return {child, port, url: `http://127.0.0.1:${port}`};
  }
  throw new Error(`it has ended: ${said}`);
}

async function stop(program: string, {child, port}: Started): Promise<void> {
  const exited = once(child, 'exit');
  await execute(program, ['stop', '--port', port], {env: environment()});
  expect((await exited)[0]).toBe(0);
}

describe('the folder for Linux, in a folder with spaces, umlauts and % and without Node in PATH', () => {
  test('runs by its path and by links to its starter', async () => {
    await symlink(join(folder, 'crewroom'), join(work, 'absolute'));
    await symlink('absolute', join(work, 'relative'));
    for (const program of [join(folder, 'crewroom'), join(work, 'absolute'), join(work, 'relative')])
      expect((await execute(program, ['--version'], {env: environment()})).stdout).toContain(VERSION);
  });

  test('has the licences of all that is in it, and a part for the keychain that its Node loads', async () => {
    expect(await withoutLicence(folder)).toEqual([]);
    const script = 'console.log(typeof require("@napi-rs/keyring").AsyncEntry)';
    const loaded = execute(join(folder, 'node'), ['-e', script], {cwd: folder, env: environment()});
    expect((await loaded).stdout).toBe('function\n');
  });

  test('keeps a store on disk, and runs backgrounds with its own Node', async () => {
    const program = join(folder, 'crewroom');
    const words = ['--data-dir', join(work, 'data'), '--dev-plugin', join(work, 'plugin')];
    const first = await start(program, words);
    expect(await put(first.url, '1.0')).toBe(200);
    await expect.poll(() => nodeOfBackground(first.url)).toBe(join(folder, 'node'));
    expect((await fetch(`${first.url}/`)).headers.get('content-type')).toContain('text/html');
    await stop(program, first);
    const second = await start(program, words);
    expect(await get(second.url)).toBe('1.0');
    await stop(program, second);
  });

  test('is replaced while it and a background run, and an old one beside it does not open the same store', async () => {
    const old = join(work, 'old');
    await execute('cp', ['-a', folder, old]);
    const data = ['--data-dir', join(work, 'shared data'), '--dev-plugin', join(work, 'plugin')];
    const running = await start(join(old, 'crewroom'), data);
    await put(running.url, '2');
    await expect(start(join(folder, 'crewroom'), data)).rejects.toThrow(/process \d+|has ended/);
    await execute('tar', ['-xf', releaseFile('linux-x64.tar.xz'), '--strip-components=1', '-C', old]);
    await expect.poll(() => nodeOfBackground(running.url)).toContain('node');
    expect(await get(running.url)).toBe('2');
    await stop(join(old, 'crewroom'), running);
    const next = await start(join(folder, 'crewroom'), data);
    expect(await get(next.url)).toBe('2');
    await stop(join(folder, 'crewroom'), next);
  });

  test('gives a new plugin our packages as files, since they did not come from npm', async () => {
    await execute(join(folder, 'crewroom'), ['plugin', 'new', 'hello'], {env: environment(), cwd: work});
    const names = ['crewroom', 'crewroom-background-sdk'].map(name => `${name}-${VERSION}.tgz`);
    const vendor = join(work, 'hello', 'vendor');
    expect((await readdir(vendor)).sort()).toEqual(names);
    // The same that a clone gives, with which the tests of the guides run "npm install".
    const [ours, clones] = [await readFile(join(vendor, names[0] ?? '')), (await packNpmPackage(ROOT)).bytes];
    expect(Buffer.compare(gunzipSync(ours), gunzipSync(clones))).toBe(0);
  });

  test('lets one of two starts at once have the store', async () => {
    const words = ['--data-dir', join(work, 'contested')];
    const both = await Promise.allSettled([1, 2].map(() => start(join(folder, 'crewroom'), words)));
    const started = both.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
    expect(started).toHaveLength(1);
    for (const each of started) await stop(join(folder, 'crewroom'), each);
  });

  test.skipIf(process.getuid?.() !== 0)('works for a user who cannot write to it (needs root)', async () => {
    const home = join(work, 'home');
    await mkdir(home);
    // The user without rights in Debian.
    await chown(home, 65_534, 65_534);
    const service = await start(join(folder, 'crewroom'), [], {home, uid: 65_534});
    expect(await put(service.url, '3')).toBe(200);
    const exited = once(service.child, 'exit');
    service.child.kill('SIGTERM');
    await exited;
    expect(await readdir(home)).not.toEqual([]);
  });
});
