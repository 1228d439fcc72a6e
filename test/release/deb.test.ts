import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {VERSION} from '../../src/core/version.ts';
import {findFreePort} from '../support/free-port.ts';
import {execute, get, put, releaseFile} from './files.ts';

const canChangeRoot = spawnSync('unshare', ['--mount', 'true']).status === 0;
/** Packages of this machine that the root has, with those that they depend on: what dpkg and our package need. */
const PACKAGES = ['dpkg', 'coreutils', 'dash', 'diffutils', 'libc-bin', 'libstdc++6'];
const USER_ID = 1000;
/** Path of our package in the root. */
const PACKAGE = '/tmp/crewroom.deb';
let work: string;
let root: string;
const children = new Set<ChildProcess>();

/** Makes the root of a Debian with few packages, of files of this machine. */
async function makeRoot(): Promise<void> {
  const flags = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(name => `--no-${name}`);
  const words = ['depends', '--recurse', '--installed', ...flags, ...PACKAGES];
  const names = (await execute('apt-cache', words)).stdout.split('\n').filter(line => /^[a-z]/.test(line));
  for (const path of ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'])
    await mkdir(join(root, path), {recursive: true});
  for (const path of ['tmp', 'proc', 'dev', 'etc', 'var/lib/dpkg/triggers', 'home/ada'])
    await mkdir(join(root, path), {recursive: true});
  await writeFile(join(work, 'list'), (await execute('dpkg', ['--listfiles', ...names])).stdout);
  const copy = `grep -v '^/usr/share/' list | sort -u | tar -c --no-recursion -T - | tar -x -C "$0"`;
  await execute('sh', ['-c', copy, root], {cwd: work});
  await writeFile(join(root, 'var/lib/dpkg/status'), (await execute('dpkg-query', ['--status', ...names])).stdout);
  await writeFile(join(root, 'etc/passwd'), `ada:x:${USER_ID}:${USER_ID}::/home/ada:/bin/sh\n`);
  await chown(join(root, 'home/ada'), USER_ID, USER_ID);
  await copyFile(releaseFile('linux-x64.deb'), join(root, PACKAGE));
}

/** Starts a program in the root. */
function begin(userId: number, words: readonly string[]): ChildProcess {
  const script =
    'mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" && id=$1 && shift && exec chroot --userspec="$id:$id" "$0" "$@"';
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, root, String(userId), ...words], {
    env: {PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: userId === 0 ? '/' : '/home/ada'},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

/** Runs a program in the root to its end. @returns Its output. */
async function run(userId: number, ...words: readonly string[]): Promise<string> {
  const child = begin(userId, words);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      said += String(chunk);
    });
  const [exitCode] = await once(child, 'close');
  expect(exitCode, said).toBe(0);
  return said;
}

/** Starts the service of a user, and waits until it serves. @returns Its address, and what stops it. */
async function start(): Promise<{readonly url: string; stop(): Promise<void>; kill(): Promise<void>}> {
  const port = String(await findFreePort());
  const child = begin(USER_ID, ['crewroom', 'start', '--port', port]);
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    if (!said.includes('"message":"started"')) continue;
    const exited = once(child, 'exit');
    const stop = async (): Promise<void> => {
      await run(USER_ID, 'crewroom', 'stop', '--port', port);
      expect((await exited)[0]).toBe(0);
    };
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await exited;
    };
    return {url: `http://127.0.0.1:${port}`, stop, kill};
  }
  throw new Error(`it has ended: ${said}`);
}

/** Returns the state and the version of our package, as dpkg knows them. */
async function installed(): Promise<string> {
  const text = await run(0, 'dpkg', '--status', 'crewroom');
  return ['Status', 'Version'].map(name => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]).join(' ');
}

const filesOfUser = (): Promise<readonly string[]> => readdir(join(root, 'home/ada'), {recursive: true});

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'crewroom-debian-'));
  root = join(work, 'root');
  await execute('chmod', ['755', work]);
  if (canChangeRoot) await makeRoot();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(work, {recursive: true, force: true});
});

describe.skipIf(!canChangeRoot)('the package of Debian, in a small root without Node (needs root)', () => {
  test('is installed without starting anything, has what it depends on, and touches no home', async () => {
    await run(0, 'dpkg', '--install', PACKAGE);
    expect(await installed()).toBe(`install ok installed ${VERSION}`);
    const kibibytes = /^Installed-Size: (\d+)$/m.exec(await run(0, 'dpkg', '--status', 'crewroom'))?.[1];
    expect(Number(kibibytes) * 1024).toBeGreaterThan((await stat(join(root, 'usr/lib/crewroom/node'))).size);
    const info = await readdir(join(root, 'var/lib/dpkg/info'));
    expect(info.filter(name => name.startsWith('crewroom'))).toEqual([
      ...['crewroom.list', 'crewroom.md5sums', 'crewroom.prerm'],
    ]);
    expect(await filesOfUser()).toEqual([]);
    expect(await run(USER_ID, 'crewroom', '--version')).toContain(VERSION);
  });

  test.skipIf(!existsSync('/usr/bin/systemd-analyze') && process.env['CI'] === undefined)(
    'has a unit for users that systemd accepts (needs systemd-analyze)',
    async () => {
      const place = '/usr/lib/crewroom';
      const unit = await readFile(join(root, 'usr/lib/systemd/user/crewroom.service'), 'utf8');
      expect(unit).toContain(`ExecStart=:"${place}/node" "${place}/node_modules/crewroom/dist/cli/main.js" start\n`);
      // The checker looks whether the program is there.
      const file = join(work, 'crewroom.service');
      await writeFile(file, unit.replaceAll(place, join(root, place)));
      const env = {...process.env, XDG_RUNTIME_DIR: work, HOME: work};
      await execute('systemd-analyze', ['--user', '--man=no', 'verify', file], {env});
    },
  );

  test('serves, is upgraded while it runs, and is removed without the data of the user', async () => {
    const first = await start();
    expect((await fetch(`${first.url}/api/identity`)).status).toBe(200);
    expect(await put(first.url, '1.0')).toBe(200);
    const script = `dpkg-deb --raw-extract "$0" new && sed -i 's/^Version: .*/Version: 99/' new/DEBIAN/control && dpkg-deb -Znone --build new "$0"`;
    await execute('sh', ['-c', script, join(root, PACKAGE)], {cwd: work});
    await run(0, 'dpkg', '--install', PACKAGE);
    expect(await installed()).toBe('install ok installed 99');
    expect(await get(first.url)).toBe('1.0');
    await first.stop();
    const second = await start();
    expect(await get(second.url)).toBe('1.0');
    const before = await filesOfUser();
    await run(0, 'dpkg', '--remove', 'crewroom');
    await second.kill();
    for (const path of ['usr/lib/crewroom', 'usr/bin/crewroom', 'usr/lib/systemd/user/crewroom.service'])
      expect(existsSync(join(root, path)), path).toBe(false);
    expect(await filesOfUser()).toEqual(before);
    expect(before.some(name => name.endsWith('data.mdb'))).toBe(true);
  });

  test('names what still runs when it is removed, also from before an upgrade', async () => {
    // In one process: between two of them, paths of programs are those of another root.
    const script = `
      begin() { /usr/lib/crewroom/node -e 'setTimeout(() => {}, 1e6)' & }
      dpkg --install ${PACKAGE} && begin && first=$! && dpkg --install ${PACKAGE} && begin
      dpkg --remove crewroom
      echo "began $first and $!"; kill $first $!`;
    const said = await run(0, 'sh', '-c', script);
    const ids = /began (\d+) and (\d+)/.exec(said)?.slice(1);
    expect(
      Array.from(
        said.matchAll(/crewroom: process (\d+) of user \S+ still runs: end it with "kill \1"/g),
        ([, id]) => id,
      ).sort(),
    ).toEqual(ids);
  });
});

// Both packages have the same scripts and pages, and lintian takes minutes for one.
test.skipIf(!existsSync('/usr/bin/lintian') && process.env['CI'] === undefined)(
  'the package of Debian has no error that lintian knows, but those with a reason (needs lintian)',
  async () => {
    const {stdout} = await execute('lintian', ['--fail-on', 'none', releaseFile('linux-x64.deb')]);
    expect(stdout).not.toMatch(/^E: /m);
  },
  900_000,
);
