import type {Revision} from '../domain/entries/revision.ts';
import type {StoreFaults} from '../domain/faults/active-faults.ts';
import type {Plugins} from '../domain/plugins/plugin.ts';
import type {ConnectionStatistics, EventStatistics} from '../domain/statistics.ts';
import {httpSamples} from './http-samples.ts';
import {type ProcessSamplesDeps, processSamples} from './process-samples.ts';
import type {RequestCounts} from './request-counts.ts';
import {eventSamples, type MeasuredStore, pluginSamples, storeSamples} from './service-samples.ts';
import {formatMetrics} from './text-form.ts';

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
