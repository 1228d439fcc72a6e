import autocannon from 'autocannon';
import type {Target} from './targets.ts';
import type {Workload} from './workloads.ts';

/** One measurement to make. */
export interface Task {
  readonly workload: Workload;
  readonly connections: number;
  readonly target: Target;
  readonly seconds: number;
}

/** What was measured. */
export interface Measurement {
  readonly workload: string;
  readonly target: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Asks a target for some seconds over keep-alive connections, each waiting for its answer.
 *
 * @throws {Error} When any answer was not 2xx: a fast failure is no speed.
 */
export async function measure({workload, connections, target, seconds}: Task): Promise<Measurement> {
  const latenciesMs: number[] = [];
  const result = await run(
    {url: target.url, connections, duration: seconds, requests: [requestsOf(workload)]},
    // The generator's own summary knows only whole milliseconds.
    latencyMs => latenciesMs.push(latencyMs),
  );
  latenciesMs.sort((a, b) => a - b);
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} requests of "${workload.name}" failed on ${target.name}`);
  return {
    workload: workload.name,
    target: target.name,
    connections,
    requestsPerSecond: result.requests.total / result.duration,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

function requestsOf({method, path, body}: Workload): autocannon.Request {
  let count = Math.floor(Math.random() * 1_000_000);
  return {
    method,
    setupRequest: request => {
      count++;
      return {...request, path: path(count), ...(body === undefined ? {} : {body: body(count)})};
    },
  };
}

function run(options: autocannon.Options, onAnswer: (latencyMs: number) => void): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error: Error | null, result) =>
      error === null ? resolve(result) : reject(error),
    );
    instance.on('response', (_client, _status, _bytes, latencyMs) => onAnswer(latencyMs));
  });
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
