import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {formatExport, manyEntries} from '../support/exports.ts';
import {findFreePort} from '../support/free-port.ts';
import {startService, type TestService} from '../support/service.ts';
import {createMachine, type Finished, MAIN, plain, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
const directory = join(machine.home, 'work');
// In this process, since there is one for each test: only the commands are what users run.
let service: TestService;
beforeEach(async () => {
  service = await startService({ephemeral: true});
  await mkdir(directory);
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(directory, {recursive: true});
});

/** A user that is neither the one of the tests nor root. */
const OTHER_USER = 65_534;

/** Makes a pipe that has a name. */
function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

/** A command line for the service of this test, or for another one. */
function line([command = '', ...others]: readonly string[], port = service.port): readonly string[] {
  return [command, '--port', String(port), ...others];
}

function run(args: readonly string[], options?: RunOptions, port?: number): Promise<Finished> {
  return machine.run(line(args, port), {workingDirectory: directory, ...options});
}

function runOnTerminal(args: readonly string[], options?: RunOptions): Promise<Finished> {
  return machine.runOnTerminal(line(args), {workingDirectory: directory, ...options});
}

async function putSome(): Promise<void> {
  await run(['put', 'a/1', '[1.0]']);
  await run(['put', 'a/2', '{"x":\n9007199254740993}']);
  await run(['put', 'b', '2', '--ttl', '1h']);
}

async function values(port?: number): Promise<string> {
  return (await run(['list', '--values'], {}, port)).stdout;
}

const SILENT: Finished = {exitCode: 0, signal: null, stdout: '', stderr: ''};

/** The result of an export into a file, which says so in a pipe too. */
function exported(entries: number, name: string): object {
  return {
    ...SILENT,
    stderr: expect.stringContaining(`Exported ${entries} entries at revision ${entries} to ${name} (`),
  };
}

describe('crewroom export', () => {
  test('writes a file that only its owner may read, and import brings it back', async () => {
    await putSome();
    const before = await values();
    expect(await run(['export', 'backup.ndjson'])).toEqual(exported(3, 'backup.ndjson'));
    const file = join(directory, 'backup.ndjson');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match(
      await readFile(file, 'utf8'),
      /"expiresAt":"[^"]+Z","writtenBy":"owner","value":2\}\n\{"end":true,"entries":3\}\n$/,
    );
    await run(['reset', '--yes']);
    assert.deepEqual(await run(['import', 'backup.ndjson']), SILENT);
    assert.equal(await values(), before);
  });

  test('writes to standard output with "-" and without a name', async () => {
    await putSome();
    const {stdout} = await run(['export']);
    assert.equal(stdout.split('\n').length, 6);
    assert.deepEqual(await run(['export', '-']), {...SILENT, stdout});
    const {stdout: some} = await run(['export', '--prefix', 'a/']);
    assert.match(some, /"prefix":"a\/"\}\n(?:\{"key":"a\/.*\n){2}\{"end":true,"entries":2\}\n$/);
  });

  test('replaces a file only with --force', async () => {
    await writeFile(join(directory, 'f'), 'precious', {mode: 0o644});
    const refused = await run(['export', 'f']);
    assert.deepEqual([refused.exitCode, refused.stdout], [4, '']);
    assert.match(
      refused.stderr,
      /Cannot write to "f": it exists already\nName another file, or replace it with --force\n/,
    );
    assert.equal(await readFile(join(directory, 'f'), 'utf8'), 'precious');
    const {stdout} = await run(['export', 'f', '--force', '--json']);
    assert.deepEqual(JSON.parse(stdout), {file: join(directory, 'f'), entries: 0, revision: '0', sizeBytes: 93});
    assert.equal((await stat(join(directory, 'f'))).mode & 0o777, 0o600);
  });

  test('names the file that it cannot write', async () => {
    const {exitCode, stderr} = await run(['export', 'none/f']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /Cannot write to "none\/f": there is no such directory/);
  });

  test('refuses a name that is something else on Windows, and only there', async () => {
    for (const name of ['nul.ndjson', 'COM1', 'a.ndjson:b', 'a?']) {
      const {exitCode, stderr} = await run(['export', name], {platform: 'win32'});
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, /Cannot write to ".*": it has /);
      expect(await run(['export', name])).toEqual(exported(0, name));
    }
  });

  test.skipIf(process.platform === 'win32')('refuses what is not a file, also with --force', async () => {
    await writeFile(join(directory, 'f'), 'mine');
    await symlink('f', join(directory, 'link'));
    makePipe(join(directory, 'pipe'));
    for (const name of ['link', 'pipe', '/dev/null', '.'])
      for (const flags of [[], ['--force']]) {
        const {exitCode, stderr} = await run(['export', name, ...flags]);
        assert.equal(exitCode, 1);
        assert.match(
          stderr,
          /^crewroom: Cannot write to ".*": it is not a file; without a name the export goes to standard output\n/,
        );
      }
    assert.equal(await readFile(join(directory, 'f'), 'utf8'), 'mine');
    assert.ok((await lstat(join(directory, 'link'))).isSymbolicLink());
  });

  test('reports what it wrote on a terminal', async () => {
    await putSome();
    const {exitCode, stdout} = await runOnTerminal(['export', 'f']);
    assert.equal(exitCode, 0);
    assert.match(plain(stdout), /Exported 3 entries at revision 3 to f \(\d+ B\)\n$/);
  });

  test('fails when nothing answers, and leaves no file', async () => {
    assert.equal((await run(['export', 'f'], {}, await findFreePort())).exitCode, 5);
    assert.deepEqual(await readdir(directory), []);
  });

  const cuts = [
    {name: 'is cut off', end: (socket: {destroy(): void}) => socket.destroy()},
    {name: 'ends without its trailer', end: (_: unknown, end: () => void) => end()},
  ];
  for (const {name, end} of cuts) {
    test(`that ${name} leaves no file, and says so`, async () => {
      await using server = await serveOnce(response => {
        response.writeHead(200, {'Crewroom-API': '1'});
        response.write(formatExport(manyEntries(3)).split('\n').slice(0, 3).join('\n'), () =>
          end(response, () => response.end()),
        );
      });
      const {exitCode, stderr} = await run(['export', 'f'], {}, server.port);
      assert.equal(exitCode, 1);
      assert.match(stderr, /it was cut off before its end\nSee the log of the service; "crewroom doctor --deep" names/);
      assert.deepEqual(await readdir(directory), []);
      assert.equal((await run(['export'], {}, server.port)).exitCode, 1);
    });
  }

  test('leaves no file after Ctrl+C', async () => {
    let begun: () => void;
    const isBegun = new Promise<void>(resolve => (begun = resolve));
    await using server = await serveOnce(response => {
      response.writeHead(200, {'Crewroom-API': '1'});
      response.write('{"format":"crewroom-export","version":1,"revision":"1","prefix":""}\n', () => begun());
    });
    const running = machine.spawn(line(['export', 'f'], server.port), {workingDirectory: directory, input: ''});
    await isBegun;
    while ((await readdir(directory)).length === 0) await new Promise(resolve => setTimeout(resolve, 5));
    running.child.kill('SIGINT');
    assert.equal((await running.finished).exitCode, 130);
    assert.deepEqual(await readdir(directory), []);
  });
});

describe('crewroom import', () => {
  async function writeExport(name: string, text: string): Promise<void> {
    await writeFile(join(directory, name), text);
  }

  test('prints its result as JSON, also of a dry run', async () => {
    await run(['put', 'k000000', '1']);
    await run(['put', 'z', '1']);
    await writeExport('f', formatExport(manyEntries(3)));
    const counts = {entries: 3, created: 2, replaced: 1, expired: 0, deleted: 1, batches: 1};
    const dry = await run(['import', 'f', '--mode', 'replace', '--dry-run', '--json']);
    assert.deepEqual(JSON.parse(dry.stdout), {dryRun: true, ...counts, revision: '2'});
    assert.equal(
      (await run(['import', 'f', '--mode', 'replace', '--dry-run'])).stdout,
      'Would import 3 entries: 2 created, 1 replaced, 1 other deleted\n',
    );
    const done = await run(['import', 'f', '--mode', 'replace', '--yes', '--json']);
    assert.deepEqual(JSON.parse(done.stdout), {dryRun: false, ...counts, revision: '3'});
  });

  test('reads standard input', async () => {
    const text = formatExport(manyEntries(2500));
    assert.deepEqual(await run(['import', '-'], {input: text}), SILENT);
    assert.equal((await values()).split('\n').length, 2501);
  });

  test('names the line that is wrong, and stores nothing of a file, however long it is', async () => {
    await writeExport('f', formatExport(manyEntries(3000)).replace('"k002900"', '7'));
    const {exitCode, stdout, stderr} = await run(['import', 'f']);
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /Cannot import line 2902: \$\.key has to be a string; nothing was stored\n/);
    assert.equal(await values(), '');
    const failure = JSON.parse((await run(['import', 'f', '--json'])).stderr) as Record<string, unknown>;
    assert.deepEqual([failure['code'], failure['line'], failure['imported']], ['invalid-import', 2902, 0]);
  });

  test('that Ctrl+C ends says how many entries are stored, and that it can be run again', async () => {
    const running = machine.spawn(line(['import', '-']));
    // The rest never comes, and the pipe stays open.
    running.child.stdin.write(formatExport(manyEntries(5000)).split('\n').slice(0, 4500).join('\n'));
    for (;;) {
      const page = await service.crewroom.entries.list({prefix: 'k003999'});
      if (page.entries.length > 0) break;
      await setImmediate();
    }
    running.child.kill('SIGINT');
    const {exitCode, stdout, stderr} = await running.finished;
    assert.deepEqual([exitCode, stdout], [130, '']);
    assert.equal(stderr, 'crewroom: Interrupted: 4,000 entries stored; you can safely run it again\n');
    let count = 0;
    for await (const _ of service.crewroom.entries.listAll()) count++;
    assert.equal(count, 4000);
  });

  for (const {name, signal, isWritten} of [
    {name: 'that nothing writes to', signal: 'SIGINT', isWritten: false},
    {name: 'whose writer is silent', signal: 'SIGTERM', isWritten: true},
  ] as const) {
    test.skipIf(process.platform !== 'linux')(`of a pipe ${name} ends with ${signal}`, async () => {
      const pipe = join(directory, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const running = machine.spawn(line(['import', 'pipe']), {workingDirectory: directory});
      await until(() => hasOpen(running.child.pid, pipe));
      const writer = isWritten ? await open(pipe, 'w') : undefined;
      running.child.kill(signal);
      const {exitCode, stderr} = await running.finished;
      await writer?.close();
      assert.deepEqual([exitCode, stderr], [130, 'crewroom: Interrupted: nothing was stored\n']);
    });
  }

  test.skipIf(process.platform === 'win32')(
    'of a pipe waits for its writer, and takes all that it writes',
    async () => {
      execFileSync('mkfifo', [join(directory, 'pipe')]);
      const imported = run(['import', 'pipe', '--json']);
      await writeFile(join(directory, 'pipe'), formatExport(manyEntries(2500)));
      const {stdout, stderr} = await imported;
      assert.equal((JSON.parse(stdout || stderr) as {readonly entries: number}).entries, 2500);
    },
  );

  test('of standard input says how much was stored', async () => {
    const input = formatExport(manyEntries(3000)).replace('"k002900"', '7');
    const {exitCode, stderr} = await run(['import', '-'], {input});
    assert.equal(exitCode, 1);
    assert.match(stderr, /line 2902: .*; 2000 entries before it were stored, in 2 batches\n/);
  });

  const misuses = [
    {name: 'no file', args: ['import'], says: /FILE is missing/},
    {name: 'a directory', args: ['import', '.'], says: /Cannot read "\.": it is a directory/},
    {name: 'another mode', args: ['import', '-', '--mode', 'x'], says: /--mode has to be merge or replace, not "x"/},
    {
      name: 'replace without --yes',
      args: ['import', '-', '--mode', 'replace'],
      says: /it replaces entries\nConfirm that on a terminal, or with --yes\n/,
    },
    {name: 'no such action', args: ['snapshot', 'eat'], says: /ACTION has to be save, load, list or delete, not "eat"/},
    {name: 'a snapshot without a name', args: ['snapshot', 'save'], says: /save needs a NAME/},
    {name: 'a name with a path', args: ['snapshot', 'save', '../x'], says: /"\.\.\/x" is not a valid name/},
    {name: 'a dot at the end of a name', args: ['snapshot', 'save', 'a.'], says: /"a\." is not a valid name/},
    {
      name: 'the name of a device',
      args: ['snapshot', 'save', 'con'],
      says: /"con" is not a valid name: .* and no device of Windows\n/,
    },
  ];
  for (const {name, args, says} of misuses) {
    test(`refuses ${name}, with exit code 2`, async () => {
      const {exitCode, stderr} = await run(args);
      assert.match(stderr, says);
      assert.equal(exitCode, 2);
    });
  }

  test('on a terminal shows its progress, asks before it replaces, and tells what it did', async () => {
    await run(['put', 'z', '1']);
    await writeExport('f', formatExport(manyEntries(250_000)));
    const {exitCode, stdout} = await runOnTerminal(['import', 'f', '--mode', 'replace'], {input: 'y\n'});
    assert.equal(exitCode, 0);
    assert.match(stdout, /\r\u001b\[K[^\r]*(?:Checking|Importing): \d+% of \d/);
    assert.match(stdout, /\r\u001b\[KImported /);
    const said = plain(stdout);
    assert.match(said, /Import 250,000 entries: 250,000 created, 1 other deleted\? \[y\/N\]/);
    assert.match(said, /Imported 250,000 entries: 250,000 created, 1 other deleted\n$/);
  });

  test('on a terminal does nothing unless the user confirms', async () => {
    await run(['put', 'z', '1']);
    await writeExport('f', formatExport(manyEntries(1)));
    const {exitCode, stdout} = await runOnTerminal(['import', 'f', '--mode', 'replace'], {input: 'n\n'});
    assert.equal(exitCode, 1);
    assert.match(plain(stdout), /Nothing was changed\n$/);
    assert.equal(await values(), 'z\t1\n');
  });

  test('in a pipe shows no progress', async () => {
    await writeExport('f', formatExport(manyEntries(60_000)));
    assert.deepEqual(await run(['import', 'f']), SILENT);
  });
});

describe('an export of one service and an import into another', () => {
  test('copy entries', async () => {
    const other = await machine.start();
    try {
      await putSome();
      await run(['put', 'z', '1'], {}, other.port);
      await run(['export', 'some', '--prefix', 'a/']);
      assert.deepEqual(await run(['import', 'some'], {}, other.port), SILENT);
      assert.equal((await values(other.port)).split('\n').length, 4);
      const input = (await run(['export'])).stdout;
      const {stdout} = await run(['import', '-', '--mode', 'replace', '--yes', '--json'], {input}, other.port);
      assert.deepEqual(JSON.parse(stdout), {
        ...{dryRun: false, entries: 3, created: 1, replaced: 2, expired: 0, deleted: 1, batches: 1},
        revision: '3',
      });
      assert.equal(await values(other.port), await values());
    } finally {
      await other.stop();
    }
  });
});

describe('crewroom snapshot', () => {
  test('saves everything under a name, and restores it', async () => {
    await putSome();
    const before = await values();
    assert.deepEqual(await run(['snapshot', 'save', 'before']), SILENT);
    const {stdout} = await machine.run(['paths', '--json']);
    const {snapshotsDir} = JSON.parse(stdout) as {readonly snapshotsDir: {readonly path: string}};
    assert.deepEqual(await readdir(snapshotsDir.path), ['before.ndjson']);
    await run(['put', 'a/1', '"changed"']);
    await run(['put', 'new', '1']);
    await run(['delete', 'b']);
    assert.equal((await run(['snapshot', 'load', 'before'])).exitCode, 2);
    assert.deepEqual(await run(['snapshot', 'load', 'before', '--yes']), SILENT);
    assert.equal(await values(), before);
  });

  test('lists them, replaces one only with --force, and deletes them', async () => {
    await putSome();
    const dataDir = ['--data-dir', join(directory, 'data')];
    await run(['snapshot', 'save', 'one', ...dataDir]);
    assert.equal((await stat(join(directory, 'data-snapshots'))).mode & 0o777, 0o700);
    assert.equal((await stat(join(directory, 'data-snapshots', 'one.ndjson'))).mode & 0o777, 0o600);
    assert.equal((await run(['snapshot', 'save', 'one', ...dataDir])).exitCode, 4);
    await run(['delete', 'b']);
    const saved = JSON.parse((await run(['snapshot', 'save', 'one', '--force', '--json', ...dataDir])).stdout);
    assert.deepEqual([saved.name, saved.entries, saved.revision], ['one', 2, '4']);
    await writeFile(join(directory, 'data-snapshots', 'cut.ndjson'), formatExport([]).slice(0, 60));
    // Not a snapshot, and not waited for.
    const pipe = join(directory, 'data-snapshots', 'pipe.ndjson');
    if (process.platform !== 'win32') execFileSync('mkfifo', [pipe]);
    const piped = (await run(['snapshot', 'list', ...dataDir])).stdout;
    await rm(pipe, {force: true});
    const table = plain((await runOnTerminal(['snapshot', 'list', ...dataDir])).stdout);
    assert.match(piped, /^NAME {2}ENTRIES +REVISION {2}SIZE +SAVED\ncut {3}incomplete .*\none {3}2 +4 .*Z\n$/);
    assert.equal(table, `${piped}"crewroom snapshot load NAME" restores one\n`);
    assert.equal((await run(['snapshot', 'load', 'cut', '--yes', ...dataDir])).exitCode, 1);
    assert.deepEqual(await run(['snapshot', 'delete', 'one', ...dataDir]), SILENT);
    assert.deepEqual(await readdir(join(directory, 'data-snapshots')), ['cut.ndjson']);
  });
});

describe.runIf(process.platform === 'linux')('what another user planted', () => {
  test('next to the file of an export is not followed', async () => {
    await putSome();
    await writeFile(join(directory, 'victim'), 'mine');
    // The shell knows the process id that the command will have.
    const command = [process.execPath, MAIN, ...line(['export', 'out.ndjson'])].join(' ');
    const planting = `ln -s victim .out.ndjson.$$.new; exec ${command}`;
    const {exitCode} = await machine.spawnLineOnTerminal(planting, {workingDirectory: directory}).finished;
    assert.equal(exitCode, 0);
    assert.equal(await readFile(join(directory, 'victim'), 'utf8'), 'mine');
    assert.ok((await lstat(join(directory, 'out.ndjson'))).isFile());
  });

  const places = [
    {
      name: 'of another user',
      plant: async (path: string) => {
        await mkdir(path);
        await chown(path, OTHER_USER, OTHER_USER);
      },
      problem: /it belongs to user 65534/,
      needsRoot: true,
    },
    {
      name: 'that is a link to one of another user',
      plant: async (path: string) => {
        await mkdir(`${path}-theirs`);
        await chown(`${path}-theirs`, OTHER_USER, OTHER_USER);
        await symlink(`${path}-theirs`, path);
      },
      problem: /it belongs to user 65534/,
      needsRoot: true,
    },
    {
      name: 'that other users may write to',
      plant: async (path: string) => {
        await mkdir(path);
        await chmod(path, 0o777);
      },
      problem: /other users may write to it/,
      needsRoot: false,
    },
  ];
  for (const {name, plant, problem, needsRoot} of places) {
    test.skipIf(needsRoot && process.getuid?.() !== 0)(`a directory of snapshots ${name} is not used`, async () => {
      await plant(join(directory, 'data-snapshots'));
      await writeFile(join(directory, 'data-snapshots', 'x.ndjson'), formatExport([]));
      for (const args of [['save', 'new'], ['load', 'x', '--yes'], ['list'], ['delete', 'x']]) {
        const {exitCode, stderr} = await run(['snapshot', ...args, '--data-dir', join(directory, 'data')]);
        assert.match(stderr, problem);
        assert.equal(exitCode, 1);
      }
      assert.deepEqual(await readdir(join(directory, 'data-snapshots')), ['x.ndjson']);
    });
  }
});

/** Returns whether a process has a file open, as Linux tells. */
async function hasOpen(processId: number | undefined, path: string): Promise<boolean> {
  const files = `/proc/${processId}/fd`;
  const opened = await Promise.all((await readdir(files)).map(file => readlink(join(files, file)).catch(() => '')));
  return opened.includes(path);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setImmediate();
}

interface Answering extends AsyncDisposable {
  readonly port: number;
}

/** A server that is not a Crewroom, and answers every request in the same way. */
async function serveOnce(
  answer: (response: Parameters<Parameters<typeof createServer>[1] & {}>[1]) => void,
): Promise<Answering> {
  const server = createServer((_, response) => answer(response));
  const port = await listen(server);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
