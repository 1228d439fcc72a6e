import assert from 'node:assert/strict';
import {once} from 'node:events';
import {chmod, mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import type {AddressInfo} from 'node:net';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import type {Finding} from '../../src/cli/doctor/finding.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {DATA_FORMAT} from '../../src/store/disk/data-format.ts';
import {findFreePort} from '../support/free-port.ts';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

interface Examined {
  readonly exitCode: number | null;
  readonly findings: readonly Finding[];
  readonly problemCount: number;
  readonly warningCount: number;
}

async function examine(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Examined> {
  const {exitCode, stdout, stderr} = await machine.run(['doctor', '--json', ...args], {environment});
  assert.equal(stderr, '');
  return {exitCode, ...(JSON.parse(stdout) as Omit<Examined, 'exitCode'>)};
}

/** Returns the findings of one check as text. */
function about({findings}: Examined, check: string): readonly string[] {
  return findings.filter(finding => finding.check === check).map(({level, detail}) => `${level}: ${detail}`);
}

/** Returns a port on which nothing listens, as a flag takes it. */
async function freePort(): Promise<string> {
  return String(await findFreePort());
}

/** Makes a data directory with some entries that no service uses. */
async function createData(name: string): Promise<string> {
  const dataDir = join(home, name);
  const service = await machine.start(['--data-dir', dataDir]);
  for (let index = 0; index < 50; index++)
    await fetch(`${service.url}/api/store/key-${index}`, {method: 'PUT', body: `"MARK-${index} ${'x'.repeat(50)}"`});
  await service.stop();
  return dataDir;
}

/** Flips a bit of one value in the file of a store. */
async function corrupt(dataDir: string, key: string): Promise<void> {
  const path = join(dataDir, 'store', 'data.mdb');
  const bytes = await readFile(path);
  // Flip it in every copy: only one of them is in use.
  for (let at = bytes.indexOf(`MARK-${key} `); at !== -1; at = bytes.indexOf(`MARK-${key} `, at + 1)) bytes[at] = 0x4e;
  await writeFile(path, bytes);
}

describe('crewroom doctor', () => {
  test('finds no problems while a service runs, and verifies every entry through it', async () => {
    const dataDir = join(home, 'well');
    const service = await machine.start(['--data-dir', dataDir]);
    await fetch(`${service.url}/api/store/a`, {method: 'PUT', body: '1'});
    const port = String(service.port);
    const examined = await examine(['--deep', '--data-dir', dataDir, '--port', port]);
    assert.deepEqual(
      {exitCode: examined.exitCode, problemCount: examined.problemCount},
      {exitCode: 0, problemCount: 0},
    );
    assert.match(about(examined, 'Node').join(), new RegExp(`^ok: ${process.versions.node}`));
    assert.match(about(examined, 'Service')[0] ?? '', /^ok: .* answers, its store is read-write$/);
    assert.ok(about(examined, 'Data').includes(`ok: data format ${DATA_FORMAT}; process ${service.child.pid} uses it`));
    // Only Linux tells which process has a port, and lets another process read the store.
    const isLinux = process.platform === 'linux';
    const holder = isLinux ? `Crewroom \\S+ \\(process ${service.child.pid}\\)$` : '';
    assert.match(about(examined, 'Port')[0] ?? '', new RegExp(holder));
    assert.deepEqual(isLinux ? about(examined, 'Entries') : [], isLinux ? ['ok: all 1 match their checksums'] : []);
    await service.stop();
  });

  test('warns if no service runs yet, and changes no file', async () => {
    const examined = await examine(['--deep', '--data-dir', join(home, 'new'), '--port', await freePort()]);
    assert.deepEqual(
      {exitCode: examined.exitCode, problemCount: examined.problemCount, warningCount: examined.warningCount},
      {
        exitCode: 0,
        problemCount: 0,
        // On other systems users cannot be recognised.
        warningCount: process.platform === 'linux' ? 1 : 2,
      },
    );
    assert.match(about(examined, 'Service')[0] ?? '', /^warning: it does not run at/);
    assert.match(about(examined, 'Data')[0] ?? '', /will be created at the first start$/);
    assert.deepEqual(about(examined, 'Entries'), ['ok: there are none yet']);
    await assert.rejects(readFile(join(home, 'new')), {code: 'ENOENT'});
  });

  test('finds another program on the port', async () => {
    const server = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    const examined = await examine(['--port', String(port), '--ephemeral']);
    assert.equal(examined.exitCode, 6);
    const holder = process.platform === 'linux' ? new RegExp(`\\(process ${process.pid}\\)$`) : /is used by/;
    assert.match(about(examined, 'Port')[0] ?? '', holder);
    assert.match(about(examined, 'Port')[0] ?? '', /^problem/);
    server.close();
  });

  test('finds every invalid setting, and checks the others', async () => {
    const args = ['--log-level', 'loud', '--host', '0.0.0.0', '--port', '0', '--ephemeral'];
    const examined = await examine(args, {CREWROOM_PROT: '1'});
    assert.equal(examined.exitCode, 6);
    assert.deepEqual(about(examined, 'Settings'), [
      'problem: CREWROOM_PROT is not a setting; did you mean CREWROOM_PORT?',
      'problem: --log-level has to be error, info or debug, not "loud"',
      'problem: host is "0.0.0.0", which other machines could call',
    ]);
    assert.deepEqual(about(examined, 'Identity'), ['ok: the sample that comes with Crewroom']);
  });

  test('finds every problem of a profile', async () => {
    const profile = join(home, 'bad.json');
    await writeFile(
      profile,
      JSON.stringify({...SAMPLE_DOCUMENT, va_user: {...SAMPLE_DOCUMENT.va_user, rank: 7, dbID: 'x'}}),
    );
    const examined = await examine(['--profile', profile, '--ephemeral', '--port', await freePort()]);
    assert.equal(examined.exitCode, 6);
    assert.equal(about(examined, 'Identity').length, 2);
    assert.match(about(examined, 'Identity').join('\n'), /\$\.va_user\.rank is a number and has to be a string/);
  });

  const directories = [
    {
      name: 'a file instead of it',
      prepare: (path: string) => writeFile(path, ''),
      found: /^problem: .* is not a directory$/,
    },
    {
      name: 'a newer format',
      prepare: async (path: string) => {
        await mkdir(path, {mode: 0o700});
        await writeFile(join(path, 'format.json'), '{"format": 99}', {mode: 0o600});
      },
      found: /^problem: Cannot open .*: it has data format 99/,
    },
    {
      name: 'other files in it',
      prepare: async (path: string) => {
        await mkdir(path, {mode: 0o700});
        await writeFile(join(path, 'letter.txt'), '', {mode: 0o600});
      },
      found: /^problem: Cannot use .*: it holds other files, such as "letter\.txt"/,
    },
    {
      name: 'a store that is missing',
      prepare: async (path: string) => {
        await mkdir(path, {mode: 0o700});
        await writeFile(join(path, 'format.json'), JSON.stringify({format: DATA_FORMAT}), {mode: 0o600});
      },
      found: /^problem: .*data\.mdb is missing/,
    },
  ];
  for (const [index, {name, prepare, found}] of directories.entries()) {
    test(`finds ${name} of the data directory`, async () => {
      const path = join(home, `directory-${index}`);
      await prepare(path);
      const examined = await examine(['--deep', '--data-dir', path, '--port', await freePort()]);
      assert.equal(examined.exitCode, 6);
      assert.ok(
        about(examined, 'Data').some(text => found.test(text)),
        about(examined, 'Data').join('\n'),
      );
    });
  }

  test('finds a damaged lock, and names the file to delete', async () => {
    const path = await createData('damaged-lock');
    const file = join(path, 'lock', 'data.mdb');
    await writeFile(file, (await readFile(file)).fill(0xee, 0, 8192));
    const examined = await examine(['--deep', '--data-dir', path, '--port', await freePort()]);
    const found = examined.findings.find(({check, level}) => check === 'Data' && level === 'problem');
    assert.match(found?.detail ?? '', /its lock is damaged/);
    assert.equal(
      found?.fix,
      `Delete ${join(path, 'lock')}, which contains no data, after you stopped every Crewroom that uses the directory`,
    );
  });

  test('finds tokens of programs with which the service does not start, and says what to do', async () => {
    const path = await createData('damaged-tokens');
    const file = join(path, 'access-tokens.json');
    const args = ['--data-dir', path, '--port', await freePort()];
    const newer = '{"format": "crewroom-access-tokens", "version": 2}';
    for (const {text, code, detail, fix} of [
      {text: '{', code: 'invalid-token-file', detail: /: .*JSON/, fix: /^Correct the file, or delete it, start the/},
      {
        ...{text: '{"tokens": []}', code: 'invalid-token-file', fix: /^Correct the file, or delete it, start the/},
        detail: /it needs "format": "crewroom-access-tokens" and "version": 1: add what is missing/,
      },
      {
        ...{text: newer, code: 'data-format-unsupported', fix: /^Open or export it with the version of Crewroom that/},
        detail: /it has data format 2, and this version has format 1/,
      },
    ]) {
      await writeFile(file, text, {mode: 0o600});
      const examined = await examine(args);
      assert.equal(examined.exitCode, 6);
      const found = examined.findings.find(({check}) => check === 'Tokens');
      assert.match(found?.detail ?? '', /^Cannot .*access-tokens\.json"/);
      assert.match(found?.detail ?? '', detail);
      assert.match(found?.fix ?? '', fix);
      const started = await machine.run(['start', '--json', ...args]);
      assert.equal(started.exitCode, 1);
      assert.equal(JSON.parse(started.stderr.split('\n')[0] ?? '').code, code);
    }
    await rm(file);
    assert.equal((await examine(args)).problemCount, 0);
  });

  test.skipIf(process.platform === 'win32')('warns where other users may read, and changes nothing', async () => {
    const path = join(home, 'open');
    await mkdir(path);
    await chmod(path, 0o755);
    const examined = await examine(['--data-dir', path, '--port', await freePort()]);
    assert.equal(examined.exitCode, 0);
    assert.ok(about(examined, 'Data').includes(`warning: other users may read ${path}`));
  });

  test('has advice for everything that is not ok', async () => {
    const examined = await examine(['--log-level', 'x', '--profile', 'none.json', '--port', await freePort()]);
    for (const {level, fix, detail} of examined.findings) assert.equal(fix === undefined, level === 'ok', detail);
  });

  test('shows each finding on a line, its advice below, and a summary at the end', async () => {
    const {exitCode, stdout} = await machine.run([
      'doctor',
      '--ephemeral',
      '--log-level',
      'x',
      '--port',
      await freePort(),
    ]);
    assert.equal(exitCode, 6);
    assert.match(stdout, /^problem Settings +--log-level has to be .*\n +→ .*\n/m);
    assert.match(stdout, /\n1 problem, 1 warning\n$/);
  });

  test.runIf(process.platform === 'linux')('marks findings on a terminal', async () => {
    const {stdout} = await machine.runOnTerminal(['doctor', '--ephemeral', '--port', await freePort()]);
    assert.match(plain(stdout), /^✔ Node +\d+/);
    assert.match(plain(stdout), /\n! Service .*\n +→ Start it/);
  });
});

describe('crewroom doctor --deep', () => {
  test('lists each corrupt entry of a store that no process uses', async () => {
    const dataDir = await createData('corrupt');
    await corrupt(dataDir, '7');
    await corrupt(dataDir, '31');
    const examined = await examine(['--deep', '--data-dir', dataDir, '--port', await freePort()]);
    assert.equal(examined.exitCode, 6);
    const [aboutLog = '', ...aboutEntries] = about(examined, 'Entries');
    // The change log has a copy of each value, which was corrupted, too.
    assert.match(aboutLog, /^warning: (1 record|2 records) of the change log cannot be read$/);
    assert.deepEqual(aboutEntries, [
      'problem: "key-31" does not match its checksum',
      'problem: "key-7" does not match its checksum',
    ]);
  });

  test.runIf(process.platform === 'linux')('names them through the service that uses the store', async () => {
    const dataDir = await createData('corrupt-in-use');
    await corrupt(dataDir, '7');
    await corrupt(dataDir, '31');
    const service = await machine.start(['--data-dir', dataDir]);
    const examined = await examine(['--deep', '--data-dir', dataDir, '--port', String(service.port)]);
    assert.deepEqual(about(examined, 'Entries'), [
      'problem: "key-31" does not match its checksum',
      'problem: "key-7" does not match its checksum',
    ]);
    await service.stop();
  });

  test('does not read files that a service on another port writes', async () => {
    const dataDir = await createData('elsewhere');
    const service = await machine.start(['--data-dir', dataDir]);
    const examined = await examine(['--deep', '--data-dir', dataDir, '--port', await freePort()]);
    assert.deepEqual(about(examined, 'Entries'), [
      `warning: process ${service.child.pid} uses the directory, so they cannot be verified`,
    ]);
    await service.stop();
  });

  test('reports entries that cannot be read, though the engine may end the process that reads them', async () => {
    const dataDir = await createData('lost');
    const path = join(dataDir, 'store', 'data.mdb');
    const bytes = await readFile(path);
    for (let at = bytes.indexOf('MARK-7 '); at !== -1; at = bytes.indexOf('MARK-7 ', at + 1)) {
      const page = Math.floor(at / 4096) * 4096;
      bytes.fill(0, page, page + 4096);
    }
    await writeFile(path, bytes);
    const examined = await examine(['--deep', '--data-dir', dataDir, '--port', await freePort()]);
    assert.equal(examined.exitCode, 6);
    assert.match(about(examined, 'Entries')[0] ?? '', /^problem: \d+ cannot be read: in data\.mdb table "entries": /);
  });
});

describe('crewroom doctor reports where a session is kept', () => {
  const noKeychain = {DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(home, 'no-bus')}`};

  test.skipIf(process.platform !== 'linux')('in a file, where there is no keychain', async () => {
    const [finding = ''] = about(await examine(['--data-dir', join(home, 'kept')], noKeychain), 'Session');
    assert.ok(
      finding.startsWith(`ok: kept in ${join(home, 'kept', 'session.json')}, which only you can read`),
      finding,
    );
  });

  for (const flag of ['--no-keep-session', '--ephemeral']) {
    test(`in memory with ${flag}`, async () => {
      assert.deepEqual(about(await examine([flag], noKeychain), 'Session'), [
        'ok: kept in memory, lost when the service stops',
      ]);
    });
  }

  test('and the problems of an airline', async () => {
    const file = join(home, 'airline.json');
    await writeFile(file, JSON.stringify({...SAMPLE_DOCUMENT.airline, id: 'seven'}));
    const examined = await examine(['--ephemeral', '--airline', file]);
    assert.equal(examined.exitCode, 6);
    assert.deepEqual(about(examined, 'Airline'), [
      `problem: Cannot use the airline ${JSON.stringify(file)}: $.id is a string and has to be a number`,
    ]);
    await writeFile(file, JSON.stringify(SAMPLE_DOCUMENT.airline));
    assert.deepEqual(about(await examine(['--ephemeral', '--airline', file]), 'Airline'), [
      `ok: ${file}; pilots sign in at https://air.example/back-end/`,
    ]);
  });
});
