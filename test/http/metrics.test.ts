import {once} from 'node:events';
import {describe, expect, test, vi} from 'vitest';
import {WebSocket} from 'ws';
import {METRICS} from '../../src/service/metrics/collect.ts';
import {openEventStream} from '../support/event-stream.ts';
import {copyPlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {type ParsedFamily, parsePrometheus} from '../support/prometheus.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';

type Values = ReadonlyMap<string, number>;

async function readFamilies({url}: Pick<TestService, 'url'>): Promise<ReadonlyMap<string, ParsedFamily>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  return parsePrometheus(await response.text());
}

/** Reads the values of all series. */
async function readValues(service: Pick<TestService, 'url'>): Promise<Values> {
  return new Map([...(await readFamilies(service)).values()].flatMap(({series}) => [...series]));
}

/** Returns by how much series grew. */
function growth(before: Values, after: Values, series: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(series.map(name => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
}

async function put({url}: Pick<TestService, 'url'>, key: string, body: string): Promise<void> {
  expect((await fetch(`${url}/api/store/${key}`, {method: 'PUT', body})).ok).toBe(true);
}

describe('GET /metrics', () => {
  test('is text for Prometheus, with every metric as the table has it', async () => {
    const service = await startInTest();
    await put(service, 'k', '1');
    await callService(service, 'GET /nothing');
    const {status, headers, body} = await callService(service, 'GET /metrics', {
      headers: ['Accept: application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'],
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const families = parsePrometheus(String(body));
    // There is no plugin.
    const expected = Object.entries(METRICS).filter(([name]) => !name.startsWith('crewroom_plugin'));
    expect([...families.keys()]).toEqual(expected.map(([name]) => name));
    for (const [name, {type, help, labels}] of expected) {
      const family = families.get(name);
      expect([name, family?.type, family?.help, [...(family?.labels ?? [])]]).toEqual([name, type, help, labels]);
    }
  });

  test('answers HEAD without the body, and OPTIONS, with the headers of every answer', async () => {
    const service = await startInTest({ephemeral: true});
    const [get, head, options] = await Promise.all(
      ['GET', 'HEAD', 'OPTIONS'].map(method => callService(service, `${method} /metrics`)),
    );
    expect([get?.status, head?.status, options?.status]).toEqual([200, 200, 204]);
    expect(get?.body.length).toBe(Number(get?.headers.get('content-length')));
    expect(head?.body.length).toBe(0);
    expect([...(head?.headers.keys() ?? [])]).toEqual([...(get?.headers.keys() ?? [])]);
    expect(options?.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    for (const answer of [get, head, options]) {
      expect(answer?.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer?.headers.get('cache-control')).toBe('no-store');
    }
  });

  const refused = [
    {line: 'GET /metrics?name=a', status: 400, code: 'invalid-parameter'},
    {line: 'GET /metrics/x', status: 404, code: 'no-resource'},
    {line: 'POST /metrics', status: 405, code: 'method-not-allowed'},
    {line: 'GET /metrics', headers: ['Origin: https://evil.example'], status: 403, code: 'foreign-page'},
    {line: 'GET /metrics', headers: ['Sec-Fetch-Site: cross-site'], status: 403, code: 'foreign-page'},
  ];
  for (const {line, headers, status, code} of refused) {
    test(`answers ${code} to ${[line, ...(headers ?? [])].join(', ')}`, async () => {
      const answer = await callService(await startInTest({ephemeral: true}), line, {headers});
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject({code});
    });
  }

  test('contains no key, value, identity or path of a request', async () => {
    const service = await startInTest();
    await put(service, 'secret-key', '"secret-value"');
    await callService(service, 'GET /secret-path?secret-query');
    await callService(service, 'GET /api/secret-plugin/secret-route');
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).not.toContain('secret');
    const {va_user: user} = JSON.parse(await (await fetch(`${service.url}/api/identity`)).text());
    expect(text).not.toContain(user.username ?? user.name ?? user.email);
  });
});

describe('requests', () => {
  const get = 'method="GET",route="/api/store/{key}"';
  const series = [
    `crewroom_http_requests_total{${get},status="2xx"}`,
    `crewroom_http_requests_total{${get},status="4xx"}`,
    `crewroom_http_request_duration_seconds_count{${get}}`,
    'crewroom_http_failures_total{code="no-entry"}',
  ];

  test('over sockets are counted', async () => {
    const service = await startInTest({ephemeral: true});
    await put(service, 'k', '1');
    const before = await readValues(service);
    for (const key of ['k', 'k', 'missing']) await fetch(`${service.url}/api/store/${key}`);
    expect(growth(before, await readValues(service), series)).toEqual({
      [series[0] ?? '']: 2,
      [series[1] ?? '']: 1,
      [series[2] ?? '']: 3,
      [series[3] ?? '']: 1,
    });
  });

  test('of the embedding program are counted, and answered with the same metrics', async () => {
    const {crewroom, url} = await startInTest({ephemeral: true});
    await crewroom.fetch(new Request(`${url}/api/identity`));
    const response = await crewroom.fetch(new Request(`${url}/metrics`));
    const name = 'crewroom_http_requests_total{method="GET",route="/api/identity",status="2xx"}';
    const embedded = parsePrometheus(await response.text()).get('crewroom_http_requests_total');
    expect(embedded?.series.get(name)).toBe(1);
    expect((await readValues({url})).get(name)).toBe(1);
  });

  test('that cannot be read are counted by their failure', async () => {
    const service = await startInTest({ephemeral: true});
    await callService(service, 'GET /livez', {headers: ['no header']});
    const values = await readValues(service);
    expect(values.get('crewroom_http_failures_total{code="malformed-request"}')).toBe(1);
  });

  test('to any number of paths and methods add no series', async () => {
    const service = await startInTest({ephemeral: true});
    const call = (index: number): Promise<Response> =>
      service.crewroom.fetch(new Request(`${service.url}/x${index}`, {method: `M${index}`}));
    await call(0);
    await readValues(service);
    const before = (await readValues(service)).size;
    for (let index = 1; index <= 200; index++) await call(index);
    expect((await readValues(service)).size).toBe(before);
  });
});

describe('the store', () => {
  test('counts commits, bytes, entries and syncs', async () => {
    const service = await startInTest();
    const before = await readValues(service);
    await put(service, 'a', '"12345678"');
    await put(service, 'b', '1');
    const names = [
      'crewroom_store_revision',
      'crewroom_store_commits_total',
      'crewroom_store_written_bytes_total',
      'crewroom_wal_sync_duration_seconds_count',
    ];
    const after = await readValues(service);
    expect(growth(before, after, names)).toEqual({
      crewroom_store_revision: 2,
      crewroom_store_commits_total: 2,
      crewroom_store_written_bytes_total: 11,
      crewroom_wal_sync_duration_seconds_count: 2,
    });
    const written = after.get('crewroom_wal_written_bytes_total');
    expect(written).toBeGreaterThan(11);
    expect(after.get('crewroom_wal_size_bytes')).toBe(written);
    expect(after.get('crewroom_store_read_only')).toBe(0);
    await vi.waitUntil(async () => (await readValues(service)).get('crewroom_store_entries') === 2, {timeout: 60_000});
    const checkpointed = await readValues(service);
    expect(checkpointed.get('crewroom_store_checkpoints_total{result="written"}')).toBeGreaterThan(0);
    expect(checkpointed.get('crewroom_store_checkpoints_total{result="failed"}')).toBe(0);
    expect(checkpointed.get('crewroom_wal_waiting_records')).toBe(0);
  });

  test('in memory has no write-ahead log', async () => {
    const service = await startInTest({ephemeral: true});
    await put(service, 'a', '"12345678"');
    const values = await readValues(service);
    expect(values.get('crewroom_store_entries')).toBe(1);
    expect(values.get('crewroom_store_written_bytes_total')).toBe(10);
    expect([...values.keys()].filter(name => name.includes('wal'))).toEqual([]);
  });
});

test('connections and subscribers are counted, and events for each subscriber', async () => {
  const service = await startInTest({ephemeral: true});
  const subscribers = 'crewroom_events_subscribers';
  const before = await readValues(service);
  const streams = await Promise.all([1, 2].map(() => openEventStream(`${service.url}/api/events`)));
  for (const {parser, until} of streams) await until(() => parser.lastEventId !== '');
  const during = await readValues(service);
  await put(service, 'k', '1');
  for (const stream of streams) await stream.next();
  const after = await readValues(service);
  expect(growth(before, during, [subscribers])).toEqual({[subscribers]: 2});
  expect(during.get('crewroom_http_connections')).toBeGreaterThanOrEqual(3);
  const delivered = 'crewroom_events_delivered_total';
  // The settings of the service are a subscriber too.
  expect(growth(during, after, [delivered])[delivered]).toBeGreaterThanOrEqual(2);
  for (const stream of streams) await stream[Symbol.asyncDispose]();
  await expect.poll(async () => (await readValues(service)).get(subscribers)).toBe(before.get(subscribers));
});

test('a WebSocket is counted when it is opened', async () => {
  const service = await startInTest({ephemeral: true});
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/events`);
  await once(socket, 'open');
  const values = await readValues(service);
  expect(values.get('crewroom_http_requests_total{method="GET",route="/api/events",status="1xx"}')).toBe(1);
  socket.close();
});

test('plugins have their states, ends and memory', async () => {
  const service = await startPlugins(directory => copyPlugin('com.example.hello', directory));
  await service.until('com.example.hello', ({state}) => state === 'running');
  const memory = 'crewroom_plugin_memory_bytes{plugin="com.example.hello"}';
  // A background measures itself each second.
  await vi.waitUntil(async () => (await readValues(service)).has(memory), {timeout: 10_000});
  const values = await readValues(service);
  expect(values.get('crewroom_plugin_state{plugin="com.example.hello",state="running"}')).toBe(1);
  expect(values.get('crewroom_plugin_ends_total{plugin="com.example.hello"}')).toBe(0);
  expect(values.get(memory)).toBeGreaterThan(1_000_000);
});
