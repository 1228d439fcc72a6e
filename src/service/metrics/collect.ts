import type {Store} from '../../core/domain/commits/store.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {DURATION_BOUNDS_SECONDS, type Durations} from '../../core/domain/duration-histogram.ts';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import type {StoreFaults} from '../../core/domain/faults/fault.ts';
import type {PluginStatus, Plugins} from '../../core/domain/plugins/plugin.ts';
import type {
  CheckpointCounts,
  ConnectionStatistics,
  EventStatistics,
  SessionStatistics,
  StoreStatistics,
  WalStatistics,
} from '../../core/domain/statistics.ts';
import {METRICS, type MetricName} from './metric-table.ts';
import type {RequestCounts} from './request-counts.ts';

/** The parts of a service that have figures. */
export interface MetricsDeps extends Pick<CommonDeps, 'nowMs' | 'elapsedMs'> {
  /** Waits for a tick of the event loop. */
  readonly pause: () => Promise<void>;
  readonly store: MeasuredStore;
  readonly faults: Pick<StoreFaults, 'readOnlyBecause'>;
  readonly events: {statistics(): EventStatistics};
  readonly sessions: {statistics(): SessionStatistics};
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
  const {store, faults, events, sessions, plugins, connections, version, apiVersion} = deps;
  const versions = {version, api_version: apiVersion, node_version: process.version};
  return formatMetrics({
    crewroom_build_info: [{labels: versions, value: 1}],
    ...(await storeSamples(store, {faults, firstRevision})),
    ...(await processSamples(deps)),
    ...httpSamples(requests, connections()),
    ...eventSamples(events.statistics()),
    ...sessionSamples(sessions.statistics()),
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
  return {crewroom_store_checkpoints_total: byResult(counts ?? {})};
}

function byResult(counts: object): readonly Sample[] {
  return Object.entries(counts).map(([result, value]) => ({labels: {result}, value}));
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

/** Returns the figures of the session and of the back end that it comes from. */
function sessionSamples(statistics: SessionStatistics): SamplesOf<'crewroom_back_end' | 'crewroom_session'> {
  const {requests, staleSinceMs, endsAtMs} = statistics;
  return {
    crewroom_back_end_requests_total: byResult(requests),
    crewroom_session_stale_timestamp_seconds: single((staleSinceMs ?? 0) / 1000),
    crewroom_session_end_timestamp_seconds: single((endsAtMs ?? 0) / 1000),
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

/** A value of a metric, with its labels. */
interface Sample {
  readonly labels?: Labels;
  readonly value: number | Durations;
}

/** Values of labels, by name. */
type Labels = Readonly<Record<string, string>>;

/** All samples, by metric. A metric without samples is left out of the text. */
type Samples = Readonly<Record<MetricName, readonly Sample[]>>;

/** The samples of those metrics whose names begin so. */
type SamplesOf<Prefix extends string> = Pick<Samples, Extract<MetricName, `${Prefix}_${string}`>>;

/** Returns the only sample of a metric; none if its value is not known. */
function single(value: Sample['value'] | undefined): readonly Sample[] {
  return value === undefined ? [] : [{value}];
}

/** Formats samples as text for Prometheus (exposition formats, text-based format 0.0.4). */
function formatMetrics(samples: Samples): string {
  const lines: string[] = [];
  for (const [name, {type, help}] of Object.entries(METRICS)) {
    const own = samples[name as MetricName];
    if (own.length === 0) continue;
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const sample of own) lines.push(...formatSample(name, sample));
  }
  return `${lines.join('\n')}\n`;
}

function formatSample(name: string, {labels = {}, value}: Sample): readonly string[] {
  if (typeof value === 'number') return [`${name}${formatLabels(labels)} ${value}`];
  let count = 0;
  const buckets = value.counts.map((own, index) => {
    count += own;
    const le = String(DURATION_BOUNDS_SECONDS[index] ?? '+Inf');
    return `${name}_bucket${formatLabels({...labels, le})} ${count}`;
  });
  const own = formatLabels(labels);
  return [...buckets, `${name}_sum${own} ${value.sumSeconds}`, `${name}_count${own} ${count}`];
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
