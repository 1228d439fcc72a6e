import {describe, expect, test} from 'vitest';
import {parsePrometheus} from '../../../test/support/prometheus.ts';
import {NO_FAULTS} from '../../core/domain/faults/fault.ts';
import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import type {SessionStatistics} from '../../core/domain/statistics.ts';
import {FAILURE_CODES} from '../../core/failures/rows/rows.ts';
import type {MetricsDeps} from './collect.ts';
import {Metrics} from './metrics.ts';

const EVENTS = {subscribers: 1, delivered: 2, dropped: 3, slowSubscribers: 4};

const PLUGIN: PluginStatus = {
  ...{id: 'com.example.hello', name: 'Hello', version: '1', type: 'user', description: '', directory: '/', stamp: ''},
  ...{state: 'running', warnings: [], inDevelopment: false, hasPage: false, hasBackground: true, routes: [], ends: 2},
};

const STORE = {revision: 7, readOnlyBecause: undefined, statistics: async () => undefined};

const REQUESTS = {accepted: 1, refused: 2, failed: 3};

function make(deps: Partial<MetricsDeps> = {}, session: Partial<SessionStatistics> = {}): Metrics {
  return new Metrics({
    ...{store: STORE, faults: NO_FAULTS},
    events: {statistics: () => EVENTS},
    sessions: {statistics: () => ({requests: REQUESTS, staleSinceMs: undefined, endsAtMs: undefined, ...session})},
    plugins: {list: () => []},
    connections: () => undefined,
    ...{version: '1.2.3', apiVersion: '1', nowMs: () => 0, elapsedMs: () => 0, pause: async () => {}},
    ...deps,
  });
}

/** Returns the series of one metric. */
async function seriesOf(metrics: Metrics, name: string): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries(parsePrometheus(await metrics.format()).get(name)?.series ?? []);
}

function answered(method: string, route: string | undefined, status: number, durationMs = 1) {
  return {request: {method}, route, answer: {status}, durationMs};
}

describe('requests', () => {
  test('are counted by method, route and class of status', async () => {
    const metrics = make();
    for (const status of [200, 204, 404]) metrics.requests.count(answered('GET', '/api/store/{key}', status));
    metrics.requests.count(answered('GET', '/api/events', 101));
    metrics.requests.count(answered('PUT', undefined, 403));
    expect(await seriesOf(metrics, 'crewroom_http_requests_total')).toEqual({
      'crewroom_http_requests_total{method="GET",route="/api/store/{key}",status="2xx"}': 2,
      'crewroom_http_requests_total{method="GET",route="/api/store/{key}",status="4xx"}': 1,
      'crewroom_http_requests_total{method="GET",route="/api/events",status="1xx"}': 1,
      'crewroom_http_requests_total{method="PUT",route="none",status="4xx"}': 1,
    });
  });

  test('have durations by method and route', async () => {
    const metrics = make();
    metrics.requests.count(answered('GET', '/api', 200, 0.2));
    metrics.requests.count(answered('GET', '/api', 500, 3000));
    const series = await seriesOf(metrics, 'crewroom_http_request_duration_seconds');
    const of = (suffix: string, more = ''): number | undefined =>
      series[`crewroom_http_request_duration_seconds_${suffix}{method="GET",route="/api"${more}}`];
    expect(of('count')).toBe(2);
    expect(of('sum')).toBe(3.0002);
    expect(of('bucket', ',le="0.0001"')).toBe(0);
    expect(of('bucket', ',le="0.00025"')).toBe(1);
    expect(of('bucket', ',le="2.5"')).toBe(1);
    expect(of('bucket', ',le="10"')).toBe(2);
  });

  test('of unknown methods share one series: a client can send any number of them', async () => {
    const metrics = make();
    for (let index = 0; index < 1000; index++) metrics.requests.count(answered(`M${index}`, undefined, 405));
    expect(await seriesOf(metrics, 'crewroom_http_requests_total')).toEqual({
      'crewroom_http_requests_total{method="other",route="none",status="4xx"}': 1000,
    });
  });

  test('that failed are counted by code, each from 0: what is not there does not increase for Prometheus', async () => {
    const metrics = make();
    for (const code of ['no-entry', 'no-entry', 'malformed-request'] as const) metrics.requests.countFailure(code);
    expect(await seriesOf(metrics, 'crewroom_http_failures_total')).toEqual({
      ...Object.fromEntries(FAILURE_CODES.map(code => [`crewroom_http_failures_total{code="${code}"}`, 0])),
      'crewroom_http_failures_total{code="no-entry"}': 2,
      'crewroom_http_failures_total{code="malformed-request"}': 1,
    });
  });
});

describe('the store', () => {
  test('without statistics has its revision only', async () => {
    const families = parsePrometheus(await make().format());
    expect([...families.keys()].filter(name => /store|wal/.test(name))).toEqual([
      'crewroom_store_revision',
      'crewroom_store_commits_total',
      'crewroom_store_read_only',
    ]);
  });

  test('has a count of commits since the service started', async () => {
    const store = {...STORE};
    const metrics = make({store});
    store.revision = 9;
    expect(await seriesOf(metrics, 'crewroom_store_revision')).toEqual({crewroom_store_revision: 9});
    expect(await seriesOf(metrics, 'crewroom_store_commits_total')).toEqual({crewroom_store_commits_total: 2});
  });

  test('shows that it is read-only, without the reason', async () => {
    const metrics = make({store: {...STORE, readOnlyBecause: 'EIO: /home/anna/data'}});
    expect(await seriesOf(metrics, 'crewroom_store_read_only')).toEqual({crewroom_store_read_only: 1});
    expect(await metrics.format()).not.toContain('anna');
  });
});

describe('the session', () => {
  test('has requests to its back end by result, and its times in seconds, 0 for none', async () => {
    const read = async (metrics: Metrics): Promise<unknown> => [
      await seriesOf(metrics, 'crewroom_back_end_requests_total'),
      await seriesOf(metrics, 'crewroom_session_stale_timestamp_seconds'),
      await seriesOf(metrics, 'crewroom_session_end_timestamp_seconds'),
    ];
    const requests = {
      'crewroom_back_end_requests_total{result="accepted"}': 1,
      'crewroom_back_end_requests_total{result="refused"}': 2,
      'crewroom_back_end_requests_total{result="failed"}': 3,
    };
    const times = (stale: number, end: number): readonly object[] => [
      {crewroom_session_stale_timestamp_seconds: stale},
      {crewroom_session_end_timestamp_seconds: end},
    ];
    expect(await read(make())).toEqual([requests, ...times(0, 0)]);
    expect(await read(make({}, {staleSinceMs: 1500, endsAtMs: 2_000_000}))).toEqual([requests, ...times(1.5, 2000)]);
  });
});

test('events have their figures', async () => {
  const families = parsePrometheus(await make().format());
  const names = ['subscribers', 'delivered_total', 'dropped_total', 'slow_subscribers_total'];
  const values = names.map(name => families.get(`crewroom_events_${name}`)?.series.get(`crewroom_events_${name}`));
  expect(values).toEqual([1, 2, 3, 4]);
});

describe('plugins', () => {
  test('have a state, ends and memory', async () => {
    const page: PluginStatus = {...PLUGIN, id: 'com.example.page', state: 'page-only', hasBackground: false, ends: 0};
    const metrics = make({plugins: {list: () => [{...PLUGIN, memoryBytes: 1024}, page]}});
    expect(await seriesOf(metrics, 'crewroom_plugin_state')).toEqual({
      'crewroom_plugin_state{plugin="com.example.hello",state="running"}': 1,
      'crewroom_plugin_state{plugin="com.example.page",state="page-only"}': 1,
    });
    expect(await seriesOf(metrics, 'crewroom_plugin_ends_total')).toEqual({
      'crewroom_plugin_ends_total{plugin="com.example.hello"}': 2,
    });
    expect(await seriesOf(metrics, 'crewroom_plugin_memory_bytes')).toEqual({
      'crewroom_plugin_memory_bytes{plugin="com.example.hello"}': 1024,
    });
  });

  test('may have any folder name', async () => {
    const metrics = make({plugins: {list: () => [{...PLUGIN, id: 'a"b\\c\nd{e=1}', state: 'broken'}]}});
    expect(await seriesOf(metrics, 'crewroom_plugin_state')).toEqual({
      'crewroom_plugin_state{plugin="a\\"b\\\\c\\nd{e=1}",state="broken"}': 1,
    });
  });
});

describe('the process', () => {
  test('has the delay of the event loop, measured for the request', async () => {
    let elapsedMs = 0;
    const pause = async (): Promise<void> => {
      elapsedMs += 250;
    };
    const metrics = make({elapsedMs: () => elapsedMs, pause});
    expect(await seriesOf(metrics, 'nodejs_eventloop_lag_seconds')).toEqual({nodejs_eventloop_lag_seconds: 0.25});
  });

  test('has its start by the clock that it was given', async () => {
    const metrics = make({nowMs: () => 1_000_000_000_000});
    const {process_start_time_seconds: start = 0} = await seriesOf(metrics, 'process_start_time_seconds');
    expect(start).toBeLessThan(1_000_000_000);
    expect(start).toBeGreaterThan(1_000_000_000 - 86_400);
  });
});
