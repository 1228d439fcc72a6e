import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createService} from '../../src/client/service/service.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {callService, makeTemporaryDirectory, startInTest, type TestService} from '../support/service.ts';

const PAGE = 'http://localhost:3000';
const PATH = '/api/allowed-origins';

/** Calls as a page of an origin. */
function callAs(service: TestService, origin: string, line: string, body?: string) {
  return callService(service, line, {headers: [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site'], body});
}

describe('/api/allowed-origins', () => {
  test('lists refused pages, and allows one of them for this run', async () => {
    const service = await startInTest({allowOrigins: ['https://va.example']});
    for (const origin of [PAGE, 'null', PAGE])
      expect((await callAs(service, origin, 'GET /api/identity')).status).toBe(403);
    const {origins} = createService({baseUrl: service.url});
    expect(await origins.list()).toEqual({
      allowed: ['https://va.example'],
      refused: [{origin: PAGE, count: 2, refusedAtMs: expect.any(Number)}],
    });
    expect(await origins.allow(PAGE)).toEqual({allowed: ['https://va.example', PAGE], refused: []});
    const answer = await callAs(service, PAGE, 'GET /api/identity');
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, PAGE]);
    expect((await callAs(service, `${PAGE}1`, 'GET /api/identity')).status).toBe(403);
  });

  test('is changed by the owner and by programs without a token, but by no token of a program', async () => {
    const service = await startInTest({ephemeral: true});
    const body = JSON.stringify({origin: PAGE});
    const allow = (...headers: readonly string[]) => callService(service, `POST ${PATH}`, {headers, body});
    const refused = await allow(bearer(await createToken(service, ['admin'])));
    expect([refused.status, refused.json['code']]).toEqual([401, 'owner-required']);
    expect((await callService(service, `GET ${PATH}`)).json['allowed']).toEqual([]);
    for (const headers of [[], [bearer(await readOwnerToken(service))]])
      expect((await allow(...headers)).json['allowed']).toEqual([PAGE]);
  });

  test('grants a page that it allows what its libraries need, and no page of a plugin, with advice for it', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    await writePlugin(join(home.path, 'com.example.page'), {'ui/index.html': '<!doctype html>'});
    const service = await startInTest({pluginsDir: home.path});
    await service.crewroom.plugins.ready();
    await createService({baseUrl: service.url}).origins.allow(PAGE);
    const ask = (origin: string, header: string) =>
      callService(service, 'OPTIONS /api/identity', {
        headers: [
          `Origin: ${origin}`,
          'Access-Control-Request-Method: GET',
          `Access-Control-Request-Headers: ${header}`,
        ],
      });
    const granted = await ask(PAGE, 'baggage');
    expect([granted.status, granted.headers.get('access-control-allow-credentials')]).toEqual([204, 'true']);
    expect(granted.headers.get('access-control-allow-headers')).toContain('baggage');
    const label = `http://${service.crewroom.plugins.status('com.example.page').label}.crewroom.localhost:${service.port}`;
    const plain = await ask(label, 'content-type');
    expect([plain.status, plain.headers.get('access-control-allow-credentials')]).toEqual([204, undefined]);
    for (const [origin, header] of [
      [label, 'baggage'],
      [PAGE, 'x-crewroom-token'],
    ] as const) {
      const refused = await ask(origin, header);
      expect([refused.status, refused.headers.has('access-control-allow-credentials')]).toEqual([400, origin === PAGE]);
      expect(refused.json['advice']).toMatch(/^Send the request without this header; .*--allow-origin/);
    }
  });

  test('tells an allowed page to call another name than that of the console, which it may not', async () => {
    const service = await startInTest({allowOrigins: [PAGE]});
    const host = `crewroom.localhost:${service.port}`;
    const {status, json} = await callService(service, 'GET /api/identity', {host, headers: [`Origin: ${PAGE}`]});
    expect([status, json['code'], json['host']]).toEqual([403, 'foreign-page', host]);
    expect(json['advice']).toMatch(/^Call http:\/\/localhost with the port of the service/);
    expect((await createService({baseUrl: service.url}).origins.list()).refused).toEqual([]);
  });

  test('lists a long origin whole, and never the beginning of a longer one', async () => {
    const service = await startInTest();
    const [long, longer] = [240, 500].map(length => `https://${'x'.repeat(length)}.example`) as [string, string];
    for (const origin of [long, longer]) await callAs(service, origin, 'GET /api/identity');
    const {refused} = await createService({baseUrl: service.url}).origins.list();
    expect(refused.map(({origin}) => origin)).toEqual([long]);
  });

  test('lets an allowed page show the pages of plugins', async () => {
    const service = await startInTest({devPlugins: ['examples/plugin']});
    await service.crewroom.plugins.ready();
    const policy = async (): Promise<string | undefined> =>
      (await callService(service, 'GET /plugins/com.example.logbook/')).headers.get('content-security-policy');
    expect(await policy()).not.toContain(PAGE);
    await createService({baseUrl: service.url}).origins.allow(PAGE);
    expect(await policy()).toContain(` ${PAGE}`);
  });

  for (const {name, body} of [
    {name: 'every origin', body: '{"origin":"*"}'},
    {name: 'the origin null', body: '{"origin":"null"}'},
    {name: 'an address', body: '{"origin":"http://localhost:3000/page"}'},
    {name: 'a pattern', body: '{"origin":"http://*.example"}'},
    {name: 'several origins', body: '{"origin":["http://a.example"]}'},
    {name: 'no origin', body: '{}'},
    {name: 'further members', body: '{"origin":"http://a.example","all":true}'},
  ])
    test(`does not allow ${name}`, async () => {
      const service = await startInTest();
      const answer = await callService(service, `POST ${PATH}`, {body});
      expect([answer.status, answer.json]).toEqual([
        422,
        expect.objectContaining({code: 'invalid-body', what: 'origin'}),
      ]);
      expect((await createService({baseUrl: service.url}).origins.list()).allowed).toEqual([]);
    });

  test('lets no page allow itself or another one, not even an allowed one', async () => {
    const service = await startInTest({allowOrigins: ['https://va.example']});
    const body = JSON.stringify({origin: PAGE});
    for (const [origin, code] of [
      [PAGE, 'foreign-page'],
      ['null', 'foreign-page'],
      ['https://va.example', 'foreign-page'],
      [`http://localhost:${service.port}`, 'owner-required'],
    ] as const) {
      const answer = await callAs(service, origin, `POST ${PATH}`, body);
      expect([origin, answer.json]).toEqual([origin, expect.objectContaining({code})]);
    }
    const list = await callAs(service, 'https://va.example', `GET ${PATH}`);
    expect(list.json).toMatchObject({code: 'foreign-page', why: 'not-own'});
    expect((await createService({baseUrl: service.url}).origins.list()).allowed).toEqual(['https://va.example']);
  });

  test('asks a page for a token in the form of RFC 6750', async () => {
    const service = await startInTest();
    const answer = await callAs(service, `http://localhost:${service.port}`, `POST ${PATH}`, '{}');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});
