/** A metric, as Prometheus describes it. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Names of its labels. The values of each are bounded. */
  readonly labels: readonly string[];
  readonly help: string;
}

/**
 * All metrics, in the order of the text; `docs/metrics.md` has the same table. Names end with their unit, counters with `_total`. Names
 * with `process_` and `nodejs_` are those of the client libraries of Prometheus, so that dashboards for them work.
 */
export const METRICS = {
  crewroom_build_info: {
    type: 'gauge',
    labels: ['version', 'api_version', 'node_version'],
    help: 'Always 1; the labels are the versions',
  },
  crewroom_http_requests_total: {
    type: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'Requests that were answered, by method, path of the route and class of the status',
  },
  crewroom_http_request_duration_seconds: {
    type: 'histogram',
    labels: ['method', 'route'],
    help: 'Time from the head of a request to its answer, of a stream to its beginning',
  },
  crewroom_http_failures_total: {
    type: 'counter',
    labels: ['code'],
    help: 'Failures that were answered, by code; also those of requests that could not be read',
  },
  crewroom_http_connections: {type: 'gauge', labels: [], help: 'Open connections'},
  crewroom_http_held_bytes: {type: 'gauge', labels: [], help: 'Bytes of requests and answers in memory'},
  crewroom_store_revision: {type: 'gauge', labels: [], help: 'Revision of the last commit'},
  crewroom_store_commits_total: {
    type: 'counter',
    labels: [],
    help: 'Commits that changed something, since the service started',
  },
  crewroom_store_written_bytes_total: {type: 'counter', labels: [], help: 'Bytes of the values that were written'},
  crewroom_store_entries: {
    type: 'gauge',
    labels: [],
    help: 'Entries as of the last checkpoint, including those that have expired and are not removed yet',
  },
  crewroom_store_size_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Size of the files in the data directory, without those of plugins',
  },
  crewroom_store_waiting_commits: {type: 'gauge', labels: [], help: 'Commits that wait for others to be written'},
  crewroom_store_read_only: {
    type: 'gauge',
    labels: [],
    help: '1 if the disk failed and nothing can be written, else 0',
  },
  crewroom_store_checkpoints_total: {
    type: 'counter',
    labels: ['result'],
    help: 'Checkpoints, by result: written or failed',
  },
  crewroom_wal_size_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Bytes of the records in the files of the write-ahead log, whose size is fixed',
  },
  crewroom_wal_waiting_records: {
    type: 'gauge',
    labels: [],
    help: 'Records of the write-ahead log that are not checkpointed yet',
  },
  crewroom_wal_written_bytes_total: {
    type: 'counter',
    labels: [],
    help: 'Bytes of the records that were written to the write-ahead log',
  },
  crewroom_wal_sync_duration_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Time to write and sync a record of the write-ahead log',
  },
  crewroom_events_subscribers: {type: 'gauge', labels: [], help: 'Subscribers of events, inside the service too'},
  crewroom_events_delivered_total: {
    type: 'counter',
    labels: [],
    help: 'Events that subscribers took, each counted once per subscriber',
  },
  crewroom_events_dropped_total: {
    type: 'counter',
    labels: [],
    help: 'Momentary events that subscribers missed because they were too slow',
  },
  crewroom_events_slow_subscribers_total: {
    type: 'counter',
    labels: [],
    help: 'Subscribers that were disconnected because they were too slow',
  },
  crewroom_plugin_state: {
    type: 'gauge',
    labels: ['plugin', 'state'],
    help: 'Always 1; the label state is the present state of the plugin',
  },
  crewroom_plugin_ends_total: {
    type: 'counter',
    labels: ['plugin'],
    help: 'How often the background of a plugin ended by itself',
  },
  crewroom_plugin_memory_bytes: {
    type: 'gauge',
    labels: ['plugin'],
    help: 'Resident memory of the background of a plugin, as it was last measured',
  },
  process_start_time_seconds: {type: 'gauge', labels: [], help: 'Start of the process, since the Unix epoch'},
  process_cpu_seconds_total: {type: 'counter', labels: [], help: 'Processor time of the process, user and system'},
  process_resident_memory_bytes: {type: 'gauge', labels: [], help: 'Resident memory of the process'},
  nodejs_heap_size_used_bytes: {type: 'gauge', labels: [], help: 'Memory of JavaScript objects'},
  nodejs_external_memory_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Memory outside the heap of JavaScript, such as buffers',
  },
  nodejs_eventloop_lag_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Delay of the event loop, measured once for this request',
  },
  nodejs_eventloop_active_seconds_total: {
    type: 'counter',
    labels: [],
    help: 'Time that the event loop was busy; it is overloaded if this grows by nearly 1 per second',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** Name of a metric. */
export type MetricName = keyof typeof METRICS;
