import type {FailureCode} from '../domain/failure.ts';
import type {Plugins} from '../domain/plugin.ts';
import type {Revision} from '../domain/revision.ts';
import type {ConnectionStatistics, EventStatistics} from '../domain/statistics.ts';
import {type ProcessSamplesDeps, processSamples} from './process-samples.ts';
import {type AnsweredRequest, RequestCounts} from './request-counts.ts';
import {eventSamples, type MeasuredStore, pluginSamples, storeSamples} from './service-samples.ts';
import {formatMetrics} from './text-form.ts';

/** The parts of a service that have figures. */
export interface MetricsDeps extends ProcessSamplesDeps {
  readonly store: MeasuredStore;
  readonly events: {statistics(): EventStatistics};
  readonly plugins: Pick<Plugins, 'list'>;
  /** Returns figures of the connections; undefined while the service does not listen. */
  readonly connections: () => ConnectionStatistics | undefined;
  readonly version: string;
  readonly apiVersion: string;
}

/**
 * The metrics of a service. Requests are counted when they are answered. Everything else is read when the metrics are asked for, so
 * that it costs nothing in a service that nothing watches. They contain no key, no value, no name of a pilot and no secret.
 */
export class Metrics {
  readonly #deps: MetricsDeps;
  readonly #requests = new RequestCounts();
  readonly #firstRevision: Revision;

  constructor(deps: MetricsDeps) {
    this.#deps = deps;
    this.#firstRevision = deps.store.revision;
  }

  /** Counts a request that was answered. */
  countRequest(answered: AnsweredRequest): void {
    this.#requests.count(answered);
  }

  /** Counts a failure that was answered. */
  countFailure(code: FailureCode): void {
    this.#requests.countFailure(code);
  }

  /** Returns the present values in Prometheus text format. */
  async format(): Promise<string> {
    const {store, events, plugins, connections, version, apiVersion} = this.#deps;
    const versions = {version, api_version: apiVersion, node_version: process.version};
    return formatMetrics({
      crewroom_build_info: [{labels: versions, value: 1}],
      ...(await storeSamples(store, this.#firstRevision)),
      ...(await processSamples(this.#deps)),
      ...this.#requests.samples(connections()),
      ...eventSamples(events.statistics()),
      ...pluginSamples(plugins.list()),
    });
  }
}
