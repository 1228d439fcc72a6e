import {type Signal, signal} from '@preact/signals';
import {CallFailure, requestService} from '../service/call-service.ts';
import {type MetricSample, readMetrics} from './metrics-text.ts';
import {compareTraffic, sumTraffic, type TrafficFigures, type TrafficTotals} from './traffic-figures.ts';

/** Figures of an interval, with its end in milliseconds since the Unix epoch. */
export interface TrafficPoint extends Partial<TrafficFigures> {
  readonly atMs: number;
}

/** Time between two reads, in milliseconds. */
const INTERVAL_MS = 2000;

/** Time that is kept and shown, in milliseconds. */
export const KEPT_MS = 5 * 60_000;

/** Reads the metrics of the service as long as they are shown, and keeps the requests of the last minutes. */
export class Traffic {
  /** Oldest first. A point without figures is a gap. */
  readonly points: Signal<readonly TrafficPoint[]> = signal([]);
  /** The metrics as they were last read. */
  readonly samples: Signal<readonly MetricSample[]> = signal([]);
  #before: TrafficTotals | undefined;
  #isReading = false;

  /** Reads the metrics until the signal is aborted, and not while the page is hidden. */
  follow(ended: AbortSignal): void {
    const read = (): void => void (document.hidden || this.#read(ended));
    const timer = setInterval(read, INTERVAL_MS);
    document.addEventListener('visibilitychange', read, {signal: ended});
    ended.addEventListener('abort', () => clearInterval(timer));
    read();
  }

  async #read(signal: AbortSignal): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const samples = await loadSamples(signal);
      this.samples.value = samples;
      this.#add(sumTraffic(samples, performance.now()));
    } catch {
      // The service is away, which a banner reports, or the page is closed: a gap.
      this.#before = undefined;
    } finally {
      this.#isReading = false;
    }
  }

  #add(after: TrafficTotals): void {
    const before = this.#before;
    this.#before = after;
    const isGap = before === undefined || after.atMs - before.atMs > 4 * INTERVAL_MS;
    const figures = isGap ? undefined : compareTraffic(before, after);
    const nowMs = Date.now();
    const kept = this.points.value.filter(({atMs}) => atMs > nowMs - KEPT_MS && atMs < nowMs);
    this.points.value = [...kept, {atMs: nowMs, ...figures}];
  }
}

/** Reads the metrics, as the owner if this page is the owner's. @returns None if the service refused it. */
async function loadSamples(signal: AbortSignal): Promise<readonly MetricSample[]> {
  try {
    const response = await requestService('/metrics', {signal});
    return readMetrics(await response.text());
  } catch (error) {
    if (error instanceof CallFailure && error.code !== 'service-unreachable') return [];
    throw error;
  }
}
