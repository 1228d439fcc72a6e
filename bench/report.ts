import type {Measurement} from './measure.ts';

/** Writes the medians as a table, ratios first: a ratio holds on another machine, a figure does not. */
export function formatReport(measurements: readonly Measurement[]): string {
  const rows = groupBy(measurements, ({workload, connections}) => `${workload}\t${connections}`);
  const lines = Array.from(rows, ([name, measured]) => {
    const [workload = '', connections = ''] = name.split('\t');
    const byTarget = groupBy(measured, ({target}) => target);
    const [bare = [], crewroom = []] = byTarget.values();
    const ratio = median(crewroom, 'requestsPerSecond') / median(bare, 'requestsPerSecond');
    return [workload, connections, ratio.toFixed(2), ...describe(crewroom), ...describe(bare)];
  });
  const titles = [
    'work',
    'connections',
    'ratio',
    'crewroom req/s',
    'p50 ms',
    'p99 ms',
    'bare req/s',
    'p50 ms',
    'p99 ms',
  ];
  return `${formatTable([titles, ...lines])}\nratio: requests per second of Crewroom to those of bare node:http; medians of the turns\n`;
}

function describe(measured: readonly Measurement[]): readonly string[] {
  return [
    median(measured, 'requestsPerSecond').toFixed(0),
    median(measured, 'p50Ms').toFixed(2),
    median(measured, 'p99Ms').toFixed(2),
  ];
}

function median(measured: readonly Measurement[], member: 'requestsPerSecond' | 'p50Ms' | 'p99Ms'): number {
  return medianOf(measured.map(each => each[member]));
}

/** The middle of some figures. */
export function medianOf(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}

/** Lays out rows as a table of plain text; the first row has the titles. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(row =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}
