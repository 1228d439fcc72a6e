import type {Finding} from './finding.ts';
import type {ServiceMeasure} from './service.ts';

/** Resources of a service at a time of the run. */
export interface MemorySample extends ServiceMeasure {
  /** Time since the run began. */
  readonly seconds: number;
}

/** Maximum private memory, in megabytes. */
const OWN_MB_MAX = 700;

/** Maximum number of open files without requests in progress; more means a leak. */
const OPEN_FILES_MAX = 300;

/** Number of samples for a trend: at one every ten seconds, ten minutes. */
const TREND_SAMPLES_MIN = 60;

/** Maximum growth from the second to the last quarter of a run, relative and in megabytes. */
const GROWTH_MAX = 1.5;
const GROWTH_MB = 60;

/**
 * Decides whether a service grows without bound: compares its memory in the last quarter of a run with that in the
 * second.
 */
export function checkMemory(samples: readonly MemorySample[]): readonly Finding[] {
  const findings: Finding[] = [];
  const report = (text: string): void => void findings.push({rule: 'memory', where: 'the service', text});
  const last = samples.at(-1);
  if (last === undefined) return findings;
  if (last.openFiles > OPEN_FILES_MAX) report(`it holds ${last.openFiles} files and connections open at the end`);
  const most = Math.max(...samples.map(({ownMb}) => ownMb));
  if (most > OWN_MB_MAX) report(`it used ${most.toFixed(0)} MB of private memory`);
  if (samples.length < TREND_SAMPLES_MIN) return findings;
  const quarter = Math.floor(samples.length / 4);
  const before = medianOf(samples.slice(quarter, 2 * quarter));
  const after = medianOf(samples.slice(-quarter));
  if (after > before * GROWTH_MAX && after > before + GROWTH_MB)
    report(`its private memory grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`);
  return findings;
}

function medianOf(samples: readonly MemorySample[]): number {
  const sorted = samples.map(({ownMb}) => ownMb).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
