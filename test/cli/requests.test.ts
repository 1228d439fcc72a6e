import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {describe, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {callService} from '../support/service.ts';
import {createMachine, MAIN, plain} from './crewroom.ts';

const machine = await createMachine();

describe('crewroom requests', () => {
  test('prints the last requests as JSON lines to programs', async () => {
    const service = await machine.start();
    await callService(service, 'GET /livez');
    await callService(service, 'GET /api/identity', {headers: ['Origin: http://localhost:5173']});
    const {exitCode, stdout} = await machine.run(['requests', '--json', '--port', String(service.port)]);
    assert.equal(exitCode, 0);
    const [first, second, ...others] = stdout.split('\n').map(line => line && JSON.parse(line));
    assert.deepEqual([first.sequence, first.path, first.status], [1, '/livez', 200]);
    assert.match(first.requestedAt, /^\d{4}-\d\d-\d\dT/);
    assert.equal(second.failure.code, 'foreign-page');
    assert.deepEqual(others, ['']);
    const refused = await machine.run(['requests', '--refused', '--json', '--port', String(service.port)]);
    assert.equal(refused.stdout, `${stdout.split('\n')[1]}\n`);
    await service.stop();
  });

  test('prints lines with the advice on a refusal to people', async () => {
    const service = await machine.start();
    await callService(service, 'GET /api/identity', {headers: ['Origin: http://localhost:5173']});
    const {stdout} = await machine.runOnTerminal(['requests', '--port', String(service.port)], {columns: 120});
    assert.match(
      plain(stdout),
      /^\d\d:\d\d:\d\d {2}GET {4}403 .*\n.*not allowed\n.*--allow-origin http:\/\/localhost:5173\n$/,
    );
    await service.stop();
  });

  test('prints the same lines into a pipe, without the requests of the console', async () => {
    const service = await machine.start();
    const args = ['requests', '--port', String(service.port)];
    const nothing = await machine.run(args);
    assert.deepEqual([nothing.stdout, nothing.stderr], ['', 'No requests yet\n']);
    const own = [`Referer: http://localhost:${service.port}/`];
    await callService(service, 'GET /', {headers: ['Sec-Fetch-Dest: document']});
    await callService(service, 'GET /api/limits', {headers: own});
    await callService(service, 'GET /api/keys?limit=5');
    const {stdout} = await machine.run(args);
    assert.match(stdout, /^\d\d:\d\d:\d\d {2}GET {4}200 .* {2}\/api\/keys\?limit=5\n$/);
    const {stdout: all} = await machine.run([...args, '--json']);
    const lines = all.trimEnd().split('\n');
    assert.deepEqual(
      lines.map(line => JSON.parse(line).own),
      [true, true, false],
    );
    await service.stop();
  });

  test.runIf(process.platform === 'linux')('ends quietly where the reader has read enough', async () => {
    const service = await machine.start();
    await callService(service, 'GET /livez');
    await callService(service, 'GET /livez');
    const environment = {...process.env, HOME: machine.home, CREWROOM_PORT: String(service.port)};
    const script = `node ${MAIN} requests --follow --json | head -1; echo "\${PIPESTATUS[0]}"`;
    const {stdout, stderr} = await promisify(execFile)('bash', ['-c', script], {env: environment});
    // The blanks look for the reader.
    assert.match(stdout, /^ *\{"sequence":1,.*\}\n0\n$/);
    assert.equal(stderr, '');
    await service.stop();
  });

  test('follows with --follow until Ctrl+C, also over a restart of the service', async () => {
    const port = String(await findFreePort());
    const service = await machine.start(['--ephemeral', '--port', port]);
    await callService(service, 'GET /livez');
    const following = machine.spawn(['requests', '--follow', '--json', '--port', port]);
    await following.until(({stdout}) => stdout.includes('/livez'));
    await callService(service, 'GET /readyz');
    await following.until(({stdout}) => stdout.includes('/readyz'));
    await service.stop();
    const again = machine.spawn(['start', '--ephemeral', '--port', port]);
    await again.until(({stderr}) => stderr.includes('"started"'));
    await callService(service, 'GET /api/limits');
    await following.until(({stdout}) => stdout.includes('/api/limits'));
    following.child.kill('SIGINT');
    const {exitCode, stdout} = await following.finished;
    assert.equal(exitCode, 130);
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).sequence),
      [1, 2, 1],
    );
    again.child.kill('SIGTERM');
    await again.finished;
  });

  test('ends with exit code 5 if no service answers, with --follow too', async () => {
    const port = String(await findFreePort());
    for (const flags of [[], ['--follow']]) {
      const {exitCode, stderr} = await machine.run(['requests', ...flags, '--port', port]);
      assert.equal(exitCode, 5);
      assert.match(stderr, /Cannot reach the service/);
    }
  });
});
