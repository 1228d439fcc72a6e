import {describe, expect, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {CHECK_INTERVAL_MS} from '../../src/http/node/server.ts';
import {exchange, formatRequest, type RawClient} from '../support/raw-client.ts';
import {connectInTest, startInTest} from '../support/service.ts';

describe('clients that are slow (B7)', () => {
  test('are answered 408 within the times of /api/limits', async () => {
    const service = await startInTest();
    const host = `Host: localhost:${service.port}`;
    const startedMs = performance.now();
    const late = async (sent: string, trickle: string): Promise<{status: number; tookMs: number}> => {
      const client = await connectInTest(service);
      await client.send(sent);
      // A byte now and then does not extend the time.
      const timer = setInterval(() => void client.send(trickle), 500);
      const {status} = await client.readAnswer();
      clearInterval(timer);
      return {status, tookMs: performance.now() - startedMs};
    };
    const [headers, body] = await Promise.all([
      late(`GET /livez HTTP/1.1\r\n${host}\r\nX: `, 'x'),
      late(`PUT /api/store/k HTTP/1.1\r\n${host}\r\nContent-Length: 1000\r\n\r\n"`, 'x'),
    ]);
    const {limits} = {limits: await (await fetch(`${service.url}/api/limits`)).json()};
    expect(limits).toMatchObject({
      headersTimeoutMs: DEFAULT_LIMITS.headersTimeoutMs,
      requestTimeoutMs: DEFAULT_LIMITS.requestTimeoutMs,
    });
    expect([headers.status, body.status]).toEqual([408, 408]);
    // Node checks every five seconds; the rest is for a slow machine. Without a limit there would be no answer at all.
    const graceMs = CHECK_INTERVAL_MS + 20_000;
    expect(headers.tookMs).toBeLessThan(DEFAULT_LIMITS.headersTimeoutMs + graceMs);
    expect(body.tookMs).toBeLessThan(DEFAULT_LIMITS.requestTimeoutMs + graceMs);
    expect(await service.crewroom.entries.get('k')).toBeUndefined();
  });
});

describe('1,000 connections that do nothing (B7)', () => {
  const attacks = [
    {name: 'idle from the start', sent: ''},
    {name: 'stuck in their headers', sent: 'GET /livez HTTP/1.1\r\nX'},
  ];
  for (const {name, sent} of attacks) {
    test(`${name}, do not block others: another client is answered a hundred times`, async () => {
      const service = await startInTest();
      const idle: RawClient[] = [];
      for (let count = 0; count < 1000; count++) {
        const client = await connectInTest(service);
        await client.send(sent);
        idle.push(client);
      }
      const request = formatRequest('GET /api/identity', [`Host: localhost:${service.port}`]);
      for (let count = 0; count < 100; count++) expect((await exchange(service, request)).status).toBe(200);
      expect(idle.filter(({socket}) => socket.destroyed)).toEqual([]);
    });
  }
});

describe('bodies that never end (B7)', () => {
  test('do not block others, however many they are', async () => {
    const service = await startInTest({connectionsMax: 256});
    const {port} = service;
    const host = `Host: localhost:${port}`;
    const upload = `PUT /api/store/slow HTTP/1.1\r\n${host}\r\nContent-Length: 1000\r\n\r\n"`;
    for (let count = 0; count < 300; count++) await (await connectInTest(service)).send(upload);
    const request = formatRequest('PUT /api/store/quick', [host], '1');
    // For a moment slow clients cannot be told from attackers, and hold all places.
    await expect.poll(async () => (await exchange({port}, request)).status).toBe(201);
    for (let count = 0; count < 100; count++) expect((await exchange({port}, request)).status).toBe(200);
  });
});
