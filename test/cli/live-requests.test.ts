import assert from 'node:assert/strict';
import {chmod, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {exchange} from '../support/raw-client.ts';
import {callService, connectInTest} from '../support/service.ts';
import {createMachine, MAIN, plain, type Running} from './crewroom.ts';

const machine = await createMachine();

interface OnTerminal extends Running {
  readonly port: number;
  /** Sends a request from a web page, or from a program without an origin. */
  call(line: string, origin?: string): Promise<void>;
  press(keys: string): void;
  /** Waits until the terminal has shown a text since the last call of this function. */
  shows(text: string | RegExp): Promise<string>;
}

/** Starts a service on a terminal without colours. */
async function startOnTerminal(args: readonly string[] = [], columns = 80, environment = {}): Promise<OnTerminal> {
  const running = machine.spawnOnTerminal(['start', '--port', '0', '--ephemeral', ...args], {
    columns,
    environment: {NO_COLOR: '1', ...environment},
  });
  let from = 0;
  const unseen = (): string => running.said().stdout.slice(from);
  const shows = async (text: string | RegExp): Promise<string> => {
    await running.until(() => (typeof text === 'string' ? unseen().includes(text) : text.test(unseen())));
    const shown = unseen();
    from += shown.length;
    return shown;
  };
  const banner = await shows('Press h for help');
  const port = Number(/(?:localhost|127\.0\.0\.1):(\d+)/.exec(banner)?.[1]);
  return {
    ...running,
    port,
    shows,
    call: async (line, origin) => {
      await callService({port}, line, origin === undefined ? {} : {headers: [`Origin: ${origin}`]});
    },
    press: keys => void running.child.stdin.write(keys),
  };
}

async function stop(running: OnTerminal): Promise<void> {
  running.press('q');
  const {exitCode, stdout} = await running.finished;
  assert.equal(exitCode, 0);
  assert.match(plain(stdout), /Stopping: .*\nStopped\n/s);
}

/** Returns the lines of a text, as a terminal of a width would show them if none is too wide. */
function linesOf(text: string): readonly string[] {
  return plain(text).split('\n');
}

describe.runIf(process.platform === 'linux')('requests on the terminal of crewroom start', () => {
  for (const columns of [60, 120]) {
    test(`are one line each, which is no wider than ${columns} columns`, async () => {
      const running = await startOnTerminal(['--requests', 'all'], columns);
      await running.call('GET /api/identity');
      await running.call(`GET /nothing/${'long'.repeat(50)}/${encodeURIComponent('東京')}?token=secret`);
      await running.call('GET /livez');
      const shown = await running.shows('/livez');
      const lines = linesOf(shown).filter(line => line.trim() !== '');
      assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d {2}GET {4}200 +[\d.]+ ms .* \/api\/identity$/);
      const widths = lines.filter(line => /^\d\d:/.test(line)).map(line => line.length);
      assert.ok(widths.length === 3 && Math.max(...widths) < columns, shown);
      assert.equal(shown.includes('1.1 KiB'), columns === 120, 'the size is shown where there is space');
      assert.ok(!shown.includes('secret'));
      await stop(running);
    });
  }

  test('are by default the refused ones, with what to do, and no log line besides', async () => {
    const running = await startOnTerminal([], 120);
    await running.call('GET /api/identity');
    await running.call('GET /api/store/absent');
    await running.call('GET /api/identity', 'http://localhost:5173');
    const shown = await running.shows('--allow-origin http://localhost:5173\r\n');
    assert.deepEqual(linesOf(shown.trim()).slice(1), [
      '          Cannot serve pages of "http://localhost:5173": the origin is not allowed',
      '          If the page is yours, start the service with --allow-origin http://localhost:5173',
    ]);
    assert.match(
      shown.trim(),
      /^\d\d:\d\d:\d\d {2}GET {4}403 +[\d.]+ ms +\d+ B {2}\/api\/identity {2}http:\/\/localhost:5173\r\n/,
    );
    assert.ok(!shown.includes('absent') && !shown.includes('request refused'), shown);
    await stop(running);
  });

  test('are not shown with --requests off, where the log has the refused ones', async () => {
    const running = await startOnTerminal(['--requests', 'off'], 120);
    await running.call('GET /api/identity', 'http://localhost:5173');
    assert.match(await running.shows('toAllow'), /request refused .*toAllow=--allow-origin http:\/\/localhost:5173/s);
    await stop(running);
  });

  test('cannot send commands to the terminal', async () => {
    const running = await startOnTerminal(['--requests', 'all'], 120);
    const attack = '\u009b2J\u202e';
    const bytes = Buffer.from(
      `GET /x?${'y'} HTTP/1.1\r\nHost: localhost:${running.port}\r\nOrigin: ${attack}\r\n\r\n`,
      'utf8',
    );
    await exchange({port: running.port}, bytes);
    const shown = await running.shows(/\/x\?/);
    assert.ok(!/[\u0080-\u009f\u202e]/.test(shown), JSON.stringify(shown));
    await stop(running);
  });
});

describe.runIf(process.platform === 'linux')('keys on the terminal of crewroom start', () => {
  test('h shows all keys, and the Enter key an empty line', async () => {
    const running = await startOnTerminal();
    running.press('h');
    const shown = plain(await running.shows('stop the service'));
    for (const key of ['h', 'o', 'r', 'a', 'q']) assert.match(shown, new RegExp(`^  ${key}  \\w`, 'm'));
    running.press('\r');
    assert.match(await running.shows('\n'), /\n/);
    await stop(running);
  });

  test('r shows the last requests, those that were not refused too', async () => {
    const running = await startOnTerminal();
    running.press('r');
    await running.shows('No requests yet');
    for (let count = 1; count <= 25; count++) await running.call(`GET /api/store/${count}`);
    running.press('r');
    const shown = plain(await running.shows('/api/store/25'));
    assert.match(shown, /The last requests, at most 20:/);
    assert.ok(shown.includes('/api/store/6') && !/\/api\/store\/5\b/.test(shown), shown);
    await stop(running);
  });

  test('a shows also those of the console, which are left out', async () => {
    const running = await startOnTerminal(['--requests', 'all']);
    await callService({port: running.port}, 'GET /', {headers: ['Sec-Fetch-Dest: document']});
    await running.call('GET /livez');
    assert.doesNotMatch(plain(await running.shows('/livez')), /GET +200 .* \/$/m);
    running.press('a');
    assert.match(plain(await running.shows('/livez')), /GET +200 .* \/$/m);
    await stop(running);
  });

  test('o opens the console with a code of the owner, which no terminal shows, or says why it cannot', async () => {
    const launcher = join(machine.home, 'xdg-open');
    await writeFile(launcher, '#!/bin/sh\nprintf %s "$1" > "$0.opened"\n');
    await chmod(launcher, 0o755);
    const environment = {PATH: `${machine.home}:${process.env['PATH']}`, DISPLAY: ':0'};
    const running = await startOnTerminal(['--requests', 'all'], 120, environment);
    const codes = new Set<string>();
    for (let count = 0; count < 2; count++) {
      running.press('o');
      await running.shows(`Opened the console as the owner; http://localhost:${running.port}/ only reads`);
      const opened = await readFile(`${launcher}.opened`, 'utf8');
      const [, code = ''] = /^http:\/\/crewroom\.localhost:\d+\/#code=([\w-]{43})$/.exec(opened) ?? [];
      codes.add(code);
      const headers = [`Origin: http://crewroom.localhost:${running.port}`, 'Sec-Fetch-Site: same-origin'];
      const host = `crewroom.localhost:${running.port}`;
      const answer = await callService(running, 'POST /api/access/page-tokens', {
        ...{headers, host},
        body: JSON.stringify({code}),
      });
      assert.equal(answer.status, 201);
    }
    assert.equal(codes.size, 2);
    for (const code of codes) assert.ok(!running.said().stdout.includes(code));
    assert.ok(!/#code|crewroom_/.test(running.said().stdout + running.said().stderr));
    await stop(running);

    const without = await startOnTerminal([], 120);
    without.press('o');
    const address = `http://localhost:${without.port}/`;
    await without.shows(`this session has no display; open ${address} to read`);
    assert.ok(!without.said().stdout.includes('#code'));
    await stop(without);
  });

  test('o opens a console that only reads if the service gives no code', async () => {
    const launcher = join(machine.home, 'xdg-open');
    await writeFile(launcher, '#!/bin/sh\nprintf %s "$1" > "$0.opened"\n');
    await chmod(launcher, 0o755);
    const environment = {PATH: `${machine.home}:${process.env['PATH']}`, DISPLAY: ':0'};
    const running = await startOnTerminal(['--host', '127.0.0.1'], 250, environment);
    running.press('o');
    const address = `http://127.0.0.1:${running.port}/`;
    await running.shows(`Opened ${address}, which only reads. Cannot open the console as the owner`);
    assert.equal(await readFile(`${launcher}.opened`, 'utf8'), address);
    await stop(running);
  });

  test('Ctrl+C stops the service, also among pasted text, of which no other character is a key', async () => {
    const running = await startOnTerminal();
    running.press('quick quit');
    await running.call('GET /nothing');
    await running.shows('/nothing');
    // Repeated, since a key that the terminal delivers together with the pasted text is part of that text.
    await expect
      .poll(() => {
        running.press('h');
        return running.said().stdout;
      })
      .toContain('stop the service');
    running.press('q\u0003');
    assert.equal((await running.finished).exitCode, 0);
  });

  test('a second Ctrl+C ends it at once', async () => {
    const running = await startOnTerminal();
    const client = await connectInTest(running);
    const head = [
      'PUT /api/store/slow HTTP/1.1',
      `Host: localhost:${running.port}`,
      'Content-Length: 5',
      'Expect: 100-continue',
    ];
    await client.send(Buffer.from(`${head.join('\r\n')}\r\n\r\n`));
    await client.readUntil('100 Continue');
    running.press('\u0003');
    await running.shows('Stopping');
    running.press('\u0003');
    assert.equal((await running.finished).exitCode, 130);
  });

  test('Ctrl+Z suspends it, and there are keys again when it continues', async () => {
    const main = [process.execPath, MAIN, 'start', '--port', '0', '--ephemeral'].join(' ');
    const state = `stty -a | grep -Eo -- '-?(icanon|isig|echo)\\b' | tr '\\n' ' '`;
    const script = join(machine.home, 'jobs.sh');
    await writeFile(script, `set -m\n${main}\necho "suspended: $(${state})"\nfg\necho "ended: $(${state})"\n`);
    const running = machine.spawnLineOnTerminal(`exec bash --norc ${script}`);
    await running.until(({stdout}) => stdout.includes('Press h'));
    running.child.stdin.write('\u001a');
    await running.until(({stdout}) => /suspended: .*isig/.test(stdout));
    await running.until(({stdout}) => stdout.split(main).length > 1);
    running.child.stdin.write('h');
    await running.until(({stdout}) => stdout.includes('stop the service'));
    running.child.stdin.write('q');
    const {stdout} = await running.finished;
    for (const when of ['suspended', 'ended']) {
      const words = new RegExp(`${when}: (.*)`).exec(plain(stdout))?.[1]?.trim().split(' ').sort();
      assert.deepEqual(words, ['echo', 'icanon', 'isig'], when);
    }
  });

  test('a service in the background runs, and does not touch the terminal', async () => {
    const main = [process.execPath, MAIN, 'start', '--port', '0', '--ephemeral'].join(' ');
    const script = join(machine.home, 'background.sh');
    await writeFile(script, `set -m\n${main} &\nread line\necho "jobs: $(jobs)"\nkill %1\nwait\n`);
    const running = machine.spawnLineOnTerminal(`exec bash --norc ${script}`);
    await running.until(({stdout}) => stdout.includes('Press h'));
    running.child.stdin.write('q\r');
    const {stdout} = await running.finished;
    assert.match(stdout, /jobs: .*Running/);
    assert.match(stdout, /Stopped/);
  });

  const ends = [
    {name: 'SIGTERM', code: `process.on('SIGUSR2', () => process.kill(process.pid, 'SIGTERM'))`},
    {name: 'a crash', code: `process.on('SIGUSR2', () => setImmediate(() => { throw new Error('crash'); }))`},
  ];
  for (const {name, code} of ends) {
    test(`the terminal is as before after ${name}`, async () => {
      const started = `import {writeFileSync} from 'node:fs';writeFileSync('pid', String(process.pid));${code}`;
      const environment = {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(started)}`};
      const main = [process.execPath, MAIN, 'start', '--port', '0', '--ephemeral'].join(' ');
      const running = machine.spawnLineOnTerminal(`${main}; stty -a`, {environment});
      await running.until(({stdout}) => stdout.includes('Press h'));
      process.kill(Number(await readFile(join(machine.home, 'pid'), 'utf8')), 'SIGUSR2');
      const {stdout} = await running.finished;
      assert.match(stdout, /\bisig icanon .*\becho\b/);
    });
  }
});

describe('crewroom start --requests', () => {
  test('logs requests as JSON where there is no terminal, if they are asked for', async () => {
    const service = await machine.start(['--ephemeral', '--requests', 'all']);
    await callService(service, 'GET /api/keys?prefix=a/');
    await callService(service, 'GET /nothing');
    await service.until(({stderr}) => stderr.includes('/nothing'));
    const {stderr} = await service.stop();
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(({message}) => message.startsWith('request'));
    assert.deepEqual(
      lines.map(({message, method, path, status}) => ({message, method, path, status})),
      [
        {message: 'request', method: 'GET', path: '/api/keys?prefix=a/', status: 200},
        {message: 'request', method: 'GET', path: '/nothing', status: 404},
      ],
    );
  });

  test('logs none without the flag', async () => {
    const service = await machine.start(['--ephemeral']);
    await callService(service, 'GET /api/keys');
    const {stderr} = await service.stop();
    assert.ok(!stderr.includes('"request"'), stderr);
  });

  test('takes only its three values', async () => {
    const {exitCode, stderr} = await machine.run(['start', '--requests', 'some']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /--requests has to be all, refused or off, not "some"/);
  });
});
