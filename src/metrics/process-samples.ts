import {type SamplesOf, single} from './text-form.ts';

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
export async function processSamples({
  nowMs,
  elapsedMs,
  pause,
}: ProcessSamplesDeps): Promise<SamplesOf<'process' | 'nodejs'>> {
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
