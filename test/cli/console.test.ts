import {readdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {ownerFile} from '../support/owner-file.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

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
      const args = ['console', '--port', String(service.port), ...(ephemeral ? [] : ['--data-dir', service.dataDir])];
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
    const {stdout, exitCode} = await machine.runProcess(['console', '--port', String(service.port)], {environment});
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('#code=')]);
    await service.stop();
    const left = (await readdir(machine.home)).filter(name => name.startsWith('crewroom'));
    expect(await Promise.all(left.map(name => readdir(join(machine.home, name))))).toEqual([[]]);
  });

  test('gives codes only to pages of the console', async () => {
    const service = await startInTest({ephemeral: true});
    const {stdout} = await machine.run(['console', '--port', String(service.port)]);
    const code = readCode(stdout);
    expect((await exchange(service, code, 'localhost')).status).toBe(404);
    expect((await exchange(service, code, 'evil.localhost')).status).toBe(421);
    const foreign = await callService(service, 'POST /api/access/page-tokens', {
      headers: ['Origin: https://evil.example'],
      body: JSON.stringify({code}),
      host: `crewroom.localhost:${service.port}`,
    });
    expect(foreign.json).toMatchObject({code: 'foreign-origin'});
    expect((await exchange(service, 'guess')).status).toBe(403);
    expect((await exchange(service, code)).status).toBe(201);
  });

  test('says where it looked for the token, if it finds none', async () => {
    const service = await startInTest({ephemeral: true});
    const [file, args] = [ownerFile(service), ['console', '--port', String(service.port), '--data-dir', '/none']];
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
      const {stdout, stderr, exitCode} = await machine.run(['console', '--host', host, '--port', String(service.port)]);
      expect([stdout, exitCode]).toEqual(['', 1]);
      expect(stderr).toContain(`the service listens on ${host} only`);
      expect(stderr).toContain('without --host');
    });

  test('says that no service answers', async () => {
    const {stderr, exitCode} = await machine.run(['console', '--port', '1']);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('crewroom start')]);
  });

  test('leaves no token in the requests that the service shows, and no file after its end', async () => {
    const service = await startInTest({ephemeral: true});
    const {stdout} = await machine.run(['console', '--port', String(service.port)]);
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
});
