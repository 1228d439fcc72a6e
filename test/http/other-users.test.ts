import {spawn, spawnSync} from 'node:child_process';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ACCESS_MODES, type AccessMode} from '../../src/core/domain/access/access.ts';
import {createToken} from '../support/access-tokens.ts';
import {ownerFile, readOwnerToken} from '../support/owner-file.ts';
import {exchange} from '../support/raw-client.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';

/** The user `daemon` of most systems. */
const OTHER_USER = 1;

/** Options of the service, and of the program that calls it. */
interface Call {
  readonly userId?: number;
  /** JavaScript that has `port` and prints its result. */
  readonly code: string;
}

/** Runs a program of another user to its end. @returns Its output. */
async function callAs({port}: TestService, {userId = OTHER_USER, code}: Call): Promise<string> {
  const args = [
    '--input-type=module',
    '-e',
    `process.setgid(${userId}); process.setuid(${userId}); const port = ${port}; ${code}`,
  ];
  const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit'], env: {}});
  return text(child.stdout);
}

/** Returns the code of a program that sends requests to a host, one after the other, and prints a line for each answer. */
function requestsTo(
  paths: readonly string[],
  {host = '127.0.0.1', ...options}: RequestInit & {readonly host?: string} = {},
): string {
  return `
    for (const path of ${JSON.stringify(paths)}) {
      const response = await fetch('http://${host}:' + port + path, ${JSON.stringify(options)});
      console.log(path, response.status, (await response.text()).replace(/\\n/g, ''));
    }`;
}

const PATHS = ['/api/identity', '/api/store/secret', '/api/keys', '/livez', '/metrics', '/', '/nothing'];

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!isRoot)('a program of another user of this machine (needs root to run one)', () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost'])
    test(`gets nothing at ${host}`, async () => {
      const service = await startInTest();
      await service.crewroom.entries.put('secret', 'value');
      const said = await callAs(service, {code: requestsTo(PATHS, {host})});
      const lines = said.trim().split('\n');
      expect(lines.map(line => line.split(' ', 2).join(' '))).toEqual(PATHS.map(path => `${path} 403`));
      for (const line of lines) {
        expect(line).toContain(`"code":"other-user"`);
        expect(line).toContain(`"owner":${OTHER_USER}`);
        expect(line).toContain('--allow-user NAME');
      }
    });

  test('changes nothing', async () => {
    const service = await startInTest();
    await service.crewroom.entries.put('key', 'before');
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const body = method === 'DELETE' ? undefined : '"after"';
      const options = body === undefined ? {method} : {method, body};
      expect(await callAs(service, {code: requestsTo(['/api/store/key'], options)})).toContain(' 403 ');
    }
    const forget = `
      import {connect} from 'node:net';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST /api/store/key HTTP/1.1\\r\\nHost: localhost:' + port + '\\r\\nContent-Length: 7\\r\\n\\r\\n"after"');
        socket.CLOSE;
      });`;
    for (const close of ['destroySoon()', 'resetAndDestroy()', 'destroy()'])
      await callAs(service, {code: forget.replace('CLOSE', close)});
    expect((await callService(service, 'GET /api/store/key')).text).toContain('"before"');
  });

  test('opens no stream and no WebSocket', async () => {
    const service = await startInTest();
    const stream = requestsTo(['/api/events'], {headers: {accept: 'text/event-stream'}});
    expect(await callAs(service, {code: stream})).toContain(' 403 ');
    const upgrade = `
      import {request} from 'node:http';
      const headers = {Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ=='};
      request({port, host: '127.0.0.1', path: '/api/events', headers})
        .on('upgrade', () => console.log('upgraded'))
        .on('response', response => console.log(response.statusCode))
        .end();`;
    expect(await callAs(service, {code: upgrade})).toBe('403\n');
  });

  test('does not keep programs of the user of the service from being answered', async () => {
    const service = await startInTest();
    const flood = `
      const ask = () => fetch('http://127.0.0.1:' + port + '/api/identity', {headers: {connection: 'close'}});
      for (let round = 0; round < 5; round++) await Promise.all(Array.from({length: 40}, ask));
      console.log('done');`;
    const flooded = callAs(service, {code: flood});
    const statuses: number[] = [];
    for (let round = 0; round < 20; round++) statuses.push((await fetch(`${service.url}/api/identity`)).status);
    expect(await flooded).toBe('done\n');
    expect(statuses.filter(status => status !== 200)).toEqual([]);
  });

  for (const allowUsers of [['daemon'], [String(OTHER_USER)]])
    test(`is answered with --allow-user ${allowUsers}, and others as before`, async () => {
      const service = await startInTest({allowUsers});
      const code = requestsTo(['/api/identity']);
      expect(await callAs(service, {code})).toContain(' 200 ');
      expect(await callAs(service, {code, userId: OTHER_USER + 1})).toContain(' 403 ');
    });
});

/** Name of the second account, which the test makes. */
const ACCOUNT = `crewroom-t${process.pid}`;

/** Makes the account. @returns Its id; undefined if this system has no such program. */
function makeAccount(): number | undefined {
  if (!isRoot || spawnSync('useradd', ['--no-create-home', '--shell', '/bin/false', ACCOUNT]).status !== 0)
    return undefined;
  return Number(spawnSync('id', ['-u', ACCOUNT]).stdout.toString());
}

describe.skipIf(!isRoot)('another account of this machine (needs root to make it)', () => {
  let account: number | undefined;
  beforeAll(() => {
    account = makeAccount();
  });
  afterAll(() => void (account === undefined || spawnSync('userdel', [ACCOUNT])));

  for (const access of ACCESS_MODES)
    test(`gets nothing in the mode ${access}, not even with tokens of the owner and of a program`, async ({skip}) => {
      if (account === undefined) return skip('useradd is missing');
      const service = await startInTest({access});
      await service.crewroom.entries.put('secret', 'value');
      const tokens = [await readOwnerToken(service), await createToken(service, ['admin'])];
      for (const authorization of [undefined, ...tokens.map(token => `Bearer ${token}`)]) {
        const headers = authorization === undefined ? {} : {authorization};
        const said = await callAs(service, {userId: account, code: requestsTo(PATHS, {headers})});
        expect(said.match(/ 403 \{[^\n]*"code":"other-user"/g)).toHaveLength(PATHS.length);
        expect(said).not.toContain('value');
      }
      const read = `
        import {readFileSync} from 'node:fs';
        for (const file of ${JSON.stringify([ownerFile(service), join(service.dataDir, 'access-tokens.json')])})
          try { console.log(readFileSync(file, 'utf8')); } catch (error) { console.log(error.code); }`;
      expect(await callAs(service, {userId: account, code: read})).toBe('EACCES\nEACCES\n');
    });

  test('counts as any program without a token with --allow-user, in each mode', async ({skip}) => {
    if (account === undefined) return skip('useradd is missing');
    const outcomes: Readonly<Record<AccessMode, readonly number[]>> = {
      open: [200, 404, 200],
      attributed: [200, 401, 401],
      strict: [401, 401, 401],
    };
    for (const access of ACCESS_MODES) {
      const service = await startInTest({access, allowUsers: [ACCOUNT]});
      const code = requestsTo(['/api/identity', '/api/store/com.a%2Fb', '/api/requests']);
      const statuses = (await callAs(service, {userId: account, code})).match(/(?<= )\d{3}(?= )/g)?.map(Number);
      expect([access, statuses]).toEqual([access, outcomes[access]]);
    }
  });
});

test('programs are told whose service it is, in each mode; pages are not', async () => {
  for (const access of ACCESS_MODES) {
    const service = await startInTest({access, allowHosts: ['pilot.test']});
    const ask = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
      const response = await fetch(`${service.url}/api`, {headers});
      return ((await response.json()) as Readonly<Record<string, unknown>>)['user'];
    };
    expect([access, await ask({})]).toEqual([access, userInfo().username]);
    expect(await ask({'Sec-Fetch-Site': 'same-origin'})).toBeUndefined();
    expect(await ask({Origin: service.url})).toBeUndefined();
    // Browsers mark no requests of pages at a name that they do not trust.
    const host = `pilot.test:${service.port}`;
    const {status, json} = await exchange(
      service,
      `GET /api HTTP/1.1\r\nHost: ${host}\r\nX-Crewroom-Client: 1\r\n\r\n`,
    );
    expect([status, json['user']]).toEqual([200, undefined]);
  }
});
