import type {Store} from '../domain/commits/store.ts';
import type {CommonDeps} from '../domain/common-deps.ts';
import type {Revision} from '../domain/entries/revision.ts';
import type {StoreFaults} from '../domain/faults/active-faults.ts';
import type {PluginStatus, Plugins} from '../domain/plugins/plugin.ts';
import type {
  CheckpointCounts,
  ConnectionStatistics,
  EventStatistics,
  StoreStatistics,
  WalStatistics,
} from '../domain/statistics.ts';
import type {RequestCounts} from './request-counts.ts';
import {formatMetrics, type Sample, type SamplesOf, single} from './text-form.ts';

/** The parts of a service that have figures. */
export interface MetricsDeps extends Pick<CommonDeps, 'nowMs' | 'elapsedMs'> {
  /** Waits for a tick of the event loop. */
  readonly pause: () => Promise<void>;
  readonly store: MeasuredStore;
  readonly faults: Pick<StoreFaults, 'readOnlyBecause'>;
  readonly events: {statistics(): EventStatistics};
  readonly plugins: Pick<Plugins, 'list'>;
  /** Returns figures of the connections; undefined while the service does not listen. */
  readonly connections: () => ConnectionStatistics | undefined;
  readonly version: string;
  readonly apiVersion: string;
}

/** Counts since the service started. */
export interface Counted {
  readonly requests: RequestCounts;
  /** The revision when the service started. */
  readonly firstRevision: Revision;
}

/** Reads the figures of all parts, and formats them as text. */
export async function collectMetrics(deps: MetricsDeps, {requests, firstRevision}: Counted): Promise<string> {
  const {store, faults, events, plugins, connections, version, apiVersion} = deps;
  const versions = {version, api_version: apiVersion, node_version: process.version};
  return formatMetrics({
    crewroom_build_info: [{labels: versions, value: 1}],
    ...(await storeSamples(store, {faults, firstRevision})),
    ...(await processSamples(deps)),
    ...httpSamples(requests, connections()),
    ...eventSamples(events.statistics()),
    ...pluginSamples(plugins.list()),
  });
}

/** Returns the figures of requests and connections. */
function httpSamples(
  {routes, failures}: RequestCounts,
  connections: ConnectionStatistics | undefined,
): SamplesOf<'crewroom_http'> {
  const requests: Sample[] = [];
  const durations: Sample[] = [];
  for (const [route, methods] of routes) {
    for (const [method, counts] of methods) {
      for (const [statusClass, value] of counts.answers.entries())
        if (value > 0) requests.push({labels: {method, route, status: `${statusClass}xx`}, value});
      durations.push({labels: {method, route}, value: counts.durations.durations()});
    }
  }
  return {
    crewroom_http_requests_total: requests,
    crewroom_http_request_duration_seconds: durations,
    crewroom_http_failures_total: Array.from(failures, ([code, value]) => ({labels: {code}, value})),
    crewroom_http_connections: single(connections?.open),
    crewroom_http_held_bytes: single(connections?.heldBytes),
  };
}

/**
 * Reads the figures of the process: of a program that embeds the service, of all of it. The delay of the event loop is measured at
 * this moment: a timer that measures it all the time would wake up a machine that is idle.
 */
async function processSamples({nowMs, elapsedMs, pause}: MetricsDeps): Promise<SamplesOf<'process' | 'nodejs'>> {
  const pausedAtMs = elapsedMs();
  await pause();
  const lagMs = elapsedMs() - pausedAtMs;
  const {user, system} = process.cpuUsage();
  const {rss, heapUsed, external} = process.memoryUsage();
  return {
    process_start_time_seconds: single(nowMs() / 1000 - process.uptime()),
    process_cpu_seconds_total: single((user + system) / 1e6),
    process_resident_memory_bytes: single(rss),
    nodejs_heap_size_used_bytes: single(heapUsed),
    nodejs_external_memory_bytes: single(external),
    nodejs_eventloop_lag_seconds: single(lagMs / 1000),
    nodejs_eventloop_active_seconds_total: single(performance.eventLoopUtilization().active / 1000),
  };
}

/** The part of a store that has figures. */
type MeasuredStore = Pick<Store, 'revision' | 'readOnlyBecause' | 'statistics'>;

/**
 * Reads the figures of a store. An engine of another program may have none besides its revision.
 *
 * @param firstRevision The revision when the service started.
 */
async function storeSamples(
  store: MeasuredStore,
  {faults, firstRevision}: {readonly faults: Pick<StoreFaults, 'readOnlyBecause'>; readonly firstRevision: Revision},
): Promise<SamplesOf<'crewroom_store' | 'crewroom_wal'>> {
  const statistics: Partial<StoreStatistics> = (await store.statistics()) ?? {};
  return {
    crewroom_store_revision: single(store.revision),
    crewroom_store_trimmed_revision: single(statistics.trimmedRevision),
    // Each commit that changes something takes one revision.
    crewroom_store_commits_total: single(store.revision - firstRevision),
    crewroom_store_written_bytes_total: single(statistics.writtenBytes),
    crewroom_store_entries: single(statistics.entries),
    crewroom_store_size_bytes: single(statistics.sizeBytes),
    crewroom_store_waiting_commits: single(statistics.waitingCommits),
    crewroom_store_read_only: single((store.readOnlyBecause ?? faults.readOnlyBecause) === undefined ? 0 : 1),
    ...checkpointSamples(statistics.checkpoints),
    ...walSamples(statistics.wal),
  };
}

function checkpointSamples(counts: CheckpointCounts | undefined): SamplesOf<'crewroom_store_checkpoints'> {
  const samples = Object.entries(counts ?? {}).map(([result, value]) => ({labels: {result}, value}));
  return {crewroom_store_checkpoints_total: samples};
}

function walSamples(wal: WalStatistics | undefined): SamplesOf<'crewroom_wal'> {
  return {
    crewroom_wal_size_bytes: single(wal?.sizeBytes),
    crewroom_wal_waiting_records: single(wal?.waitingRecords),
    crewroom_wal_written_bytes_total: single(wal?.writtenBytes),
    crewroom_wal_sync_duration_seconds: single(wal?.syncs),
  };
}

/** Returns the figures of the event hub. */
function eventSamples(statistics: EventStatistics): SamplesOf<'crewroom_events'> {
  return {
    crewroom_events_subscribers: single(statistics.subscribers),
    crewroom_events_delivered_total: single(statistics.delivered),
    crewroom_events_dropped_total: single(statistics.dropped),
    crewroom_events_slow_subscribers_total: single(statistics.slowSubscribers),
  };
}

/** Returns the figures of plugins; of those without a background only the state. */
function pluginSamples(plugins: readonly PluginStatus[]): SamplesOf<'crewroom_plugin'> {
  const running = plugins.filter(({hasBackground}) => hasBackground);
  return {
    crewroom_plugin_state: plugins.map(({id, state}) => ({labels: {plugin: id, state}, value: 1})),
    crewroom_plugin_ends_total: running.map(({id, ends}) => ({labels: {plugin: id}, value: ends})),
    crewroom_plugin_memory_bytes: running.flatMap(({id, memoryBytes}) =>
      memoryBytes === undefined ? [] : [{labels: {plugin: id}, value: memoryBytes}],
    ),
  };
}
