import {once} from 'node:events';
import type {IncomingMessage} from 'node:http';
import {describe, expect, onTestFinished, test} from 'vitest';
import {WebSocket} from 'ws';
import {connectInTest, useService} from '../support/service.ts';

const ORIGIN = 'http://localhost:5173';
const service = useService({ephemeral: true, allowOrigins: [ORIGIN]});

describe('the header Crewroom-API is in', () => {
  const headerOf = async (path: string, init: RequestInit = {}): Promise<readonly [number, string | null]> => {
    const {status, headers} = await fetch(service().url + path, init);
    return [status, headers.get('Crewroom-API')];
  };

  test('answers with and without a body', async () => {
    expect(await headerOf('/api/store/k', {method: 'PUT', body: '1'})).toEqual([201, '1']);
    expect(await headerOf('/api/store/k')).toEqual([200, '1']);
    expect(await headerOf('/api/store/k', {method: 'OPTIONS'})).toEqual([204, '1']);
    expect(await headerOf('/api/store/none')).toEqual([404, '1']);
    expect(await headerOf('/docs/nothing')).toEqual([404, '1']);
  });

  test('answers of 304, of entries and of files', async () => {
    for (const path of ['/api/store/k', '/docs/text.css']) {
      const tag = (await fetch(service().url + path)).headers.get('ETag') ?? '';
      expect(await headerOf(path, {headers: {'If-None-Match': tag}})).toEqual([304, '1']);
    }
  });

  test('the answer that opens a WebSocket', async () => {
    const socket = new WebSocket(`${service().url.replace('http', 'ws')}/api/events`);
    onTestFinished(() => socket.terminate());
    const [{statusCode, headers}] = (await once(socket, 'upgrade')) as [IncomingMessage];
    expect([statusCode, headers['crewroom-api']]).toEqual([101, '1']);
  });

  test('the refusal of bytes that are no request', async () => {
    const client = await connectInTest(service());
    await client.send('nonsense\r\n\r\n');
    expect((await client.readAnswer()).headers.get('crewroom-api')).toBe('1');
  });

  test('the answer to a preflight, and pages of other origins can read it', async () => {
    const preflight = {Origin: ORIGIN, 'Access-Control-Request-Method': 'PUT'};
    expect(await headerOf('/api/store/k', {method: 'OPTIONS', headers: preflight})).toEqual([204, '1']);
    const {headers} = await fetch(`${service().url}/api`, {headers: {Origin: ORIGIN}});
    expect(headers.get('Access-Control-Expose-Headers')?.split(', ')).toContain('Crewroom-API');
  });

  test('the answers to programs that embed the service', async () => {
    const {headers} = await service().crewroom.fetch(new Request(`${service().url}/api`));
    expect(headers.get('Crewroom-API')).toBe('1');
  });
});
