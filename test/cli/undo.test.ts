import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import {createServer, type IncomingHttpHeaders, request} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, onTestFinished, test} from 'vitest';
import {keepFiles, moveTree} from '../../src/service/snapshots/snapshot-directory.ts';
import {formatExport, manyEntries} from '../support/exports.ts';
import {findFreePort} from '../support/free-port.ts';
import {shownMode} from '../support/platform.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startInTest, startService, type TestService} from '../support/service.ts';
import {createMachine, type Finished, plain, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
let directory: string;
let service: TestService;
beforeEach(async () => {
  directory = await mkdtemp(join(machine.home, 'work-'));
  service = await startService({dataDir: join(directory, 'data'), ephemeral: false});
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(directory, {recursive: true});
});

const snapshotsDir = (): string => join(directory, 'data-snapshots');

function run(args: readonly string[], options?: RunOptions): Promise<Finished> {
  const [command = '', ...others] = args;
  const words = [command, '--port', String(service.port), '--data-dir', join(directory, 'data'), ...others];
  return machine.run(words, {workingDirectory: directory, ...options});
}

/** Runs the command line that a command named, as the shell of the user does. */
function undo(line: string): Promise<Finished> {
  const words = execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\n' "$word"; done`], {encoding: 'utf8'});
  return machine.run([...words.trimEnd().split('\n').slice(1), '--yes'], {workingDirectory: machine.home});
}

function undoLineIn(stderr: string): string {
  const [, line] = /^To undo this: (.*)$/m.exec(stderr) ?? [];
  assert.ok(line !== undefined, stderr);
  return line;
}

async function fill(count: number): Promise<void> {
  await writeFile(join(directory, 'many'), formatExport(manyEntries(count)));
  assert.equal((await run(['import', 'many'])).exitCode, 0);
}

async function entries(): Promise<string> {
  return (await run(['export'])).stdout.replaceAll(/"(?:revision|updatedAt)":"[^"]*",?/g, '');
}

async function countEntries(): Promise<number> {
  return (await run(['list', '--json'])).stdout.split('\n').length - 1;
}

async function snapshots(): Promise<readonly string[]> {
  return (await readdir(snapshotsDir()).catch((): string[] => [])).sort();
}

describe('a command that deletes much can be undone', () => {
  const changes = [
    {name: 'reset', args: ['reset', '--yes'], count: 2},
    {name: 'delete --prefix of more than 100 entries', args: ['delete', '--prefix', 'k', '--yes'], count: 101},
    {name: 'import --mode replace', args: ['import', 'other', '--mode', 'replace', '--yes'], count: 2},
    {name: 'import --mode replace from a pipe', args: ['import', '-', '--mode', 'replace', '--yes'], count: 2},
    {name: 'snapshot load', args: ['snapshot', 'load', 'other', '--yes'], count: 2},
  ];
  for (const {name, args, count} of changes)
    test(`${name}: the line that it prints brings everything back`, async () => {
      await fill(count);
      const before = await entries();
      const other = formatExport([['k000001', '"theirs"']]);
      await writeFile(join(directory, 'other'), other);
      await mkdir(snapshotsDir(), {mode: 0o700});
      await writeFile(join(snapshotsDir(), 'other.ndjson'), other);
      const {exitCode, stderr} = await run(args, {input: other});
      assert.equal(exitCode, 0, stderr);
      assert.notEqual(await entries(), before);
      const back = await undo(undoLineIn(stderr));
      assert.equal(back.exitCode, 0, back.stderr);
      assert.equal(await entries(), before);
      const [saved = ''] = (await snapshots()).filter(file => file.startsWith('before-'));
      assert.equal((await stat(join(snapshotsDir(), saved))).mode & 0o777, shownMode(0o600));
    });

  test('up to 100 keys are deleted without a snapshot, and an empty store is reset without one', async () => {
    await fill(100);
    assert.equal((await run(['delete', '--prefix', 'k', '--yes'])).stderr, '');
    assert.equal((await run(['reset', '--yes'])).stderr, '');
    assert.deepEqual(await snapshots(), []);
  });

  test('what is written elsewhere after the deletion of a prefix stays when it is undone', async () => {
    await fill(101);
    await run(['put', 'other', '1']);
    const {stderr} = await run(['delete', '--prefix', 'k', '--yes']);
    await run(['put', 'later', '2']);
    await undo(undoLineIn(stderr));
    const listed = (await run(['list', '--json'])).stdout.trimEnd().split('\n');
    assert.equal(listed.length, 103);
  });

  test('what is written between the snapshot and the deletion stays', async () => {
    await fill(3);
    const {entries: stored} = service.crewroom;
    const port = await forward(async (method, path) => {
      // Before the snapshot, after it, and after its page was listed.
      if (path.startsWith('/api/export')) await stored.put('k000000', 'before');
      if (method === 'GET' && path.includes('limit=1000')) await stored.put('new', 'after');
      if (method === 'POST' && path === '/api/transactions') await stored.put('k000001', 'last');
    });
    const where = ['--port', String(port), '--data-dir', join(directory, 'data')];
    const {stdout} = await machine.run(['reset', '--yes', '--json', ...where], {workingDirectory: directory});
    const {deleted, keptEntries} = JSON.parse(stdout);
    assert.deepEqual([deleted, keptEntries], [2, 2]);
    const {entries: left} = await stored.list();
    assert.deepEqual(
      left.map(({key}) => key),
      ['k000001', 'new'],
    );
  });

  const replacing = [
    {name: 'import --mode replace', args: ['import', 'other', '--mode', 'replace']},
    {name: 'import --mode replace from a pipe', args: ['import', '-', '--mode', 'replace']},
    {name: 'snapshot load', args: ['snapshot', 'load', 'other']},
  ];
  for (const {name, args} of replacing)
    test(`what is written between the snapshot and ${name} is not deleted`, async () => {
      await fill(3);
      const other = formatExport([['k000001', '"theirs"']]);
      await writeFile(join(directory, 'other'), other);
      await mkdir(snapshotsDir(), {mode: 0o700});
      await writeFile(join(snapshotsDir(), 'other.ndjson'), other);
      const {entries: stored} = service.crewroom;
      const port = await forward(async (method, path) => {
        if (method !== 'POST' || path.includes('dryRun=true')) return;
        await stored.put('k000002', 'after');
        await stored.put('new', 'after');
      });
      const where = ['--yes', '--port', String(port), '--data-dir', join(directory, 'data')];
      const {exitCode} = await machine.run([...args, ...where], {workingDirectory: directory, input: other});
      const left = (await stored.list({values: true})).entries.map(({key, json}) => [
        key,
        Buffer.from(json).toString(),
      ]);
      assert.deepEqual([exitCode, ...left], [0, ['k000001', '"theirs"'], ['k000002', '"after"'], ['new', '"after"']]);
    });

  test('nothing is replaced in another store than the one that was saved', async () => {
    await fill(3);
    const other = await startInTest({ephemeral: false});
    for (const key of ['k000000', 'theirs']) await other.crewroom.entries.put(key, 'theirs');
    const target = {port: service.port};
    const port = await forward(async (method, path, headers) => {
      if (method !== 'POST' || path.includes('dryRun=true')) return;
      target.port = other.port;
      // The other store does not know it, and needs none.
      delete headers.authorization;
    }, target);
    await writeFile(join(directory, 'other'), formatExport([['k000001', '"ours"']]));
    const where = ['--yes', '--port', String(port), '--data-dir', join(directory, 'data')];
    const args = ['import', 'other', '--mode', 'replace', ...where];
    const {exitCode, stderr} = await machine.run(args, {workingDirectory: directory});
    assert.deepEqual(
      (await other.crewroom.entries.list()).entries.map(({key}) => key),
      ['k000000', 'theirs'],
    );
    assert.match(stderr, /revision of another store/);
    assert.notEqual(exitCode, 0);
  });

  test('with --json the document names the snapshot and the command', async () => {
    await fill(2);
    const {stdout, stderr} = await run(['reset', '--yes', '--json']);
    const {deleted, snapshot} = JSON.parse(stdout);
    assert.deepEqual([deleted, stderr], [2, '']);
    assert.deepEqual(await snapshots(), [`${snapshot.name}.ndjson`]);
    assert.match(snapshot.undo, /^crewroom snapshot load before-reset-\S+ --port \d+ --data-dir \S+$/);
  });

  test('import --mode replace into another service saves what that has', async () => {
    await fill(2);
    const other = await startInTest();
    await other.crewroom.entries.put('theirs', 1);
    const {stderr} = await run(['import', 'many', '--port', String(other.port), '--mode', 'replace', '--yes']);
    assert.equal(await other.crewroom.entries.get('theirs'), undefined);
    const line = undoLineIn(stderr);
    assert.match(line, new RegExp(` --port ${other.port}\\b`));
    const back = await undo(line);
    assert.equal(back.exitCode, 0, back.stderr);
    assert.equal((await other.crewroom.entries.get('theirs'))?.json.length, 1);
  });
});

describe('plugin remove --data', () => {
  const ID = 'com.example.a';
  async function removeAt(places: {readonly data: string; readonly plugins: string}, ...flags: string[]) {
    const where = ['--port', String(await findFreePort()), '--data-dir', places.data, '--plugins-dir', places.plugins];
    return machine.run(['plugin', 'remove', ID, '--data', '--yes', ...where, ...flags]);
  }
  async function makePlugin() {
    const home = await mkdtemp(join(machine.home, "it's a home-"));
    const places = {
      data: join(home, 'data'),
      plugins: join(home, 'plugins'),
      storage: join(home, 'data/plugin-storage', ID),
    };
    await writePlugin(join(places.plugins, ID));
    await mkdir(join(places.storage, 'sub'), {recursive: true});
    await writeFile(join(places.storage, 'sub', 'flights.json'), '[1]');
    return {home, ...places};
  }

  test('keeps the files as a snapshot, and the line that it prints brings them back', async () => {
    const {storage, data, plugins} = await makePlugin();
    const {exitCode, stderr} = await removeAt({data, plugins});
    assert.deepEqual([exitCode, existsSync(storage)], [0, false], stderr);
    const listed = plain((await machine.run(['snapshot', 'list', '--data-dir', data])).stdout);
    assert.match(listed, /before-remove-\S+ +files of com\.example\.a/);
    const back = await undo(undoLineIn(stderr));
    assert.equal(back.exitCode, 0, back.stderr);
    assert.equal(await readFile(join(storage, 'sub', 'flights.json'), 'utf8'), '[1]');
  });

  test('keeps them also if they are larger than all automatic snapshots may be', async () => {
    const {storage, data, plugins} = await makePlugin();
    // Sparse: it takes no space.
    await truncate(join(storage, 'sub', 'flights.json'), 300 * 1024 * 1024);
    const {exitCode, stderr} = await removeAt({data, plugins});
    assert.equal(exitCode, 0, stderr);
    const [kept = ''] = await readdir(`${data}-snapshots`);
    const {size} = await stat(join(`${data}-snapshots`, kept, ID, 'sub', 'flights.json'));
    assert.equal(size, 300 * 1024 * 1024);
  });

  test('files that the plugin has again are not replaced', async () => {
    const {storage, data, plugins} = await makePlugin();
    const {stderr} = await removeAt({data, plugins});
    await mkdir(storage, {recursive: true});
    await writeFile(join(storage, 'new'), '1');
    const back = await undo(undoLineIn(stderr));
    assert.match(back.stderr, /the plugin com\.example\.a has files there/);
    assert.deepEqual(await readdir(storage), ['new']);
  });

  test('removes nothing if they cannot be kept, and goes on with --no-snapshot', async () => {
    const {home, storage, data, plugins} = await makePlugin();
    await writeFile(join(home, 'data-snapshots'), 'a file is in the way');
    const refused = await removeAt({data, plugins});
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /Nothing was deleted, since it could not be undone; .*--no-snapshot/);
    assert.deepEqual([existsSync(storage), existsSync(join(plugins, ID))], [true, true]);
    const {exitCode, stderr} = await removeAt({data, plugins}, '--no-snapshot');
    assert.deepEqual([exitCode, stderr, existsSync(storage), existsSync(join(plugins, ID))], [0, '', false, false]);
  });

  test.runIf(existsSync('/dev/shm'))('files move to another file system too', async () => {
    const other = await mkdtemp('/dev/shm/crewroom-');
    onTestFinished(() => rm(other, {recursive: true, force: true}));
    const {storage} = await makePlugin();
    await moveTree(storage, join(other, 'kept', ID));
    assert.deepEqual(
      [existsSync(storage), await readFile(join(other, 'kept', ID, 'sub', 'flights.json'), 'utf8')],
      [false, '[1]'],
    );
  });

  test.runIf(existsSync('/dev/shm') && canMount())(
    'files that cannot be removed after they were copied stay as a snapshot (needs permission to mount)',
    async () => {
      const other = await mkdtemp('/dev/shm/crewroom-');
      onTestFinished(() => rm(other, {recursive: true, force: true}));
      const {storage} = await makePlugin();
      const busy = join(storage, 'zz');
      await mkdir(busy);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'crewroom-test', busy]);
      try {
        const kept = join(other, 'a.files');
        await assert.rejects(keepFiles(storage, kept));
        assert.equal(await readFile(join(kept, ID, 'sub', 'flights.json'), 'utf8'), '[1]');
      } finally {
        execFileSync('umount', [busy]);
      }
    },
  );
});

describe('without a snapshot nothing is deleted', () => {
  test('a directory that another user may write to', async () => {
    await fill(2);
    await mkdir(snapshotsDir());
    await chmod(snapshotsDir(), 0o777);
    const {exitCode, stderr} = await run(['reset', '--yes']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /Nothing was deleted/);
    assert.equal(await countEntries(), 2);
  });

  test('--no-snapshot goes on', async () => {
    await fill(2);
    await writeFile(snapshotsDir(), 'a file is in the way');
    const refused = await run(['reset', '--yes', '--json']);
    const {code, advice} = JSON.parse(refused.stderr);
    assert.deepEqual([refused.exitCode, code], [1, 'snapshot-failed']);
    assert.match(advice, /^Nothing was deleted, .*--no-snapshot/);
    assert.deepEqual(await run(['reset', '--yes', '--no-snapshot']), {
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: '',
    });
    assert.equal((await run(['list'])).stdout, '');
  });

  test.runIf(canMount())('a full disk (needs permission to mount)', async () => {
    await fill(2000);
    const disk = await mkdtemp(join(machine.home, 'disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k,mode=0700', 'crewroom-test', disk]);
    try {
      await symlink(disk, snapshotsDir());
      const {exitCode, stderr} = await run(['reset', '--yes']);
      assert.equal(exitCode, 1);
      assert.match(stderr, /Cannot save a snapshot in .*: the disk is full\nNothing was deleted/);
      assert.deepEqual(await readdir(disk), []);
      assert.equal(await countEntries(), 2000);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  test('a service in memory is reset without one', async () => {
    const memory = await startInTest({ephemeral: true});
    await memory.crewroom.entries.put('a', 1);
    const {exitCode, stderr} = await machine.run(['reset', '--yes', '--port', String(memory.port)]);
    assert.deepEqual([exitCode, stderr], [0, '']);
  });
});

describe('automatic snapshots', () => {
  test('the last five stay, and named ones are never deleted', async () => {
    await fill(1);
    await run(['snapshot', 'save', 'mine']);
    const made: string[] = [];
    for (let count = 0; count < 7; count++) {
      await fill(1);
      made.push(JSON.parse((await run(['reset', '--yes', '--json'])).stdout).snapshot.name);
    }
    assert.deepEqual(await snapshots(), [...made.slice(-5).map(name => `${name}.ndjson`), 'mine.ndjson'].sort());
  });

  const HOURS = ['00', '01', '02', '03', '04'];
  const olderName = (hour: string): string => `before-reset-20260101t${hour}0000000z`;

  test('the oldest can be loaded, and stays until another is made', async () => {
    await fill(1);
    await mkdir(snapshotsDir(), {mode: 0o700});
    for (const hour of HOURS)
      await writeFile(join(snapshotsDir(), `${olderName(hour)}.ndjson`), formatExport([['k', `"${hour}"`]]));
    const {exitCode, stderr} = await run(['snapshot', 'load', olderName('00'), '--yes']);
    assert.equal(exitCode, 0, stderr);
    assert.match(await entries(), /"00"/);
    const left = await snapshots();
    assert.deepEqual([left.length, left.includes(`${olderName('00')}.ndjson`)], [5, true]);
  });

  test('the loaded one stays also beyond 200 MB', async () => {
    await fill(1);
    await mkdir(snapshotsDir(), {mode: 0o700});
    for (const hour of HOURS.slice(0, 2))
      await writeFile(join(snapshotsDir(), `${olderName(hour)}.ndjson`), formatExport([['k', `"${hour}"`]]));
    // Sparse: it takes no space.
    await truncate(join(snapshotsDir(), `${olderName('01')}.ndjson`), 300 * 1024 * 1024);
    const {exitCode, stderr} = await run(['snapshot', 'load', olderName('00'), '--yes']);
    assert.equal(exitCode, 0, stderr);
    const left = (await snapshots()).filter(name => name.startsWith('before-reset'));
    assert.deepEqual(left, [`${olderName('00')}.ndjson`]);
  });

  test('what a killed command left of one goes after a day', async () => {
    await mkdir(snapshotsDir(), {mode: 0o700});
    const [old, recent] = ['00', '01'].map(hour => `.${olderName(hour)}.0a1b.new`) as [string, string];
    for (const name of [old, recent, '.mine.ndjson.0a1b.new']) await writeFile(join(snapshotsDir(), name), '');
    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of [old, '.mine.ndjson.0a1b.new']) await utimes(join(snapshotsDir(), name), yesterday, yesterday);
    await fill(1);
    assert.equal((await run(['reset', '--yes'])).exitCode, 0);
    const left = (await snapshots()).filter(name => name.endsWith('.new'));
    assert.deepEqual(left, [recent, '.mine.ndjson.0a1b.new']);
  });

  test('together they have at most 200 MB', async () => {
    await mkdir(snapshotsDir(), {mode: 0o700});
    for (const hour of ['01', '02']) {
      const file = join(snapshotsDir(), `before-reset-20260101t${hour}0000000z.ndjson`);
      await writeFile(file, formatExport([]));
      // Sparse: it takes no space.
      await truncate(file, 150 * 1024 * 1024);
    }
    await fill(1);
    const {name} = JSON.parse((await run(['reset', '--yes', '--json'])).stdout).snapshot;
    assert.deepEqual(await snapshots(), ['before-reset-20260101t020000000z.ndjson', `${name}.ndjson`]);
  });
});

/** Forwards requests to a service, each after a function was called. @returns The port. */
async function forward(
  before: (method: string, path: string, headers: IncomingHttpHeaders) => Promise<void>,
  to: Pick<TestService, 'port'> = service,
): Promise<number> {
  const server = createServer(async (incoming, outgoing) => {
    const {method = '', url = '', headers} = incoming;
    await before(method, url, headers);
    const {port} = to;
    const target = {port, host: '127.0.0.1', method, path: url, headers: {...headers, host: `127.0.0.1:${port}`}};
    const sent = request(target, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Returns whether this process may mount a file system. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'crewroom-test', '/mnt'], {stdio: 'ignore'});
    execFileSync('umount', ['/mnt']);
    return true;
  } catch {
    return false;
  }
}
