import type {Revision} from '../domain/entries/revision.ts';
import type {FailureCode} from '../failures/failure.ts';
import type {MetricsDeps} from './collect.ts';
import {type CountedRequest, RequestCounts} from './request-counts.ts';

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
  countRequest(answered: CountedRequest): void {
    this.#requests.count(answered);
  }

  /** Counts a failure that was answered. */
  countFailure(code: FailureCode): void {
    this.#requests.countFailure(code);
  }

  /** Returns the present values in Prometheus text format. */
  async format(): Promise<string> {
    // Loaded on demand: nothing asks most services for their metrics.
    const {collectMetrics} = await import('./collect.ts');
    return collectMetrics(this.#deps, {requests: this.#requests, firstRevision: this.#firstRevision});
  }
}
