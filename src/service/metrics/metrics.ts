import type {Revision} from '../../core/domain/entries/identifiers.ts';
import type {MetricsDeps} from './collect.ts';
import {RequestCounts} from './request-counts.ts';

/**
 * The metrics of a service. Requests are counted when they are answered. Everything else is read when the metrics are asked for, so
 * that it costs nothing in a service that nothing watches. They contain no key, no value, no name of a pilot and no secret.
 */
export class Metrics {
  /** Counts requests when they are answered. */
  readonly requests = new RequestCounts();
  readonly #deps: MetricsDeps;
  readonly #firstRevision: Revision;

  constructor(deps: MetricsDeps) {
    this.#deps = deps;
    this.#firstRevision = deps.store.revision;
  }

  /** Returns the present values in Prometheus text format. */
  async format(): Promise<string> {
    // Loaded on demand: nothing asks most services for their metrics.
    const {collectMetrics} = await import('./collect.ts');
    return collectMetrics(this.#deps, {requests: this.requests, firstRevision: this.#firstRevision});
  }
}
