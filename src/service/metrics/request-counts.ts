import {DurationHistogram} from '../../core/domain/duration-histogram.ts';
import {FAILURE_CODES} from '../../core/failures/rows/rows.ts';

/** A request with its answer. */
export interface CountedRequest {
  readonly request: {readonly method: string};
  /** Path of its route, with the names of its parameters; undefined without a route. */
  readonly route: string | undefined;
  readonly answer: {readonly status: number};
  readonly durationMs: number;
}

/** Methods that are counted by name. A client may send any other. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Method of all others, and route of requests without one. */
const OTHER_METHOD = 'other';
const NO_ROUTE = 'none';

/** Counts of one method of one route. */
export interface MethodCounts {
  /** Number of answers by class of status: the first digit. */
  readonly answers: number[];
  readonly durations: DurationHistogram;
}

/** Counts requests by route and method, and failures by code. All are known in advance, so its size is limited. */
export class RequestCounts {
  /** Counts by path of the route, and then by method. */
  readonly routes = new Map<string, Map<string, MethodCounts>>();
  /** Number of failures by code. All are there from the start: Prometheus takes the first value that it reads for no increase. */
  readonly failures = new Map<string, number>(FAILURE_CODES.map(code => [code, 0]));

  /** Counts a request that was answered. Called for each request: it must stay cheap. */
  count({request: {method}, route = NO_ROUTE, answer: {status}, durationMs}: CountedRequest): void {
    const {answers, durations} = this.routes.get(route)?.get(method) ?? this.#find(route, method);
    const statusClass = Math.floor(status / 100);
    answers[statusClass] = (answers[statusClass] ?? 0) + 1;
    durations.observe(durationMs);
  }

  /** Counts a failure that was answered. */
  countFailure(code: string): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
  }

  #find(route: string, method: string): MethodCounts {
    const methods = this.routes.get(route) ?? new Map<string, MethodCounts>();
    this.routes.set(route, methods);
    const name = METHODS.has(method) ? method : OTHER_METHOD;
    const counts = methods.get(name) ?? {answers: [0, 0, 0, 0, 0, 0], durations: new DurationHistogram()};
    methods.set(name, counts);
    return counts;
  }
}
