import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {RawClient} from '../support/raw-client.ts';
import {callService, makeTemporaryDirectory, startInTest, useService} from '../support/service.ts';

const ALLOWED = 'http://localhost:3000';
const service = useService({ephemeral: true, allowOrigins: [ALLOWED]});
const PAGE = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Sec-Fetch-Site: none'];

async function clearedBy(host: string, path: string, headers: readonly string[]): Promise<string | undefined> {
  const named = `${host}:${service().port}`;
  return (await callService(service(), `GET ${path}`, {host: named, headers})).headers.get('clear-site-data');
}

describe('cookies, which the service has none of', () => {
  for (const {host, path, headers = PAGE} of [
    {host: 'crewroom.localhost', path: '/'},
    {host: 'Crewroom.LocalHost', path: '/'},
    {host: 'crewroom.localhost', path: '/', headers: []},
    {host: 'crewroom.localhost', path: '/docs/nothing'},
    {host: 'crewroom.localhost', path: '/api/identity'},
    {host: 'com-removed-0123456789abcdef.crewroom.localhost', path: '/plugins/com.removed/'},
  ])
    test(`are cleared by a page at ${host}${path} with ${headers.length} headers of the browser`, async () => {
      expect(await clearedBy(host, path, [...headers, 'Cookie: a=b'])).toBe('"cookies"');
      expect(await clearedBy(host, path, headers)).toBeUndefined();
    });

  for (const host of ['localhost', '127.0.0.1', '[::1]', 'notcrewroom.localhost', 'crewroom.localhost.example'])
    test(`stay at ${host}, where they may belong to others`, async () => {
      expect(await clearedBy(host, '/', [...PAGE, 'Cookie: a=b'])).toBeUndefined();
      expect(await clearedBy(host, '/', [`Cookie: ${'a'.repeat(20_000)}`])).toBeUndefined();
    });

  test('reach no background, through the embedded service either', async () => {
    const id = 'com.example.cookies';
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const background = `exports.routes = {get: {headers: {description: '', handler: (req, res) => res.json(req.headers)}}};`;
    await writePlugin(join(home.path, id), {'plugin.json': manifestOf(id), 'background/index.js': background});
    const embedding = await startInTest({pluginsDir: home.path, ephemeral: true});
    await untilRunning(embedding.crewroom.plugins, id);
    const headers = {Cookie: 'session=of-another', 'X-Kept': '1'};
    const answered = await embedding.crewroom.fetch(new Request(`${embedding.url}/api/${id}/headers`, {headers}));
    const received = (await answered.json()) as Readonly<Record<string, string>>;
    expect(received).toMatchObject({'x-kept': '1'});
    expect(received).toEqual(expect.not.objectContaining({cookie: expect.anything()}));
    expect(answered.headers.has('set-cookie')).toBe(false);
  });

  test('stay with what is no page', async () => {
    const headers = ['Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty', 'Sec-Fetch-Site: same-origin', 'Cookie: a=b'];
    expect(await clearedBy('crewroom.localhost', '/api/identity', headers)).toBeUndefined();
  });

  for (const length of [1, 20_000])
    test(`stay when another origin asks, with ${length} bytes of them`, async () => {
      const headers = [`Cookie: a=${'b'.repeat(length)}`, 'Origin: http://foreign.example'];
      expect(await clearedBy('crewroom.localhost', '/api/identity', headers)).toBeUndefined();
    });

  test('are cleared if they make the headers too large', async () => {
    const cookies = `Cookie: ${'a'.repeat(20_000)}`;
    expect(await clearedBy('crewroom.localhost', '/', [cookies])).toBe('"cookies"');
    const {port} = service();
    const host = `com-a-0123456789abcdef.crewroom.localhost:${port}`;
    const {status, headers} = await callService(service(), 'GET /plugins/com.a/?b', {host, headers: [cookies]});
    expect([status, headers.get('clear-site-data')]).toEqual([431, '"cookies"']);
    expect(headers.get('refresh')).toBe(`0; url=http://crewroom.localhost:${port}/plugins/com.a/?b`);
  });
});

describe('headers that cookies of other programs at localhost make too large', () => {
  const COOKIES = `Cookie: ${'a'.repeat(20_000)}`;
  const WINDOW = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const ask = (headers: readonly string[], {host = 'localhost', path = '/'} = {}) =>
    callService(service(), `GET ${path}`, {host: `${host}:${service().port}`, headers: [...headers, COOKIES]});

  test('get a page with the way out in a window, and the failure elsewhere', async () => {
    const {status, headers, body} = await ask([WINDOW, ...PAGE], {path: '/?%22<b>'});
    const text = body.toString();
    expect([status, headers.get('content-type')]).toEqual([431, 'text/html; charset=utf-8']);
    expect(text).toContain(`href="http://crewroom.localhost:${service().port}/"`);
    expect(text).not.toContain('<b>');
    for (const [sent, at] of [
      [['Accept: */*'], {}],
      [[WINDOW], {host: 'foreign.example'}],
      [[WINDOW, ...PAGE], {path: '/api/identity'}],
    ] as const) {
      const {json} = await ask(sent, at);
      expect(json).toMatchObject({code: 'headers-too-large', advice: expect.stringContaining('crewroom.localhost')});
    }
  });

  test('are read by a page whose one origin is allowed, and by no other', async () => {
    const origins = async (...headers: readonly string[]) => {
      const answer = await ask(headers);
      expect([answer.status, answer.json['code']]).toEqual([431, 'headers-too-large']);
      return ['origin', 'credentials'].map(name => answer.headers.get(`access-control-allow-${name}`));
    };
    expect(await origins(`Origin: ${ALLOWED}`)).toEqual([ALLOWED, 'true']);
    const own = `http://localhost:${service().port}`;
    expect(await origins(`Origin: ${own}`)).toEqual([own, undefined]);
    for (const headers of [
      ['Origin: http://foreign.example'],
      ['Origin: null'],
      [`Origin: ${ALLOWED}`, `Origin: ${ALLOWED}`],
      [`X-Origin: ${ALLOWED}`],
      [],
    ])
      expect(await origins(...headers), headers.join()).toEqual([undefined, undefined]);
  });

  test('get the failure alone if what arrived last is not their beginning', async () => {
    const {port} = service();
    const head = `GET / HTTP/1.1\r\nHost: crewroom.localhost:${port}\r\n`;
    for (const {sent, rest} of [
      {sent: `${head}A: b\r\n`, rest: `Host: crewroom.localhost:${port}\r\nOrigin: ${ALLOWED}\r\n${WINDOW}\r\n`},
      {sent: '', rest: `${head}Origin: http://localhost:${port}\r\n\r\n${head}`},
    ]) {
      const client = await RawClient.connect({port});
      onTestFinished(() => client[Symbol.dispose]());
      // The answer shows that all of it was read.
      await client.send(`GET /livez HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n${sent}`);
      await client.readAnswer();
      await client.send(`${rest}${COOKIES}\r\n\r\n`);
      let answer = await client.readAnswer();
      if (answer.status === 200) answer = await client.readAnswer();
      expect(answer.json).toMatchObject({code: 'headers-too-large'});
      for (const name of ['access-control-allow-origin', 'clear-site-data', 'refresh'])
        expect(answer.headers.get(name), name).toBeUndefined();
    }
  });
});
