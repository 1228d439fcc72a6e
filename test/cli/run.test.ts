import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {access, writeFile} from 'node:fs/promises';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {constants} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {processContext} from '../../src/cli/process-context.ts';
import {findFreePort} from '../support/free-port.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {createMachine} from './crewroom.ts';
import {pathsOf} from './in-process.ts';

const machine = await createMachine();

/** Words of a command that runs a script of Node. */
const node = (script: string): readonly string[] => ['--', process.execPath, '-e', script];

describe('crewroom run', () => {
  test('passes the address of its service to the command, and ends with the exit code of the command', async () => {
    const script = `
      const {CREWROOM_URL: url, CREWROOM_HOST: host, CREWROOM_PORT: port} = process.env;
      fetch(url + '/readyz').then(({status}) => console.log(JSON.stringify([url, host, port, status]))).then(() => process.exit(7));`;
    const {exitCode, stdout, stderr} = await machine.runProcess(['run', ...node(script)]);
    const [url, host, port, status] = JSON.parse(stdout) as unknown[];
    assert.deepEqual([url, host, status], [`http://127.0.0.1:${port}`, 'localhost', 200]);
    assert.deepEqual([exitCode, stderr], [7, '']);
  });

  test('uses a free port and no directory, whatever the environment says', async () => {
    const port = await findFreePort();
    const environment = {CREWROOM_PORT: String(port), CREWROOM_URL: 'http://localhost:1'};
    const script = 'console.log(process.env.CREWROOM_PORT)';
    const {stdout, exitCode} = await machine.runProcess(['run', ...node(script)], {environment});
    assert.equal(exitCode, 0);
    assert.notEqual(stdout.trim(), String(port));
    await assert.rejects(access(join(machine.home, 'data', 'crewroom')));
  });

  test('keeps the entries in a directory that is named', async () => {
    const start = ['run', '--data-dir', 'kept', '--'];
    const crewroom = [process.execPath, join(import.meta.dirname, '../../dist/cli/main.js')];
    await machine.runProcess([...start, ...crewroom, 'put', 'a', '1']);
    assert.equal((await machine.runProcess([...start, ...crewroom, 'get', 'a'])).stdout, '1');
  });

  test('starts the command once its plugin answers', async () => {
    const folder = join(machine.home, 'com.example.slow');
    await writePlugin(folder, {
      'background/package.json': '{"type": "module"}',
      'background/index.js': `
        await new Promise(resolve => setTimeout(resolve, 300));
        export const routes = {get: {now: {description: 'Answers', handler: (req, res) => res.json('answered')}}};`,
    });
    const script = `fetch(process.env.CREWROOM_URL + '/api/com.example.slow/now').then(each => each.text()).then(console.log)`;
    const {stdout, stderr} = await machine.runProcess(['run', '--dev-plugin', folder, ...node(script)]);
    assert.equal(stdout, '"answered"\n', stderr);
  });

  test('passes SIGTERM on, and has the exit code of shells for a command that a signal ended', async () => {
    const running = machine.spawn(['run', ...node(`console.log('runs'); setInterval(() => {}, 1000)`)]);
    await running.until(({stdout}) => stdout.includes('runs'));
    running.child.kill('SIGTERM');
    assert.equal((await running.finished).exitCode, 128 + 15);
  });

  test.skipIf(process.platform === 'win32')(
    'ends its plugins when its terminal is closed, after the command',
    async () => {
      const folder = join(machine.home, 'com.example.closed');
      const ended = join(machine.home, 'ended');
      await writePlugin(folder, {
        'background/index.js': `exports.onEnd = () => require('node:fs').writeFileSync(${JSON.stringify(ended)}, '')`,
      });
      const script = `process.on('SIGHUP', () => process.exit(5)); console.log('runs'); setInterval(() => {}, 1000)`;
      const running = machine.spawn(['run', '--dev-plugin', folder, ...node(script)]);
      await running.until(({stdout}) => stdout.includes('runs'));
      running.child.kill('SIGHUP');
      assert.equal((await running.finished).signal, 'SIGHUP');
      await access(ended);
    },
  );

  test('leaves it to the command what a signal does, however often', async () => {
    const script = `
      process.on('SIGTERM', () => process.exit(5)).on('SIGINT', () => console.log('interrupted'));
      console.log('runs');
      setInterval(() => {}, 1000);`;
    const running = machine.spawn(['run', ...node(script)]);
    await running.until(({stdout}) => stdout === 'runs\n');
    running.child.kill('SIGINT');
    await running.until(({stdout}) => stdout.split('interrupted').length === 2);
    running.child.kill('SIGINT');
    await running.until(({stdout}) => stdout.split('interrupted').length === 3);
    running.child.kill('SIGTERM');
    assert.equal((await running.finished).exitCode, 5);
  });

  test('does not end before a command on a terminal that handles Ctrl+C', async () => {
    const script = `
      let times = 0;
      process.on('SIGINT', () => (++times === 3 ? process.exit(5) : console.log('interrupted ' + times)));
      console.log('runs');
      setInterval(() => {}, 1000);`;
    const running = machine.spawnOnTerminal(['run', ...node(script)]);
    for (const text of ['runs\r\n', 'interrupted 1', 'interrupted 2']) {
      await running.until(({stdout}) => stdout.includes(text));
      running.child.stdin.write('\u0003');
    }
    assert.equal((await running.finished).exitCode, 5);
  });

  test('needs a program', async () => {
    const {exitCode, stderr} = await machine.runProcess(['run', 'no-such-program']);
    assert.equal(exitCode, 127);
    assert.match(stderr, /it cannot start "no-such-program": there is no such program/);
    assert.match((await machine.run(['run', ''])).stderr, /COMMAND is empty/);
  });

  test('cannot execute a file that is no program', async () => {
    await writeFile(join(machine.home, 'text'), 'a text');
    const {exitCode, stderr} = await machine.runProcess(['run', './text']);
    assert.match(stderr, /it cannot start ".\/text"/);
    assert.equal(exitCode, 126);
  });

  test('does not begin without a plugin that is not built', async () => {
    const folder = join(machine.home, 'unbuilt');
    await writePlugin(folder, {'plugin.json': manifestOf('com.example.unbuilt'), 'background/index.ts': ''});
    const {exitCode, stderr} = await machine.run(['run', '--dev-plugin', folder, '--', 'no-such-program']);
    assert.equal(exitCode, 125);
    assert.match(stderr, /"com\.example\.unbuilt": it is not built: background\/index\.ts is the source/);
  });

  test.each([
    {what: 'wrong usage', args: ['run']},
    {what: 'a wrong flag', args: ['run', '--no-such-flag', '--', 'true']},
    {what: 'a wrong setting', args: ['run', '--port', 'x', '--', 'true']},
    {what: 'a broken plugin', args: ['run', '--dev-plugin', '.', '--', 'true']},
  ])('ends with 125 after $what, which is none of the command', async ({args}) => {
    const {exitCode, stderr} = await machine.run(args);
    assert.equal(exitCode, 125, stderr);
  });

  test('hands on an exit code of its own range', async () => {
    assert.equal((await machine.runProcess(['run', ...node('process.exit(1)')])).exitCode, 1);
  });
});

describe('crewroom wait', () => {
  test('waits for a service that starts later', async () => {
    const port = String(await findFreePort());
    const waiting = machine.spawn(['wait', '--port', port, '--timeout', '1m'], {input: ''});
    const serving = machine.spawn(['start', '--ephemeral', '--port', port]);
    assert.deepEqual(await waiting.finished, {exitCode: 0, signal: null, stdout: '', stderr: ''});
    serving.child.kill('SIGTERM');
    await serving.finished;
  });

  test('fails after its timeout', async () => {
    const port = String(await findFreePort());
    const {exitCode, stderr} = await machine.run(['wait', '--port', port, '--timeout', '1s']);
    assert.equal(exitCode, 5);
    assert.match(stderr, /nothing listens there/);
  });

  test('says that the store is read-only if it stays so', async () => {
    const readiness = {
      ready: false,
      storeState: 'read-only',
      identity: {source: 'none', signedIn: false, state: 'signed-out'},
    };
    const port = await serve((_, response) =>
      response.writeHead(503, {'Crewroom-API': '1'}).end(JSON.stringify(readiness)),
    );
    const {exitCode, stderr} = await machine.run(['wait', '--port', port, '--timeout', '1s']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /the store has been read-only/);
  });

  test('ends an attempt that gets no answer with its timeout', async () => {
    const port = await serve(() => {});
    const {exitCode, stderr} = await machine.run(['wait', '--port', port, '--timeout', '1s']);
    assert.equal(exitCode, 5);
    assert.match(stderr, /no answer within \d+ ms/);
  });

  for (const timeout of ['0', '-1', '5 s', 'soon']) {
    test(`refuses a timeout of ${timeout}`, async () => {
      assert.equal((await machine.run(['wait', '--timeout', timeout])).exitCode, 2);
    });
  }
});

describe('crewroom stop', () => {
  test('ends the service, after its requests in flight', async () => {
    const serving = await machine.start();
    const {exitCode, stdout} = await machine.run(['stop', '--port', String(serving.port), '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout)], [0, {stopped: true, processId: serving.child.pid}]);
    assert.equal((await serving.finished).exitCode, 0);
  });

  for (const where of [[], ['--ephemeral']])
    test(`asks a service ${where.join('') || 'on disk'} over HTTP, and says so in its log`, async () => {
      const serving = await machine.start(where);
      assert.equal((await machine.run(['stop', '--port', String(serving.port)])).exitCode, 0);
      assert.match((await serving.finished).stderr, /"message":"stopping"/);
    });

  test.runIf(process.platform === 'linux')('sends a signal to a service that does not answer', async () => {
    const serving = await machine.start([]);
    serving.child.kill('SIGSTOP');
    const stopping = machine.run(['stop', '--port', String(serving.port)]);
    // The signal waits until the process goes on.
    await expect.poll(() => isTermPending(serving.child.pid), {interval: 100}).toBe(true);
    serving.child.kill('SIGCONT');
    assert.equal((await stopping).exitCode, 0);
    assert.match((await serving.finished).stderr, /"signal":"SIGTERM"/);
  });

  test('signals no other program', async () => {
    const port = await serve((_, response) => response.end('hello'));
    const {exitCode, stderr} = await machine.run(['stop', '--port', port]);
    assert.equal(exitCode, 5);
    assert.match(stderr, /node \(process \d+\) has its port, and is not a Crewroom/);
  });

  test('sends no signal to a process that has ended', () => {
    const {pid} = spawnSync(process.execPath, ['--version']);
    processContext(process, pathsOf(machine.home, {})).sendSignal(pid, 'SIGTERM');
  });

  test('fails if nothing listens', async () => {
    assert.equal((await machine.run(['stop', '--port', String(await findFreePort())])).exitCode, 5);
  });
});

/** Returns whether SIGTERM waits for a process that is stopped (proc_pid_status(5)). */
function isTermPending(processId: number | undefined): boolean {
  const [, mask = '0'] = /^ShdPnd:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals.SIGTERM - 1))) !== 0n;
}

/** Serves HTTP as another program would. @returns Its port. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}
