import {chmod, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {createToken} from '../support/access-tokens.ts';
import {useService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const service = useService();
let token = '';

/** Writes a file with a token. @returns Its path. */
async function writeToken(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(machine.home, name);
  await writeFile(path, text, {mode});
  await chmod(path, mode);
  return path;
}

/** Runs a command for the service. */
function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return machine.run([...args, '--port', String(service().port)], {environment});
}

describe('a command with a token', () => {
  beforeAll(async () => {
    token = await createToken(service(), ['entries:read:', 'identity:read'], {name: 'reader'});
    await service().crewroom.entries.put('a', 1);
  });

  test('may do what the token permits', async () => {
    const file = await writeToken('token', `  ${token}\r\n\n`);
    const read = await run(['get', 'a', '--token-file', file]);
    expect(read).toMatchObject({exitCode: 0, stdout: '1', stderr: ''});
    const written = await run(['put', 'a', '2', '--token-file', 'token', '--json']);
    expect(JSON.parse(written.stderr)).toMatchObject({code: 'permission-required'});
  });

  test('sends it with every command that calls the service', async () => {
    const file = await writeToken('unknown', `crewroom_${'x'.repeat(43)}`);
    for (const args of [
      ['get', 'a'],
      ['list'],
      ['identity'],
      ['export'],
      ['watch'],
      ['import', '-'],
      ['fault', 'list'],
      ['pilot', 'list'],
      ['plugin', 'list'],
      ['requests'],
      ['sign-out'],
    ]) {
      const {exitCode, stderr} = await run([...args, '--token-file', file]);
      expect([args.join(' '), exitCode, stderr]).toEqual([args.join(' '), 1, expect.stringMatching(/no such token/)]);
    }
  });

  test('prefers the flag to the variable, and the variable to the config file', async () => {
    const good = await writeToken('good', token);
    const bad = await writeToken('bad', `crewroom_${'y'.repeat(43)}`);
    const config = join(machine.home, 'config.json');
    await writeFile(config, JSON.stringify({tokenFile: bad}));
    const get = ['get', 'a', '--config', config];
    expect((await run(get)).exitCode).toBe(1);
    expect((await run(get, {CREWROOM_TOKEN_FILE: good})).exitCode).toBe(0);
    expect((await run([...get, '--token-file', bad], {CREWROOM_TOKEN_FILE: good})).exitCode).toBe(1);
    expect((await run([...get, '--token-file', good], {CREWROOM_TOKEN_FILE: bad})).exitCode).toBe(0);
  });

  test('warns if other users may read the file', async () => {
    const file = await writeToken('open', token, 0o644);
    const {exitCode, stderr} = await run(['get', 'a', '--token-file', file]);
    const warning = `Other users of this machine may read ${file}: take their permissions away (chmod 600)\n`;
    expect([exitCode, stderr]).toEqual([0, warning]);
  });

  const refused: readonly (readonly [name: string, text: string | undefined, problem: RegExp])[] = [
    ['is missing', undefined, /which does not exist/],
    ['is empty', '', /has no token/],
    ['has a token that is cut off', `crewroom_${'s3cret'.repeat(7)}`, /has no token/],
    ['has two tokens', `crewroom_${'s3cret_'.repeat(6)}1\ncrewroom_${'s3cret_'.repeat(6)}2`, /has no token/],
    ['is far too large', 's3cret'.repeat(1000), /is larger than 1024 bytes/],
  ];
  for (const [name, text, problem] of refused)
    test(`sends nothing if the file ${name}, and does not repeat its content`, async () => {
      const file = text === undefined ? join(machine.home, 'nowhere') : await writeToken('refused', text);
      const {exitCode, stderr, stdout} = await run(['get', 'a'], {CREWROOM_TOKEN_FILE: file});
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/CREWROOM_TOKEN_FILE names /);
      expect(stderr).toMatch(problem);
      expect(stderr).not.toContain('s3cret');
    });

  test('shows the path of the file among the settings, never the token', async () => {
    const file = await writeToken('shown', token);
    const shown = await machine.run(['config', '--json'], {environment: {CREWROOM_TOKEN_FILE: file}});
    expect(shown.stdout).toContain(file);
    expect(shown.stdout).not.toContain(token);
  });

  test('leaves calls as the owner to the token of the owner', async () => {
    const file = await writeToken('program', token);
    const {dataDir} = service();
    const listed = await run(['token', 'list', '--data-dir', dataDir], {CREWROOM_TOKEN_FILE: file});
    expect(listed).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^reader +never/m)});
  });

  test('does not send it to where an answer redirects to', async () => {
    const received: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      received.push(request.headers.authorization);
      request.resume().on('end', () => response.writeHead(307, {Location: '/elsewhere'}).end());
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise(listening => server.once('listening', listening));
    const address = server.address();
    const port = String(typeof address === 'object' ? address?.port : undefined);
    const file = await writeToken('redirected', token);
    expect((await machine.run(['get', 'a', '--port', port, '--token-file', file])).exitCode).toBe(1);
    expect(received).toEqual([`Bearer ${token}`]);
  });
});
