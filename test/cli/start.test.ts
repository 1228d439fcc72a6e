import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile, readlink, symlink, writeFile} from 'node:fs/promises';
import {createServer, type IncomingMessage, request, type ServerResponse} from 'node:http';
import {type AddressInfo, createServer as createNetServer, type Server} from 'node:net';
import {join} from 'node:path';
import {afterEach, describe, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {findFreePort} from '../support/free-port.ts';
import {createMachine, plain, type Service} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

/** Begins a write whose body never ends by itself, and waits until the service reads it. */
async function beginWrite({port}: Service): Promise<ReturnType<typeof request>> {
  const write = request({
    host: '127.0.0.1',
    port,
    method: 'PUT',
    path: '/api/store/slow',
    headers: {Expect: '100-continue'},
  });
  write.flushHeaders();
  await once(write, 'continue');
  write.write('"be');
  return write;
}

describe('crewroom start, for programs', () => {
  test('prints in one JSON line what it serves and at which address', async () => {
    const service = await machine.start(['--data-dir', join(home, 'told')]);
    const {level, version, port, urls, identity, storeKind, dataDir, docs, processId} = service.started;
    assert.equal(level, 'info');
    assert.match(String(version), /^\d+\.\d+\.\d+/);
    assert.equal((urls as readonly string[])[0], `http://127.0.0.1:${port}`);
    assert.deepEqual(identity, {source: 'sample', pilot: 'captain', summary: 'Ada Quill (CRW0042), Crewroom Air'});
    assert.deepEqual({storeKind, dataDir}, {storeKind: 'lmdb', dataDir: join(home, 'told')});
    assert.equal(docs, `http://localhost:${port}/docs`);
    assert.equal(processId, service.child.pid);
    const {stdout, stderr, exitCode} = await service.stop();
    assert.equal(exitCode, 0);
    assert.equal(stdout, '');
    const messages = stderr
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as {message: string}).message);
    assert.deepEqual(messages, ['started', 'stopping', 'stopped']);
  });

  test('listens on both loopback addresses where there are two', async () => {
    const service = await machine.start();
    for (const url of service.started['urls'] as readonly string[])
      assert.equal((await fetch(`${url}/livez`)).status, 200, url);
    await service.stop();
  });

  test('serves a profile, and names its file', async () => {
    const profile = join(home, 'me.json');
    await writeFile(profile, JSON.stringify(SAMPLE_DOCUMENT));
    const service = await machine.start(['--ephemeral', '--profile', 'me.json']);
    assert.deepEqual(service.started['identity'], {
      source: 'profile',
      file: profile,
      summary: 'Ada Quill (CRW0042), Crewroom Air',
    });
    await service.stop();
  });
});

test.skipIf(process.platform !== 'linux')('an idle service takes less than 90 MB of memory', async () => {
  const service = await machine.start();
  await fetch(`${service.url}/api/identity`);
  const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8');
  assert.ok(Number(/VmRSS:\s+([0-9]+) kB/.exec(status)?.[1]) < 90 * 1024, status);
  await service.stop();
});

describe('crewroom start, asked to stop', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`finishes a request in flight at ${signal}, keeps what it acknowledged, and exits with 0`, async () => {
      const dataDir = join(home, `stop-${signal}`);
      const service = await machine.start(['--data-dir', dataDir]);
      const write = await beginWrite(service);
      service.child.kill(signal);
      await service.until(({stderr}) => stderr.includes('"stopping"'));
      write.end('fore"');
      const [response] = (await once(write, 'response')) as [IncomingMessage];
      assert.equal(response.statusCode, 201);
      assert.deepEqual(await service.finished.then(({exitCode, signal: by}) => ({exitCode, by})), {
        exitCode: 0,
        by: null,
      });

      const again = await machine.start(['--data-dir', dataDir]);
      assert.equal(await (await fetch(`${again.url}/api/store/slow`)).text(), '"before"');
      await again.stop();
    });
  }

  test.skipIf(process.platform === 'win32')('ends in good order when its terminal is closed', async () => {
    const dataDir = join(home, 'hang-up');
    const service = await machine.start(['--data-dir', dataDir]);
    const write = await beginWrite(service);
    service.child.kill('SIGHUP');
    await service.until(({stderr}) => stderr.includes('"stopping"'));
    write.end('fore"');
    const [response] = (await once(write, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 201);
    assert.equal((await service.finished).signal, 'SIGHUP');
    assert.match(service.said().stderr, /"stopped"/);
  });

  test('cuts off a request that does not end, within five seconds', async () => {
    const service = await machine.start();
    const write = await beginWrite(service);
    write.on('error', () => {});
    const {exitCode, stderr} = await service.stop();
    assert.equal(exitCode, 0);
    // By the clock of the service itself, without the start and the end of its process: 3.5 seconds, and what the store needs.
    const [stoppingMs = 0, stoppedMs = Number.NaN] = ['stopping', 'stopped'].map(message => {
      const line = stderr.split('\n').find(each => each.includes(`"message":"${message}"`)) ?? '{}';
      return Date.parse((JSON.parse(line) as {readonly time: string}).time);
    });
    assert.ok(stoppedMs - stoppingMs < 5000, stderr);
  });

  test('ends at once at a second SIGINT', async () => {
    const service = await machine.start();
    const write = await beginWrite(service);
    write.on('error', () => {});
    service.child.kill('SIGINT');
    await service.until(({stderr}) => stderr.includes('"stopping"'));
    service.child.kill('SIGINT');
    assert.equal((await service.finished).exitCode, 130);
  });

  test('counts the second SIGINT of one Ctrl+C, which a package manager passes on, as the first', async () => {
    const service = await machine.start(['--ephemeral'], {environment: {npm_lifecycle_event: 'start'}});
    const write = await beginWrite(service);
    service.child.kill('SIGINT');
    await service.until(({stderr}) => stderr.includes('"stopping"'));
    service.child.kill('SIGINT');
    write.end('fore"');
    const [response] = (await once(write, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 201);
    assert.equal((await service.finished).exitCode, 0);
  });

  test.skipIf(process.platform === 'win32')('stops well when the signal comes during start-up', async () => {
    // The signal comes as soon as the service listens to it, which is long before it serves.
    const code = `process.on('newListener', name => name === 'SIGTERM' && process.nextTick(process.kill, process.pid, name))`;
    const environment = {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`};
    const {exitCode, stderr} = await machine.runProcess(['start', '--port', '0', '--ephemeral'], {environment});
    assert.equal(exitCode, 0, stderr);
    assert.ok(stderr.includes('"stopped"') && !stderr.includes('"started"'), stderr);
  });
});

describe('crewroom start, after another service has ended', () => {
  test('refuses a data directory that is in use, and names the process', async () => {
    const dataDir = join(home, 'shared');
    const first = await machine.start(['--data-dir', dataDir]);
    const {exitCode, stderr} = await machine.run(['start', '--port', '0', '--data-dir', dataDir]);
    assert.equal(exitCode, 1);
    assert.match(stderr, new RegExp(`^crewroom: Cannot open .*: process ${first.child.pid} uses it\n.*--data-dir`));
    await first.stop();
  });

  test('starts over a lock that SIGKILL left, with all that was acknowledged', async () => {
    const dataDir = join(home, 'killed');
    const first = await machine.start(['--data-dir', dataDir]);
    await fetch(`${first.url}/api/store/kept`, {method: 'PUT', body: '1'});
    first.child.kill('SIGKILL');
    await first.finished;
    const second = await machine.start(['--data-dir', dataDir]);
    assert.equal(await (await fetch(`${second.url}/api/store/kept`)).text(), '1');
    await second.stop();
  });
});

describe('crewroom start, if the port is in use', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function take(host: string): Promise<number> {
    const server = createNetServer(socket => socket.destroy());
    servers.push(server);
    server.listen({host, port: 0, ipv6Only: host === '::1'});
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  for (const {host, shown} of [
    {host: '127.0.0.1', shown: '127.0.0.1'},
    {host: '::1', shown: '[::1]'},
  ]) {
    test(`refuses when only ${host} is taken, and names the holder where the system tells`, async () => {
      const port = await take(host);
      const {exitCode, stderr} = await machine.run(['start', '--ephemeral', '--port', String(port)]);
      assert.equal(exitCode, 1);
      assert.ok(stderr.startsWith(`crewroom: Cannot listen on ${shown}:${port}: `), stderr);
      assert.match(
        stderr,
        process.platform === 'linux' ? new RegExp(`\\(process ${process.pid}\\) uses the port`) : /./,
      );
    });
  }

  test('says that it is a Crewroom when it is one', async () => {
    const first = await machine.start();
    const {exitCode, stderr} = await machine.run(['start', '--ephemeral', '--port', String(first.port), '--json']);
    assert.equal(exitCode, 1);
    const {code, holder} = JSON.parse(stderr) as {code: string; holder: string};
    assert.equal(code, 'address-in-use');
    assert.match(holder, new RegExp(`^Crewroom \\S+ \\(process ${first.child.pid}\\)$`));
    await first.stop();
  });
});

describe('crewroom start, with invalid settings', () => {
  test('refuses an address that other machines could call', async () => {
    const {exitCode, stderr} = await machine.run(['start', '--ephemeral', '--host', '0.0.0.0']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^crewroom: Cannot listen on "0\.0\.0\.0": it is not a loopback address/);
  });

  test('reports every problem of a profile, each with its path', async () => {
    const {settings, ...airline} = SAMPLE_DOCUMENT.airline;
    await writeFile(
      join(home, 'bad.json'),
      JSON.stringify({
        ...SAMPLE_DOCUMENT,
        va_user: {pilotID: 7},
        airline: {...airline, settings: {...settings, scriptURL: 'x'}},
      }),
    );
    const {exitCode, stderr} = await machine.run(['start', '--ephemeral', '--port', '0', '--profile', 'bad.json']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^ {2}\$\.va_user\.pilotID is a number and has to be a string \(line 1\)$/m);
    assert.match(stderr, /^ {2}\$\.airline\.settings\.scriptURL does not end in "\/" \(line 1\)$/m);
  });
});

describe.runIf(process.platform === 'linux')('crewroom start, on a terminal', () => {
  for (const columns of [44, 80])
    test(`breaks its banner and its log between words with ${columns} columns`, async () => {
      const args = ['start', '--ephemeral', '--port', '0', '--log-level', 'debug'];
      const running = machine.spawnOnTerminal(args, {columns});
      await running.until(({stdout}) => stdout.includes('Press h for help'));
      running.child.stdin.write('q');
      await running.finished;
      const lines = plain(running.said().stdout).split(/\r?\n/);
      // An address stays whole, so that it can be copied.
      const broken = lines.filter(line => line.length > columns && !/\S{20,}/.test(line));
      assert.deepEqual(broken, []);
      const text = lines.map(line => line.trim()).join(' ');
      assert.match(text, /a sample; start with --profile FILE to serve your own/);
      assert.match(text, /open: programs and plugins of this user may do everything/);
    });

  test('shows a banner with addresses and commands, and stops at Ctrl+C', async () => {
    const dataDir = join(home, 'seen');
    const running = machine.spawnOnTerminal(['start', '--port', '0', '--data-dir', dataDir]);
    await running.until(({stdout}) => stdout.includes('Stop'));
    const banner = plain(running.said().stdout);
    const port = /localhost:(\d+)/.exec(banner)?.[1];
    for (const line of [
      /Crewroom \d+\.\d+\.\d+ is ready after [\d.]+ m?s\n/,
      new RegExp(`Address +http://localhost:${port} \\(127\\.0\\.0\\.1`),
      /Identity +Ada Quill \(CRW0042\), Crewroom Air\n +a sample; start with --profile FILE to serve your own/,
      new RegExp(`Data +${dataDir}`),
      new RegExp(`Docs +http://localhost:${port}/docs`),
      new RegExp(`Next +curl http://localhost:${port}/api/identity`),
      /Stop +Ctrl\+C/,
    ])
      assert.match(banner, line);
    assert.ok(running.said().stdout.includes('\u001b['), 'it has colours');
    running.child.stdin.write('\u0003');
    const {exitCode, stdout} = await running.finished;
    assert.equal(exitCode, 0);
    assert.match(plain(stdout), /Stopping: .*\nStopped\n/);
  });

  test('has no colours where they are not wanted', async () => {
    for (const environment of [{NO_COLOR: '1'}, {TERM: 'dumb'}]) {
      const running = machine.spawnOnTerminal(['start', '--port', '0', '--ephemeral', '--profile', 'none'], {
        environment,
      });
      await running.until(({stdout}) => stdout.includes('Stop'));
      const {stdout} = running.said();
      assert.ok(!stdout.includes('\u001b'), stdout);
      assert.match(stdout, /Identity +none/);
      assert.match(stdout, /Data +in memory/);
      running.child.stdin.write('\u0003');
      await running.finished;
    }
  });

  test('writes JSON there too with --json', async () => {
    const running = machine.spawnOnTerminal(['start', '--port', '0', '--ephemeral', '--json']);
    await running.until(({stdout}) => stdout.includes('"started"'));
    assert.equal(JSON.parse(running.said().stdout).message, 'started');
    running.child.stdin.write('\u0003');
    await running.finished;
  });
});

test('an unknown program on the port is called by its name only', async () => {
  const impostor = createServer((_request: IncomingMessage, response: ServerResponse) => {
    response.end(JSON.stringify({name: 'crewroom', version: '\u001b[2J'}));
  }).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  const {port} = impostor.address() as AddressInfo;
  const {stderr} = await machine.run(['start', '--ephemeral', '--port', String(port)]);
  assert.ok(!stderr.includes('Crewroom ') && !stderr.includes('\u001b'), stderr);
  impostor.close();
});

describe.runIf(process.platform !== 'win32')('crewroom start, with what is not a file', () => {
  const refused = [
    {name: 'a pipe as config file', args: ['--config', 'pipe'], problem: /pipe is not a regular file/},
    {
      name: 'a device without an end as config file',
      args: ['--config', '/dev/zero'],
      problem: /zero is not a regular file/,
    },
    {name: 'a pipe as profile', args: ['--profile', 'pipe'], problem: /pipe": it is not a regular file/},
    {
      name: 'a pipe in its store',
      args: ['--data-dir', 'piped'],
      problem: /Cannot use .*data\.mdb": it is not a regular file/,
    },
    {name: 'a pipe as airline', args: ['--airline', 'pipe'], problem: /pipe": it is not a regular file/},
    ...(process.platform === 'linux'
      ? [{name: 'a data directory below /proc', args: ['--data-dir', '/proc/x'], problem: /Cannot use "\/proc\/x"/}]
      : []),
  ];
  for (const {name, args, problem} of refused) {
    test(`refuses ${name} at once`, async () => {
      await mkdir(join(home, 'piped', 'store'), {recursive: true});
      spawnSync('mkfifo', [join(home, 'pipe'), join(home, 'piped', 'store', 'data.mdb')]);
      const {exitCode, stderr} = await machine.run(['start', '--port', '0', ...args]);
      assert.match(stderr, problem);
      assert.notEqual(exitCode, 0);
    });
  }
});

test.skipIf(process.platform === 'win32')(
  'a link under the name of a file that start writes is not followed',
  async () => {
    await mkdir(join(home, 'linked'));
    await writeFile(join(home, 'victim'), 'mine');
    await symlink('../victim', join(home, 'linked', 'format.json.new'));
    const service = await machine.start(['--data-dir', 'linked']);
    await service.stop();
    assert.equal(await readFile(join(home, 'victim'), 'utf8'), 'mine');
    assert.match(await readFile(join(home, 'linked', 'format.json'), 'utf8'), /^\{"format":\d+\}\n$/);
  },
);

describe('crewroom start --detached', () => {
  test('returns once a service serves, which outlives it and logs into the file of the platform', async () => {
    const port = String(await findFreePort());
    const started = await machine.runProcess(['start', '--detached', '--port', port, '--ephemeral', '--json']);
    assert.equal(started.exitCode, 0, started.stderr);
    const {url, processId, logFile} = JSON.parse(started.stdout);
    assert.equal(url, `http://127.0.0.1:${port}`);
    assert.match(await readFile(logFile, 'utf8'), new RegExp(`"processId":${processId},"port":${port}`));
    const stopped = await machine.run(['stop', '--port', port, '--json']);
    assert.deepEqual(JSON.parse(stopped.stdout), {stopped: true, processId});
  });

  test.skipIf(process.platform !== 'linux')('does not hold the folder in which it was started (Linux)', async () => {
    const port = String(await findFreePort());
    const folder = join(machine.home, 'unpacked');
    await mkdir(folder);
    await writeFile(join(folder, 'me.json'), JSON.stringify(SAMPLE_DOCUMENT));
    const args = ['start', '--detached', '--port', port, '--ephemeral', '--profile', 'me.json', '--json'];
    const started = await machine.runProcess(args, {workingDirectory: folder});
    assert.equal(started.exitCode, 0, started.stderr);
    const {processId} = JSON.parse(started.stdout);
    assert.equal(await readlink(`/proc/${processId}/cwd`), '/');
    await machine.run(['stop', '--port', port]);
  });

  test('fails with the reason if the service does not start', async () => {
    const port = String(await findFreePort());
    const {exitCode, stderr} = await machine.runProcess([
      'start',
      '--detached',
      '--port',
      port,
      '--profile',
      'none.json',
    ]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^crewroom: .*none\.json/);
  });

  test('does not take another service for its own', async () => {
    const serving = await machine.start();
    const {exitCode, stderr} = await machine.runProcess(['start', '--detached', '--port', String(serving.port)]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /Cannot listen on 127\.0\.0\.1:\d+: Crewroom .* uses the port/);
    await serving.stop();
  });
});
