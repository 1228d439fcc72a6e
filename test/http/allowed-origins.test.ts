import {describe, expect, test} from 'vitest';
import {createService} from '../../src/client/service/service.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';

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
