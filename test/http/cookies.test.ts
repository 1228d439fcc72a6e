import {describe, expect, test} from 'vitest';
import {callService, useService} from '../support/service.ts';

const service = useService({ephemeral: true});
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
