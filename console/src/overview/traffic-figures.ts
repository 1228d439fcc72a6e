import type {MetricSample} from './metrics-text.ts';

/** Requests that were answered since the service started. */
export interface TrafficTotals {
  /** When they were read, in milliseconds of any clock that never goes back. */
  readonly atMs: number;
  readonly requests: number;
  /** Number of requests that took at most this many seconds, shortest first; the last one is infinite. */
  readonly buckets: readonly DurationBucket[];
}

interface DurationBucket {
  readonly seconds: number;
  readonly count: number;
}

/** Requests that were answered between two reads. */
export interface TrafficFigures {
  readonly requestsPerSecond: number;
  /** Half of the requests took at most this many milliseconds; undefined if there were none. */
  readonly medianMs: number | undefined;
  /** 99 of 100 requests took at most this many milliseconds; undefined if there were none. */
  readonly slowMs: number | undefined;
}

/** Routes that say nothing about plugins: what this page reads itself, and what waits for events. */
const LEFT_OUT: readonly string[] = ['/metrics', '/api/events', '/api/requests'];

const COUNT = 'crewroom_http_request_duration_seconds_count';
const BUCKET = 'crewroom_http_request_duration_seconds_bucket';

/** Adds up the requests of all methods and routes. */
export function sumTraffic(samples: readonly MetricSample[], atMs: number): TrafficTotals {
  const counts = new Map<number, number>();
  let requests = 0;
  for (const {name, labels, value} of samples) {
    if (LEFT_OUT.includes(labels['route'] ?? '')) continue;
    if (name === COUNT) requests += value;
    if (name !== BUCKET) continue;
    const seconds = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le']);
    counts.set(seconds, (counts.get(seconds) ?? 0) + value);
  }
  const buckets = [...counts]
    .map(([seconds, count]) => ({seconds, count}))
    .sort((one, other) => one.seconds - other.seconds);
  return {atMs, requests, buckets};
}

/** Returns the requests between two reads; undefined if the service was started again in between. */
export function compareTraffic(before: TrafficTotals, after: TrafficTotals): TrafficFigures | undefined {
  const requests = after.requests - before.requests;
  const elapsedSeconds = (after.atMs - before.atMs) / 1000;
  if (requests < 0 || elapsedSeconds <= 0) return undefined;
  const earlier = new Map(before.buckets.map(({seconds, count}) => [seconds, count]));
  const buckets = after.buckets.map(({seconds, count}) => ({seconds, count: count - (earlier.get(seconds) ?? 0)}));
  return {
    requestsPerSecond: requests / elapsedSeconds,
    medianMs: quantileMs(buckets, 0.5),
    slowMs: quantileMs(buckets, 0.99),
  };
}

/** Estimates a quantile, evenly spread within its bucket, as `histogram_quantile()` of Prometheus does. */
function quantileMs(buckets: readonly DurationBucket[], share: number): number | undefined {
  const total = buckets.at(-1)?.count ?? 0;
  if (total <= 0) return undefined;
  const rank = share * total;
  const at = buckets.findIndex(({count}) => count >= rank);
  const [bucket, below = {seconds: 0, count: 0}] = [buckets[at], buckets[at - 1]];
  if (bucket === undefined) return undefined;
  // Longer than the longest bucket: at least that long.
  if (!Number.isFinite(bucket.seconds)) return below.seconds * 1000;
  const within = (rank - below.count) / Math.max(1, bucket.count - below.count);
  return (below.seconds + (bucket.seconds - below.seconds) * within) * 1000;
}
