import type {Results} from '../results.ts';
import type {LatencyMeasured, LatencySample} from '../sections/latency.ts';
import {medianOf, ratioOf, spreadOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Formats the table of latencies at fixed rates. */
export function describeLatency({latency}: Results): readonly string[] {
  if (latency === undefined) return [];
  const rows = latency.map(each => {
    const p99Ms = latencyFigures(each, 'p99Ms');
    return [
      `${each.workload}, ${each.rate}`,
      each.subject,
      formatFigure(medianOf(latencyFigures(each, 'requestsPerSecond'))),
      formatRatio(p99Ratio(latency, each)),
      formatFigure(medianOf(latencyFigures(each, 'p50Ms'))),
      formatSpread(spreadOf(p99Ms), formatFigure),
      formatFigure(medianOf(latencyFigures(each, 'p999Ms'))),
    ];
  });
  const titles = ['work, rate', 'subject', 'requests/s', 'p99 ratio', 'p50 ms', 'p99 ms', 'p99.9 ms'];
  return [
    '## Latency at a fixed rate',
    formatTable([titles, ...rows]),
    'Open loop: a request is sent when it is due, and its latency counts from then. The same rates for all; the capacity is what Crewroom answers at most.',
  ];
}

/** Returns the p99 of a row as a ratio to that of another subject; NaN if it was not measured. */
export function p99Ratio(
  latency: readonly LatencyMeasured[],
  row: Omit<LatencyMeasured, 'samples'>,
  other: string = BARE.name,
): number {
  const find = (subject: string): readonly number[] =>
    latency
      .filter(each => each.workload === row.workload && each.rate === row.rate && each.subject === subject)
      .flatMap(each => latencyFigures(each, 'p99Ms'));
  return ratioOf(find(row.subject), find(other)).median;
}

function latencyFigures({samples}: LatencyMeasured, member: keyof LatencySample): readonly number[] {
  return samples.map(sample => sample[member]);
}
