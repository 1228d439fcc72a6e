import {mkdir, readdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {ownerFile} from '../support/owner-file.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();

/** Exchanges a code as the page of the console does. */
function exchange({port}: TestService, code: string, host = 'crewroom.localhost') {
  const headers = [`Origin: http://${host}:${port}`, 'Sec-Fetch-Site: same-origin'];
  const body = JSON.stringify({code});
  return callService({port}, 'POST /api/access/page-tokens', {headers, body, host: `${host}:${port}`});
}

function readCode(stdout: string): string {
  return /#code=(.*)\n$/.exec(stdout)?.[1] ?? '';
}

describe('crewroom console', () => {
  for (const ephemeral of [true, false])
    test(`prints an address that opens one console, of a service ${ephemeral ? 'in memory' : 'on disk'}`, async () => {
      const service = await startInTest({ephemeral});
      const args = [
        'console',
        '--print',
        '--port',
        String(service.port),
        ...(ephemeral ? [] : ['--data-dir', service.dataDir]),
      ];
      const {stdout, stderr, exitCode} = await machine.run(args);
      expect([stderr, exitCode]).toEqual(['', 0]);
      expect(stdout).toMatch(/^http:\/\/crewroom\.localhost:\d+\/#code=[A-Za-z0-9_-]{43}\n$/);
      const first = await exchange(service, readCode(stdout));
      expect([first.status, first.json]).toEqual([201, {token: expect.stringMatching(/^crewroom_/)}]);
      const second = await exchange(service, readCode(stdout));
      expect([second.status, second.json['code']]).toEqual([403, 'invalid-code']);
    });

  test('finds a service in memory without a directory of its session', async () => {
    const environment = {XDG_RUNTIME_DIR: join(machine.home, 'missing'), TMPDIR: machine.home};
    const service = await machine.start(['--ephemeral'], {environment});
    const {stdout, exitCode} = await machine.runProcess(['console', '--print', '--port', String(service.port)], {
      environment,
    });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('#code=')]);
    await service.stop();
    const left = (await readdir(machine.home)).filter(name => name.startsWith('crewroom'));
    expect(await Promise.all(left.map(name => readdir(join(machine.home, name))))).toEqual([[]]);
  });

  test('gives codes only to pages of the console', async () => {
    const service = await startInTest({ephemeral: true});
    const {stdout} = await machine.run(['console', '--print', '--port', String(service.port)]);
    const code = readCode(stdout);
    expect((await exchange(service, code, 'localhost')).status).toBe(404);
    expect((await exchange(service, code, 'evil.localhost')).status).toBe(421);
    const foreign = await callService(service, 'POST /api/access/page-tokens', {
      headers: ['Origin: https://evil.example'],
      body: JSON.stringify({code}),
      host: `crewroom.localhost:${service.port}`,
    });
    expect(foreign.json).toMatchObject({code: 'foreign-page', why: 'origin'});
    expect((await exchange(service, 'guess')).status).toBe(403);
    expect((await exchange(service, code)).status).toBe(201);
  });

  test('says where it looked for the token, if it finds none', async () => {
    const service = await startInTest({ephemeral: true});
    const [file, args] = [
      ownerFile(service),
      ['console', '--print', '--port', String(service.port), '--data-dir', '/none'],
    ];
    for (const token of [`crewroom_${'a'.repeat(43)}`, 'nonsense', undefined]) {
      await (token === undefined ? rm(file) : writeFile(file, token));
      const {stdout, stderr, exitCode} = await machine.run(args);
      expect([stdout, exitCode]).toEqual(['', 1]);
      expect(stderr).toContain(`no token of it is in ${file} and `);
      expect(stderr).toContain(' and /none/owner-token');
      expect(stderr).not.toContain('aaaa');
    }
  });

  for (const host of ['127.0.0.1', '::1'])
    test(`gives no address of a service that listens on ${host} only`, async () => {
      const service = await startInTest({ephemeral: true, host});
      const {stdout, stderr, exitCode} = await machine.run([
        'console',
        '--print',
        '--host',
        host,
        '--port',
        String(service.port),
      ]);
      expect([stdout, exitCode]).toEqual(['', 1]);
      expect(stderr).toContain(`the service listens on ${host} only`);
      expect(stderr).toContain('without --host');
    });

  test('says that no service answers', async () => {
    const {stderr, exitCode} = await machine.run(['console', '--print', '--port', '1']);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('crewroom start')]);
  });

  test('leaves no token in the requests that the service shows, and no file after its end', async () => {
    const service = await startInTest({ephemeral: true});
    const {stdout} = await machine.run(['console', '--print', '--port', String(service.port)]);
    const {json} = await exchange(service, readCode(stdout));
    const headers = [`Authorization: Bearer ${json['token']}`];
    await callService(service, 'DELETE /api/faults', {headers});
    const {text} = await callService(service, 'GET /api/requests');
    expect(text).toContain('/api/access/codes');
    for (const secret of [readCode(stdout), String(json['token']), 'crewroom_', 'Bearer'])
      expect(text).not.toContain(secret);
    const file = ownerFile(service);
    await service[Symbol.asyncDispose]();
    await expect(rm(file)).rejects.toThrow('ENOENT');
  });

  test('prints no code into a pipe or a log that did not ask for it', async () => {
    const service = await startInTest({ephemeral: true});
    for (const flags of [[], ['--json']]) {
      const {stdout, stderr, exitCode} = await machine.run(['console', '--port', String(service.port), ...flags]);
      expect([stdout, exitCode]).toEqual(['', 2]);
      expect(stderr).toContain('Add --print');
      expect(stderr).not.toContain('#code=');
    }
  });

  test('opens the browser from a terminal, and shows the code only if there is none', async () => {
    const service = await startInTest({ephemeral: true});
    const args = ['console', '--port', String(service.port)];
    const without = await machine.runOnTerminal(args, {environment: {DISPLAY: '', WAYLAND_DISPLAY: ''}});
    expect(without.stdout).toContain('#code=');
    const opener = join(machine.home, 'bin');
    await mkdir(opener);
    await writeFile(join(opener, 'xdg-open'), '#!/bin/sh\nexit 0\n', {mode: 0o755});
    const environment = {DISPLAY: ':0', PATH: `${opener}:${process.env['PATH']}`};
    const opened = await machine.runOnTerminal(args, {environment});
    expect([opened.exitCode, plain(opened.stdout)]).toEqual([0, 'Opened the console as the owner\n']);
  });

  test('ends the rights of one page, or with --end those of all, and their streams', async () => {
    const service = await startInTest({ephemeral: true, access: 'attributed'});
    const tokens: string[] = [];
    for (let count = 0; count < 3; count++) {
      const {stdout} = await machine.run(['console', '--print', '--port', String(service.port)]);
      tokens.push(String((await exchange(service, readCode(stdout))).json['token']));
    }
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all(
        tokens.map(async token => {
          const headers = {Authorization: `Bearer ${token}`};
          return (await fetch(`${service.url}/api/faults`, {headers})).status;
        }),
      );
    const [first = '', second = ''] = tokens;
    const ended = {method: 'DELETE', headers: {Authorization: `Bearer ${first}`}};
    expect((await fetch(`${service.url}/api/access/pages`, ended)).status).toBe(200);
    expect(await statuses()).toEqual([401, 200, 200]);
    const stream = await fetch(`${service.url}/api/events`, {headers: {Authorization: `Bearer ${second}`}});
    const {exitCode} = await machine.run(['console', '--end', '--port', String(service.port)]);
    expect([exitCode, await statuses()]).toEqual([0, [401, 401, 401]]);
    // An answer only if it was ended. That closes the connection, which newer versions of Node tell from the end of an answer.
    expect(await stream.text().catch(() => 'events of crewroom')).toContain('events of crewroom');
    expect((await fetch(`${service.url}/api/access/pages`, {method: 'DELETE'})).status).toBe(401);
  });
});
