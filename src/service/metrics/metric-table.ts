/** A metric, as Prometheus describes it. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Names of its labels. The values of each are bounded. */
  readonly labels: readonly string[];
  readonly help: string;
}

function define(type: MetricDefinition['type']): (help: string, ...labels: readonly string[]) => MetricDefinition {
  return (help, ...labels) => ({type, labels, help});
}

const counter = define('counter');
const gauge = define('gauge');
const histogram = define('histogram');

/**
 * All metrics, in the order of the text; `docs/metrics.md` has the same table. Names end with their unit, counters with `_total`. Names
 * with `process_` and `nodejs_` are those of the client libraries of Prometheus, so that dashboards for them work.
 */
export const METRICS = {
  crewroom_build_info: gauge('Always 1; the labels are the versions', 'version', 'api_version', 'node_version'),
  crewroom_http_requests_total: counter(
    'Requests that were answered, by method, path of the route and class of the status',
    'method',
    'route',
    'status',
  ),
  crewroom_http_request_duration_seconds: histogram(
    'Time from the head of a request to its answer, of a stream to its beginning',
    'method',
    'route',
  ),
  crewroom_http_failures_total: counter(
    'Failures that were answered, by code; also those of requests that could not be read',
    'code',
  ),
  crewroom_http_connections: gauge('Open connections'),
  crewroom_http_held_bytes: gauge('Bytes of requests, and of answers above 8 KiB, in memory'),
  crewroom_store_revision: gauge('Revision of the last commit'),
  crewroom_store_trimmed_revision: gauge('Last revision that the change log has trimmed: later ones can be replayed'),
  crewroom_store_commits_total: counter('Commits that changed something, since the service started'),
  crewroom_store_written_bytes_total: counter('Bytes of the values that were written'),
  crewroom_store_entries: gauge(
    'Entries as of the last checkpoint, including those that have expired and are not removed yet',
  ),
  crewroom_store_size_bytes: gauge('Size of the files in the data directory, without those of plugins'),
  crewroom_store_waiting_commits: gauge('Commits that wait for others to be written'),
  crewroom_store_read_only: gauge('1 if the disk failed and nothing can be written, else 0'),
  crewroom_store_checkpoints_total: counter('Checkpoints, by result: written or failed', 'result'),
  crewroom_wal_size_bytes: gauge('Bytes of the records in the files of the write-ahead log, whose size is fixed'),
  crewroom_wal_waiting_records: gauge('Records of the write-ahead log that are not checkpointed yet'),
  crewroom_wal_written_bytes_total: counter('Bytes of the records that were written to the write-ahead log'),
  crewroom_wal_sync_duration_seconds: histogram('Time to write and sync a record of the write-ahead log'),
  crewroom_events_subscribers: gauge('Subscribers of events, inside the service too'),
  crewroom_events_delivered_total: counter('Events that subscribers took, each counted once per subscriber'),
  crewroom_events_dropped_total: counter('Momentary events that subscribers missed because they were too slow'),
  crewroom_events_slow_subscribers_total: counter('Subscribers that were disconnected because they were too slow'),
  crewroom_back_end_requests_total: counter('Requests to the back end, by result', 'result'),
  crewroom_session_stale_timestamp_seconds: gauge(
    'Time since which the back end has not confirmed the session; 0 if it has',
  ),
  crewroom_session_end_timestamp_seconds: gauge('End of the session, past if it expired; 0 if it has none'),
  crewroom_plugin_state: gauge('Always 1; the label state is the present state of the plugin', 'plugin', 'state'),
  crewroom_plugin_ends_total: counter('How often the background of a plugin ended by itself', 'plugin'),
  crewroom_plugin_memory_bytes: gauge(
    'Resident memory of the background of a plugin, as it was last measured',
    'plugin',
  ),
  process_start_time_seconds: gauge('Start of the process, since the Unix epoch'),
  process_cpu_seconds_total: counter('Processor time of the process, user and system'),
  process_resident_memory_bytes: gauge('Resident memory of the process'),
  nodejs_heap_size_used_bytes: gauge('Memory of JavaScript objects'),
  nodejs_external_memory_bytes: gauge('Memory outside the heap of JavaScript, such as buffers'),
  nodejs_eventloop_lag_seconds: gauge('Delay of the event loop, measured once for this request'),
  nodejs_eventloop_active_seconds_total: counter(
    'Time that the event loop was busy; it is overloaded if this grows by nearly 1 per second',
  ),
} as const;

/** Name of a metric. */
export type MetricName = keyof typeof METRICS;
