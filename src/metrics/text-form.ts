import {DURATION_BOUNDS_SECONDS, type Durations} from '../domain/duration-histogram.ts';
import {METRICS, type MetricName} from './metric-table.ts';

/** A value of a metric, with its labels. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number | Durations;
}

/** Values of labels, by name. */
export type Labels = Readonly<Record<string, string>>;

/** All samples, by metric. A metric without samples is left out of the text. */
export type Samples = Readonly<Record<MetricName, readonly Sample[]>>;

/** The samples of those metrics whose names begin so. */
export type SamplesOf<Prefix extends string> = Pick<Samples, Extract<MetricName, `${Prefix}_${string}`>>;

/** Returns the only sample of a metric; none if its value is not known. */
export function single(value: Sample['value'] | undefined): readonly Sample[] {
  return value === undefined ? [] : [{value}];
}

/** Formats samples as text for Prometheus (exposition formats, text-based format 0.0.4). */
export function formatMetrics(samples: Samples): string {
  const lines: string[] = [];
  for (const [name, {type, help}] of Object.entries(METRICS)) {
    const own = samples[name as MetricName];
    if (own.length === 0) continue;
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const sample of own) lines.push(...formatSample(name, sample));
  }
  return `${lines.join('\n')}\n`;
}

function formatSample(name: string, {labels = {}, value}: Sample): readonly string[] {
  if (typeof value === 'number') return [`${name}${formatLabels(labels)} ${value}`];
  let count = 0;
  const buckets = value.counts.map((own, index) => {
    count += own;
    const le = String(DURATION_BOUNDS_SECONDS[index] ?? '+Inf');
    return `${name}_bucket${formatLabels({...labels, le})} ${count}`;
  });
  const own = formatLabels(labels);
  return [...buckets, `${name}_sum${own} ${value.sumSeconds}`, `${name}_count${own} ${count}`];
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
