import type {Revision} from '../domain/entries/revision.ts';
import type {StoreFaults} from '../domain/faults/active-faults.ts';
import type {Plugins} from '../domain/plugins/plugin.ts';
import type {ConnectionStatistics, EventStatistics} from '../domain/statistics.ts';
import type {RequestCounts} from './request-counts.ts';
import {eventSamples, type MeasuredStore, pluginSamples, storeSamples} from './service-samples.ts';
import {formatMetrics, type Sample, type SamplesOf, single} from './text-form.ts';

/** The parts of a service that have figures. */
export interface MetricsDeps extends ProcessSamplesDeps {
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

/** Clocks, and a way to wait. */
export interface ProcessSamplesDeps {
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Waits for a tick of the event loop. */
  readonly pause: () => Promise<void>;
}

/**
 * Reads the figures of the process: of a program that embeds the service, of all of it. The delay of the event loop is measured at
 * this moment: a timer that measures it all the time would wake up a machine that is idle.
 */
async function processSamples({nowMs, elapsedMs, pause}: ProcessSamplesDeps): Promise<SamplesOf<'process' | 'nodejs'>> {
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
