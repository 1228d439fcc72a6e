import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {mkdir, writeFile} from 'node:fs/promises';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {ownerFile as ownerDocument} from '../../src/service/access/owner-file.ts';
import {createToken} from '../support/access-tokens.ts';
import {ownerFile} from '../support/owner-file.ts';
import {startInTest, type TestService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const TOKEN = `crewroom_${'o'.repeat(43)}`;

/** Starts a program of this user in place of a service, with a file of its owner. */
async function startProgram(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const received: (readonly [line: string, authorization: string | undefined])[] = [];
  const server = createServer((request, response) => {
    const {method, url = '', headers} = request;
    received.push([`${method} ${url}`, headers.authorization]);
    request.resume().on('end', () => answer(request, response));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const environment = {XDG_RUNTIME_DIR: join(machine.home, `runtime-${port}`)};
  await mkdir(environment.XDG_RUNTIME_DIR);
  await ownerDocument(join(environment.XDG_RUNTIME_DIR, 'crewroom', `owner-token-${port}`)).replace(TOKEN, randomBytes);
  const run = (args: readonly string[]) => machine.run([...args, '--port', String(port)], {environment});
  return {port, received, run};
}

/** Runs a command for a service, as the user who started it. */
function runFor({port, dataDir}: Pick<TestService, 'port' | 'dataDir'>, args: readonly string[]) {
  return machine.run([...args, '--port', String(port), '--data-dir', dataDir]);
}

async function writerOf(service: TestService): Promise<string | undefined> {
  return (await service.crewroom.entries.get('a'))?.writtenBy;
}

describe('the token of the owner', () => {
  for (const ephemeral of [true, false])
    test(`goes along with commands, to a service ${ephemeral ? 'in memory' : 'on disk'}`, async () => {
      const service = await startInTest({ephemeral});
      expect(await runFor(service, ['put', 'a', '1'])).toMatchObject({exitCode: 0, stderr: ''});
      expect(await writerOf(service)).toBe('owner');
    });

  test('goes along with every request of every command', async () => {
    const {received, run} = await startProgram(({method}, response) => {
      response.writeHead(method === 'OPTIONS' ? 204 : 404).end();
    });
    for (const args of [
      ...[
        ['get', 'a'],
        ['put', 'a', '1'],
        ['delete', 'a'],
        ['patch', 'a', '{}'],
        ['touch', 'a', '--ttl', '60'],
      ],
      ...[['list'], ['reset', '--yes'], ['watch'], ['export'], ['import', '-'], ['snapshot', 'save', 's']],
      ...[['identity'], ['status'], ['sign-in', '--username', '1'], ['sign-out'], ['requests']],
      ...[
        ['fault', 'list'],
        ['pilot', 'list'],
        ['plugin', 'list'],
        ['flight', 'status'],
        ['wait', '--timeout', '1'],
      ],
      ...[
        ['token', 'list'],
        ['console', '--print'],
        ['doctor', '--ephemeral'],
      ],
    ]) {
      received.length = 0;
      await run(args);
      // Without the question for the version, which "doctor" asks whatever listens there.
      const sent = received.filter(([line]) => args[0] !== 'doctor' || line !== 'GET /api');
      const lines = received.map(([line]) => line);
      expect([args.join(' '), lines]).toEqual([args.join(' '), expect.arrayContaining(['OPTIONS /api/requests'])]);
      expect(lines.length, args.join(' ')).toBeGreaterThan(1);
      for (const [line, authorization] of sent)
        expect([args.join(' '), line, authorization]).toEqual([args.join(' '), line, `Bearer ${TOKEN}`]);
      expect(lines.join(), 'no address has it').not.toContain('crewroom_');
    }
  });

  test('gives way to that of --token-file', async () => {
    const service = await startInTest({ephemeral: true});
    const token = await createToken(service, ['entries:write:'], {name: 'writer'});
    const file = join(machine.home, 'token');
    await writeFile(file, token, {mode: 0o600});
    await runFor(service, ['put', 'a', '1', '--token-file', file]);
    expect(await writerOf(service)).toBe('token:writer');
  });

  test('is left out for a service that does not know it, as when another one ran there before', async () => {
    const service = await startInTest();
    await ownerDocument(ownerFile(service)).replace(TOKEN, randomBytes);
    expect(await runFor(service, ['put', 'a', '1'])).toMatchObject({exitCode: 0, stderr: ''});
    expect(await writerOf(service)).toBeUndefined();
    expect((await runFor(service, ['token', 'list'])).stderr).toContain('no token of it is in');
  });

  test('stays behind when an answer redirects', async () => {
    const other = await startProgram((_, response) => response.end());
    const {received, run} = await startProgram(({method}, response) => {
      if (method === 'OPTIONS') response.writeHead(204).end();
      else response.writeHead(307, {Location: `http://127.0.0.1:${other.port}/`}).end();
    });
    for (const args of [['get', 'a'], ['export'], ['identity'], ['watch'], ['token', 'list']]) await run(args);
    expect(received.length).toBeGreaterThan(5);
    expect(other.received).toEqual([]);
  });

  test('stays behind when already the first answer redirects', async () => {
    const other = await startProgram((_, response) => response.end());
    const {received, run} = await startProgram((_, response) => {
      response.writeHead(307, {Location: `http://127.0.0.1:${other.port}/`}).end();
    });
    await run(['get', 'a']);
    expect([received.at(-1), other.received]).toEqual([['GET /api/store/a', undefined], []]);
  });
});
