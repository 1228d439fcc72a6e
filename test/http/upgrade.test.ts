import {describe, expect, test} from 'vitest';
import {exchange, formatRequest, RawClient} from '../support/raw-client.ts';
import {useService} from '../support/service.ts';

const service = useService({allowOrigin: ['http://localhost:3000']});

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

describe('the guard judges an upgrade like any other request, before it is granted (A9)', () => {
  const refused = [
    {name: 'a rebound host', host: 'evil.example:7172', origin: [], status: 421},
    {name: 'a foreign origin', host: undefined, origin: ['Origin: https://evil.example'], status: 403},
    {name: 'the null origin', host: undefined, origin: ['Origin: null'], status: 403},
    {name: 'a cross-site page', host: undefined, origin: ['Sec-Fetch-Site: cross-site'], status: 403},
  ];
  for (const {name, host, origin, status} of refused) {
    for (const path of ['/api/events', '/api/identity', '/']) {
      test(`${name} at ${path}`, async () => {
        const {port} = service();
        const headers = [`Host: ${host ?? `localhost:${port}`}`, ...UPGRADE, ...origin];
        expect((await exchange({port}, formatRequest(`GET ${path}`, headers))).status).toBe(status);
      });
    }
  }

  test('one of a local program is answered like the plain request', async () => {
    const {port} = service();
    const answer = await exchange({port}, formatRequest('GET /api/identity', [`Host: localhost:${port}`, ...UPGRADE]));
    expect(answer.status).toBe(200);
    expect(answer.json).toHaveProperty('va_user');
  });

  test('one of an allowed page is answered like the plain request', async () => {
    const {port} = service();
    const headers = [`Host: localhost:${port}`, ...UPGRADE, 'Origin: http://localhost:3000'];
    expect((await exchange({port}, formatRequest('GET /livez', headers))).status).toBe(200);
  });
});

describe('the service is no proxy', () => {
  test('CONNECT is refused, and the connection ends', async () => {
    const {port} = service();
    const client = await RawClient.connect({port});
    await client.send(`CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n`);
    expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request', status: 400});
    expect((await client.readEnd()).length).toBe(0);
    client[Symbol.dispose]();
  });
});
