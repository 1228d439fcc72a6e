import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {createMachine, type Finished, type Running, type Service} from './cli/crewroom.ts';
import {writePlugin} from './support/plugin-folder.ts';
import {exchange, formatRequest} from './support/raw-client.ts';
import {expectNone, readProcesses} from './support/secrets.ts';

const machine = await createMachine();

/** Id of a plugin that has a grant, and no data. */
const GRANTED = 'com.example.granted';

/** Every secret of the service, by name. Tokens are searched without their common beginning. */
const secrets = new Map<string, string>();
let service: Service;
let dataDir: string;
let watching: Running;
/** Answers to requests with a secret in their target. */
const answers: string[] = [];
/** Commands with a secret as an argument. */
const commands: Finished[] = [];

/** Returns requests with a secret in path or query, also percent-encoded. */
function linesWith(secret: string): readonly string[] {
  return [
    secret,
    secret.replace('_', '%5F'),
    secret.replace('_', '%255f'),
    secret.replaceAll(/./g, character => `%${character.charCodeAt(0).toString(16)}`),
  ].flatMap(text => [
    ...[`DELETE /api/access/tokens/${text}`, `GET /api/access/tokens/${text}/`, `PUT /api/access/tokens/${text}`],
    ...[`GET /api/store/${text}`, `GET /api/store/a/${text}`, `GET /api/plugins/${text}`, `GET /api/${text}/a`],
    ...[`GET /api/com.example.calls/${text}`, `GET /plugins/com.example.calls/${text}`, `GET /docs/${text}`],
    ...[`GET /${text}`, `GET /console/${text}`, `GET /api/settings/${text}`, `DELETE /api/access/grants/${text}`],
    ...[`GET /api/keys?${text}=1`, `GET /api/keys?prefix=${text}&prefix=`, `GET /api/events?after=${text}`],
    `GET http://localhost:${service.port}/${text}${'x'.repeat(30)}`,
    `GET /api/access/tokens/${'a'.repeat(40)}${text}`,
  ]);
}

const ofService = (...args: readonly string[]): readonly string[] => [
  ...args,
  ...['--port', String(service.port), '--data-dir', dataDir],
];

function run(...args: readonly string[]) {
  return machine.run(ofService(...args));
}

function plant(name: string, secret: string): string {
  secrets.set(name, secret.replace(/^crewroom_/, ''));
  return secret;
}

/** Sends a request with these headers, as a program would. */
function send(line: string, ...headers: readonly string[]) {
  return exchange(service, formatRequest(line, [`Host: localhost:${service.port}`, ...headers]));
}

beforeAll(async () => {
  const {home} = machine;
  dataDir = join(home, 'store');
  await writePlugin(join(home, 'plugins', 'com.example.calls'), {
    'background/index.js': `exports.onStart = () => fetch('http://localhost:7172/api/limits').then(() => console.log('called'));`,
  });
  service = await machine.start([
    ...['--data-dir', dataDir, '--access', 'attributed', '--log-level', 'debug', '--requests', 'all'],
    ...['--plugins-dir', join(home, 'plugins')],
  ]);
  await service.until(({stderr}) => stderr.includes('"called"'));
  plant('the token of the owner', (await readFile(join(dataDir, 'owner-token'), 'utf8')).trim());
  const token = async (name: string) =>
    plant(`the token ${name}`, (await run('token', 'create', name, '--permission', 'admin')).stdout.trim());
  const [used, revoked] = [await token('used'), await token('revoked')];
  await run('token', 'revoke', 'revoked');
  const {url} = JSON.parse((await run('console', '--print', '--json')).stdout) as {readonly url: string};
  const code = plant('the code', url.slice(url.indexOf('#code=') + 6));
  const page = await exchange(
    service,
    formatRequest(
      'POST /api/access/page-tokens',
      [`Host: crewroom.localhost:${service.port}`, `Origin: http://crewroom.localhost:${service.port}`],
      JSON.stringify({code}),
    ),
  );
  plant('the token of a page', String(page.json['token']));
  await run('access', 'grant', GRANTED, 'identity:secrets');
  await run('put', 'shared/a', '1');
  for (const secret of [used, revoked, `crewroom_${secrets.get('the token of a page')}`]) {
    for (const line of ['GET /api/identity', 'GET /nothing', 'POST /api/import', 'GET /api/events?after=x'])
      await send(line, `Authorization: Bearer ${secret}`);
    await send('GET /api', `Authorization: Basic ${btoa(`x:${secret}`)}`);
    await send('GET /api', `X-Crewroom-Token: ${secret}`);
    await send('GET /api', `Authorization: Bearer ${secret}`, `Authorization: Bearer ${secret}`);
    await send(`GET /api/keys?token=${secret}`);
    await send('GET /api', `Cookie: token=${secret}`, `X-Own: ${secret}`);
    await send('GET /api\u0000', `Authorization: Bearer ${secret}`);
    for (const line of linesWith(secret)) answers.push((await send(line)).text);
  }
  for (const command of [['token', 'revoke'], ['get'], ['plugin', 'logs'], ['access', 'revoke']])
    commands.push(await run(...command, used), await run(...command, used, '--json'));
  watching = machine.spawn(ofService('requests', '--follow', '--json'));
  await watching.until(({stdout}) => stdout.includes('/api/keys'));
});

function decode(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

describe.skipIf(process.platform !== 'linux')('no token, code or grant is in', () => {
  const expectNoSecret = (text: string, where: string): void => {
    expect(secrets.size).toBe(5);
    expect(text.length, where).toBeGreaterThan(0);
    // Also none that is encoded, even twice.
    const decoded = decode(decode(text));
    for (const [name, secret] of secrets)
      for (const each of [text, decoded]) expectNone(each, [secret], `${where}: ${name}`);
  };

  test('the answer to a request whose target has one', () => {
    expect(answers.length).toBeGreaterThan(200);
    for (const text of answers) expectNoSecret(text, text.slice(0, 300));
  });

  test('an export, and a snapshot', async () => {
    const exported = (await run('export', '-')).stdout;
    expect(exported).toContain('"shared/a"');
    expectNoSecret(exported, 'the export');
    expect((await run('snapshot', 'save', 'one')).exitCode).toBe(0);
    const [name = ''] = await readdir(`${dataDir}-snapshots`);
    const snapshot = await readFile(join(`${dataDir}-snapshots`, name), 'utf8');
    expectNoSecret(snapshot, 'the snapshot');
    for (const text of [exported, snapshot]) expect(text).not.toContain(GRANTED);
  });

  test('answers about the service', async () => {
    const owner = `Authorization: Bearer crewroom_${secrets.get('the token of the owner')}`;
    for (const path of ['/api/requests', '/metrics', '/api/access/tokens', '/api/access/grants', '/api', '/readyz']) {
      const {status, text} = await send(`GET ${path}`, owner);
      expect([path, status]).toEqual([path, 200]);
      expectNoSecret(text, path);
      expect([path, text.includes(GRANTED)]).toEqual([path, path === '/api/access/grants']);
    }
  });

  test('the output of commands', async () => {
    for (const args of [
      ['status', '--json'],
      ['token', 'list', '--json'],
      ['access', 'list'],
      ['requests'],
      ['requests', '--json'],
      ['doctor'],
    ])
      expectNoSecret((await run(...args)).stdout, args.join(' '));
    for (const {stdout, stderr} of commands) expectNoSecret(stdout + stderr, 'a command that was given a secret');
    expectNoSecret(watching.said().stdout, 'requests --follow');
    expectNoSecret((await machine.run(['config', '--json'])).stdout, 'config');
  });

  test('the arguments and variables of the service, of a background and of a command', async () => {
    const {pid = 0} = service.child;
    const seen = await readProcesses(pid);
    expect(seen.size, 'the service and its background').toBeGreaterThan(1);
    for (const [id, text] of seen) expectNoSecret(text, `process ${id}`);
    for (const [id, text] of await readProcesses(watching.child.pid ?? 0)) expectNoSecret(text, `command ${id}`);
  });

  test('the files of the store, but that of the owner', async () => {
    const files = (await readdir(dataDir, {recursive: true, withFileTypes: true})).filter(file => file.isFile());
    expect(files.map(({name}) => name)).toContain('access-tokens.json');
    for (const {parentPath, name} of files.filter(file => file.name !== 'owner-token'))
      expectNoSecret(`${name} ${await readFile(join(parentPath, name), 'latin1')}`, name);
  });

  test('the log, also at its end', async () => {
    watching.child.kill('SIGINT');
    await watching.finished;
    const {stdout, stderr, exitCode} = await service.stop();
    expect(exitCode).toBe(0);
    expect(stderr).toContain('invalid-token');
    expect(stderr).toContain('"debug"');
    expectNoSecret(stderr + stdout, 'the log');
    expect(await readdir(dataDir)).not.toContain('owner-token');
  });
});

describe('a token', () => {
  const token = `crewroom_${'t'.repeat(43)}`;

  test('is taken from no argument and no variable', async () => {
    const {exitCode, stderr} = await machine.run(['get', 'a', '--token', token]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('unknown flag "--token"')]);
    expectNone(stderr, [token], 'the message');
    const {stdout} = await machine.run(['config', '--json'], {environment: {CREWROOM_TOKEN: token}});
    expectNone(stdout, [token], 'the settings');
  });

  for (const place of ['flag', 'variable'])
    test(`in place of its file, by a ${place}, is not repeated`, async () => {
      const args = place === 'flag' ? ['--token-file', token] : [];
      const environment = place === 'flag' ? {} : {CREWROOM_TOKEN_FILE: token};
      const {exitCode, stderr} = await machine.run(['get', 'a', ...args], {environment});
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is a token: write it into a file')]);
      expectNone(stderr, [token], 'the message');
    });
});
