import {spawn} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {beforeAll, describe, expect, test} from 'vitest';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {exchange, formatRequest, type RawAnswer, RawClient} from '../support/raw-client.ts';
import {createMachine, type Running} from './crewroom.ts';

const machine = await createMachine();
const ID = 'com.example.guarded';
const ALLOWED = 'https://va.example';
const MIB = 1024 * 1024;

/** A user whose programs may call, and one whose may not: `bin` and `daemon` of most systems. */
const [ALLOWED_USER, OTHER_USER] = [2, 1];

interface Started {
  readonly port: number;
  readonly backEnd: {
    readonly url: string;
    readonly pilots: readonly {readonly number: string; readonly password: string}[];
  };
}

/** A back end that a command runs, with the ports of both. */
interface Guarded {
  readonly running: Running;
  readonly port: number;
  readonly servicePort: number;
  /** Origin of the page of the plugin. */
  readonly pageOrigin: string;
  readonly pilot: {readonly number: string; readonly password: string};
}

let guarded: Guarded;

beforeAll(async () => {
  const folder = join(machine.home, ID);
  await writePlugin(folder, {'plugin.json': manifestOf(ID), 'ui/index.html': '<!doctype html>'});
  const settings = ['--port', '0', '--allow-origin', ALLOWED, '--allow-user', String(ALLOWED_USER)];
  const running = machine.spawn(['dev', folder, '--json', '--no-open', '--back-end', 'sample', ...settings]);
  await running.until(({stdout}) => stdout.includes('\n'));
  const {port: servicePort, backEnd} = JSON.parse(running.said().stdout) as Started;
  const listed = await (await fetch(`http://127.0.0.1:${servicePort}/api/plugins`)).text();
  const [, label = ''] = /"label":"([^"]+)"/.exec(listed) ?? [];
  const [pilot = {number: '', password: ''}] = backEnd.pilots;
  const pageOrigin = `http://${label}.crewroom.localhost:${servicePort}`;
  guarded = {running, port: Number(new URL(backEnd.url).port), servicePort, pageOrigin, pilot};
});

interface Sent {
  readonly headers?: readonly string[];
  readonly host?: string;
  readonly body?: string | Uint8Array;
}

/** Sends a request to the back end, by its path below the address. */
function send(line: string, {headers = [], host = `127.0.0.1:${guarded.port}`, body}: Sent = {}): Promise<RawAnswer> {
  const [method, path] = line.split(' ');
  return exchange(guarded, formatRequest(`${method} /back-end/${path}`, [`Host: ${host}`, ...headers], body));
}

/** Signs the pilot in. @returns The session. */
async function signIn(): Promise<string> {
  const {number, password} = guarded.pilot;
  const {status, json} = await send(`POST pilot/login?username=${number}`, {body: JSON.stringify({password})});
  expect(status).toBe(200);
  return String(json['session']);
}

async function statusOf(session: string): Promise<number> {
  return (await send('GET data/airports', {headers: [`Authorization: Bearer ${session}`]})).status;
}

describe('the back end of crewroom dev', () => {
  const foreign = [
    {name: 'another host', code: 'foreign-host', sent: {host: 'evil.example'}},
    {name: 'the host of a service', code: 'foreign-host', sent: {host: 'localhost:7172'}},
    {name: 'the origin of another site', code: 'foreign-page', sent: {headers: ['Origin: https://evil.example']}},
    {name: 'an opaque origin', code: 'foreign-page', sent: {headers: ['Origin: null']}},
    {name: 'the origin of another port', code: 'foreign-page', sent: {headers: ['Origin: http://localhost:7171']}},
    {
      name: 'the origin of no plugin',
      code: 'foreign-page',
      sent: {headers: ['Origin: http://com-evil-0123456789abcdef.crewroom.localhost:7172']},
    },
    {name: 'another site without its origin', code: 'foreign-page', sent: {headers: ['Sec-Fetch-Site: cross-site']}},
    {name: 'a link', code: 'not-a-page', sent: {headers: ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']}},
  ];
  for (const {name, code, sent} of foreign)
    test(`refuses requests of ${name}, also those that end its sessions`, async () => {
      const session = await signIn();
      for (const line of ['GET ', 'GET data/airports', 'POST sessions/expire', 'OPTIONS data/airports']) {
        const {status, json, headers} = await send(line, sent);
        expect([line, status, json['code']]).toEqual([line, code === 'foreign-host' ? 421 : 403, code]);
        expect([...headers.keys()].filter(each => each.startsWith('access-control'))).toEqual([]);
      }
      expect(await statusOf(session)).toBe(200);
    });

  test('answers pages of its service: its own, those of its plugins, and those of allowed origins', async () => {
    const {servicePort, pageOrigin} = guarded;
    const own = ['127.0.0.1', 'localhost', 'crewroom.localhost'].map(host => `http://${host}:${servicePort}`);
    for (const origin of [...own, pageOrigin, ALLOWED]) {
      const answered = await send('GET ', {headers: [`Origin: ${origin}`]});
      expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      const asks = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization'];
      const preflight = await send('OPTIONS flights/book', {headers: [`Origin: ${origin}`, ...asks]});
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    }
  });

  test('lists refused requests with those of the service', async () => {
    await send('GET refused', {headers: ['Origin: https://other.example']});
    const listed = await (await fetch(`http://127.0.0.1:${guarded.servicePort}/api/requests`)).text();
    expect(listed).toContain('"path":"/back-end/refused","status":403');
  });

  test('takes a body of 1 MiB, and refuses more by its length or once it has arrived', async () => {
    const session = await signIn();
    const headers = [`Authorization: Bearer ${session}`];
    const line = 'POST flights/sendMessage';
    const message = (sizeBytes: number): string => JSON.stringify({message: 'x'.repeat(sizeBytes - 14)});
    expect((await send(line, {headers, body: message(MIB)})).status).toBe(200);
    const large = await send(line, {headers, body: message(MIB + 1)});
    expect([large.status, large.json['code']]).toEqual([413, 'too-large']);
    const declared = await exchange(
      guarded,
      formatRequest(`POST /back-end/data/airports`, [`Host: 127.0.0.1:${guarded.port}`, `Content-Length: ${15 * MIB}`]),
    );
    expect(declared.status).toBe(413);
    using client = await RawClient.connect(guarded);
    await client.send(
      formatRequest('POST /back-end/data/airports', [`Host: 127.0.0.1:${guarded.port}`, 'Transfer-Encoding: chunked']),
    );
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(64 * 1024, 'x'), Buffer.from('\r\n')]);
    for (let sent = 0; sent <= MIB; sent += 64 * 1024) await client.send(chunk);
    expect((await client.readAnswer()).status).toBe(413);
  });

  test.runIf(process.platform === 'linux')('keeps nothing of the requests that it has answered', async () => {
    // Parsed, each takes some 20 MiB.
    const body = `[${'{},'.repeat(MIB / 3 - 1)}{}]`;
    expect(body.length).toBeLessThanOrEqual(MIB);
    for (let sent = 0; sent < 30; sent++) expect((await send('POST nowhere', {body})).status).toBe(404);
    const status = await readFile(`/proc/${guarded.running.child.pid}/status`, 'utf8');
    const [, kibibytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
    expect(Number(kibibytes) * 1024).toBeLessThan(400 * MIB);
  });

  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

  test.runIf(isRoot)('refuses programs of other users, but those that the service allows', async () => {
    const session = await signIn();
    const callAs = (userId: number): Promise<string> => {
      const code = `
        process.setgid(${userId});
        process.setuid(${userId});
        const response = await fetch('http://127.0.0.1:${guarded.port}/back-end/data/airports', {headers: {Authorization: 'Bearer ${session}'}});
        console.log(response.status, await response.text());`;
      const args = ['--input-type=module', '-e', code];
      return text(spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit'], env: {}}).stdout);
    };
    expect(await callAs(OTHER_USER)).toMatch(/^403 .*"code":"other-user"/s);
    expect(await callAs(ALLOWED_USER)).toMatch(/^200 \[/);
  });
});
