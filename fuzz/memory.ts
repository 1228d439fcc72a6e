import type {Finding} from './judge.ts';
import type {ServiceMeasure} from './service.ts';

/** What a service held at a time of a run. */
export interface MemorySample extends ServiceMeasure {
  /** Since the run began. */
  readonly seconds: number;
}

/** More than this of its own, in megabytes, is too much whatever it was before. */
const OWN_MB_MAX = 700;

/** More open files than this, once nothing is under way, are ones that were forgotten. */
const OPEN_FILES_MAX = 300;

/** How many samples a trend needs: with one every ten seconds those of ten minutes. */
const TREND_SAMPLES_MIN = 60;

/** By how much the last quarter of a run may lie above the second, in parts of it and in megabytes. */
const GROWTH_MAX = 1.5;
const GROWTH_MB = 60;

/** Judges whether a service grows without bound: its memory in the last quarter of a run beside that in the second. */
export function judgeMemory(samples: readonly MemorySample[]): readonly Finding[] {
  const findings: Finding[] = [];
  const report = (text: string): void => void findings.push({rule: 'memory', where: 'the service', text});
  const last = samples.at(-1);
  if (last === undefined) return findings;
  if (last.openFiles > OPEN_FILES_MAX) report(`it holds ${last.openFiles} files and connections open at the end`);
  const most = Math.max(...samples.map(({ownMb}) => ownMb));
  if (most > OWN_MB_MAX) report(`it held ${most.toFixed(0)} MB of its own`);
  if (samples.length < TREND_SAMPLES_MIN) return findings;
  const quarter = Math.floor(samples.length / 4);
  const before = medianOf(samples.slice(quarter, 2 * quarter));
  const after = medianOf(samples.slice(-quarter));
  if (after > before * GROWTH_MAX && after > before + GROWTH_MB)
    report(`its own memory grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`);
  return findings;
}

function medianOf(samples: readonly MemorySample[]): number {
  const sorted = samples.map(({ownMb}) => ownMb).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
