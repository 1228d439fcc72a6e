import type {Store} from '../../core/domain/commits/store.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {DURATION_BOUNDS_SECONDS, type Durations} from '../../core/domain/duration-histogram.ts';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import type {StoreFaults} from '../../core/domain/faults/fault.ts';
import type {PluginStatus, Plugins} from '../../core/domain/plugins/plugin.ts';
import type {
  ConnectionStatistics,
  EventStatistics,
  SessionStatistics,
  StoreStatistics,
} from '../../core/domain/statistics.ts';
import type {RequestCounts} from './request-counts.ts';

/** The parts of a service that have figures. */
export interface MetricsDeps extends Pick<CommonDeps, 'nowMs' | 'elapsedMs'> {
  /** Waits for a tick of the event loop. */
  readonly pause: () => Promise<void>;
  /** An engine of another program may have no statistics. */
  readonly store: Pick<Store, 'revision' | 'readOnlyBecause' | 'statistics'>;
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

/** Reads the figures of all parts, and formats them as text for Prometheus (exposition formats, text-based format 0.0.4). */
export async function collectMetrics(deps: MetricsDeps, counted: Counted): Promise<string> {
  const measured = await measure(deps, counted);
  const lines = Object.entries(METRICS).flatMap(([name, {type, help, read}]) => {
    const samples = samplesOf(read(measured));
    if (samples.length === 0) return [];
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.flatMap(each => formatSample(name, each))];
  });
  return `${lines.join('\n')}\n`;
}

/**
 * Measures everything for one text; of a program that embeds the service, its whole process. The delay of the event loop is measured at this
 * moment: a timer that measures it all the time would wake up a machine that is idle.
 */
async function measure(deps: MetricsDeps, {requests, firstRevision}: Counted) {
  const {pause, elapsedMs, nowMs, store, faults, version, apiVersion} = deps;
  const statistics: Partial<StoreStatistics> = (await store.statistics()) ?? {};
  const pausedAtMs = elapsedMs();
  await pause();
  const lagMs = elapsedMs() - pausedAtMs;
  return {
    nowMs,
    store,
    statistics,
    firstRevision,
    requests,
    http: samplesOfRequests(requests),
    lagMs,
    cpu: process.cpuUsage(),
    memory: process.memoryUsage(),
    versions: {version, api_version: apiVersion, node_version: process.version},
    isReadOnly: (store.readOnlyBecause ?? faults.readOnlyBecause) !== undefined,
    connections: deps.connections(),
    events: deps.events.statistics(),
    session: deps.sessions.statistics(),
    plugins: deps.plugins.list(),
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

/** A metric, as Prometheus describes it. */
interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Names of its labels. The values of each are bounded. */
  readonly labels: readonly string[];
  readonly help: string;
  /** Returns its samples, or the value of the only one. A metric without any is left out of the text. */
  readonly read: (measured: Measured) => readonly Sample[] | Sample['value'] | undefined;
}

function define(type: Metric['type']): (help: string, read: Metric['read'], labels?: readonly string[]) => Metric {
  return (help, read, labels = []) => ({type, labels, help, read});
}

const counter = define('counter');
const gauge = define('gauge');
const histogram = define('histogram');

/**
 * All metrics, in the order of the text; `docs/metrics.md` has the same table. Names end with their unit, counters with `_total`. Names
 * with `process_` and `nodejs_` are those of the client libraries of Prometheus, so that dashboards for them work.
 */
export const METRICS: Readonly<Record<string, Metric>> = {
  crewroom_build_info: gauge('Always 1; the labels are the versions', m => [{labels: m.versions, value: 1}], [
    'version',
    'api_version',
    'node_version',
  ]),
  crewroom_http_requests_total: counter(
    'Requests that were answered, by method, path of the route and class of the status',
    m => m.http.requests,
    ['method', 'route', 'status'],
  ),
  crewroom_http_request_duration_seconds: histogram(
    'Time from the head of a request to its answer, of a stream to its beginning',
    m => m.http.durations,
    ['method', 'route'],
  ),
  crewroom_http_failures_total: counter(
    'Failures that were answered, by code; also those of requests that could not be read',
    m => Array.from(m.requests.failures, ([code, value]) => ({labels: {code}, value})),
    ['code'],
  ),
  crewroom_http_connections: gauge('Open connections', m => m.connections?.open),
  crewroom_http_held_bytes: gauge(
    'Bytes of requests, and of answers above 8 KiB, in memory',
    m => m.connections?.heldBytes,
  ),
  crewroom_store_revision: gauge('Revision of the last commit', m => m.store.revision),
  crewroom_store_trimmed_revision: gauge(
    'Last revision that the change log has trimmed: later ones can be replayed',
    m => m.statistics.trimmedRevision,
  ),
  // Each commit that changes something takes one revision.
  crewroom_store_commits_total: counter(
    'Commits that changed something, since the service started',
    m => m.store.revision - m.firstRevision,
  ),
  crewroom_store_written_bytes_total: counter('Bytes of the values that were written', m => m.statistics.writtenBytes),
  crewroom_store_entries: gauge(
    'Entries as of the last checkpoint, including those that have expired and are not removed yet',
    m => m.statistics.entries,
  ),
  crewroom_store_size_bytes: gauge(
    'Size of the files in the data directory, without those of plugins',
    m => m.statistics.sizeBytes,
  ),
  crewroom_store_waiting_commits: gauge('Commits that wait for others to be written', m => m.statistics.waitingCommits),
  crewroom_store_read_only: gauge('1 if the disk failed and nothing can be written, else 0', m => Number(m.isReadOnly)),
  crewroom_store_checkpoints_total: counter(
    'Checkpoints, by result: written or failed',
    m => byResult(m.statistics.checkpoints),
    ['result'],
  ),
  crewroom_wal_size_bytes: gauge(
    'Bytes of the records in the files of the write-ahead log, whose size is fixed',
    m => m.statistics.wal?.sizeBytes,
  ),
  crewroom_wal_waiting_records: gauge(
    'Records of the write-ahead log that are not checkpointed yet',
    m => m.statistics.wal?.waitingRecords,
  ),
  crewroom_wal_written_bytes_total: counter(
    'Bytes of the records that were written to the write-ahead log',
    m => m.statistics.wal?.writtenBytes,
  ),
  crewroom_wal_sync_duration_seconds: histogram(
    'Time to write and sync a record of the write-ahead log',
    m => m.statistics.wal?.syncs,
  ),
  crewroom_events_subscribers: gauge('Subscribers of events, inside the service too', m => m.events.subscribers),
  crewroom_events_delivered_total: counter(
    'Events that subscribers took, each counted once per subscriber',
    m => m.events.delivered,
  ),
  crewroom_events_dropped_total: counter(
    'Momentary events that subscribers missed because they were too slow',
    m => m.events.dropped,
  ),
  crewroom_events_slow_subscribers_total: counter(
    'Subscribers that were disconnected because they were too slow',
    m => m.events.slowSubscribers,
  ),
  crewroom_back_end_requests_total: counter('Requests to the back end, by result', m => byResult(m.session.requests), [
    'result',
  ]),
  crewroom_session_stale_timestamp_seconds: gauge(
    'Time since which the back end has not confirmed the session; 0 if it has',
    m => (m.session.staleSinceMs ?? 0) / 1000,
  ),
  crewroom_session_end_timestamp_seconds: gauge(
    'End of the session, past if it expired; 0 if it has none',
    m => (m.session.endsAtMs ?? 0) / 1000,
  ),
  crewroom_plugin_state: gauge(
    'Always 1; the label state is the present state of the plugin',
    m => m.plugins.map(({id, state}) => ({labels: {plugin: id, state}, value: 1})),
    ['plugin', 'state'],
  ),
  crewroom_plugin_ends_total: counter(
    'How often the background of a plugin ended by itself',
    m => ofBackgrounds(m, ({ends}) => ends),
    ['plugin'],
  ),
  crewroom_plugin_memory_bytes: gauge(
    'Resident memory of the background of a plugin, as it was last measured',
    m => ofBackgrounds(m, ({memoryBytes}) => memoryBytes),
    ['plugin'],
  ),
  process_start_time_seconds: gauge(
    'Start of the process, since the Unix epoch',
    m => m.nowMs() / 1000 - process.uptime(),
  ),
  process_cpu_seconds_total: counter(
    'Processor time of the process, user and system',
    m => (m.cpu.user + m.cpu.system) / 1e6,
  ),
  process_resident_memory_bytes: gauge('Resident memory of the process', m => m.memory.rss),
  nodejs_heap_size_used_bytes: gauge('Memory of JavaScript objects', m => m.memory.heapUsed),
  nodejs_external_memory_bytes: gauge('Memory outside the heap of JavaScript, such as buffers', m => m.memory.external),
  nodejs_eventloop_lag_seconds: gauge('Delay of the event loop, measured once for this request', m => m.lagMs / 1000),
  nodejs_eventloop_active_seconds_total: counter(
    'Time that the event loop was busy; it is overloaded if this grows by nearly 1 per second',
    () => performance.eventLoopUtilization().active / 1000,
  ),
};

function samplesOfRequests({routes}: RequestCounts) {
  const requests: Sample[] = [];
  const durations: Sample[] = [];
  for (const [route, methods] of routes) {
    for (const [method, counts] of methods) {
      for (const [statusClass, value] of counts.answers.entries())
        if (value > 0) requests.push({labels: {method, route, status: `${statusClass}xx`}, value});
      durations.push({labels: {method, route}, value: counts.durations.durations()});
    }
  }
  return {requests, durations};
}

function byResult(counts: object = {}): readonly Sample[] {
  return Object.entries(counts).map(([result, value]) => ({labels: {result}, value}));
}

/** Returns a figure of each plugin that has a background, if it is known. */
function ofBackgrounds({plugins}: Measured, figure: (plugin: PluginStatus) => number | undefined): readonly Sample[] {
  return plugins
    .filter(({hasBackground}) => hasBackground)
    .flatMap(plugin => samplesOf(figure(plugin), {plugin: plugin.id}));
}

/** A value of a metric, with its labels. */
interface Sample {
  readonly labels?: Labels;
  readonly value: number | Durations;
}

/** Values of labels, by name. */
type Labels = Readonly<Record<string, string>>;

function samplesOf(read: ReturnType<Metric['read']>, labels: Labels = {}): readonly Sample[] {
  if (Array.isArray(read)) return read;
  return read === undefined ? [] : [{labels, value: read as Sample['value']}];
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
