import type {Failure, FuzzProgress, FuzzReport} from './fuzz.ts';

/** Formats the progress of a run in one line, with its counts. */
export function formatProgress({seconds, tally, failures, memory}: FuzzProgress): string {
  const statuses = Array.from(tally.byStatus(), ([status, count]) => `${nameOf(status)}: ${format(count)}`);
  const operations = Array.from(tally.counts, ([name, counts]) => `${name} ${format(sum(counts.values()))}`);
  const facts = [
    formatTime(seconds),
    `${format(tally.requests)} requests`,
    `${failures} failures`,
    ...(memory === undefined ? [] : [`${memory.residentMb.toFixed(0)} MB`]),
  ];
  return `${facts.join(', ')}\n  ${statuses.join(', ')}\n  ${operations.join(', ')}\n`;
}

/** Formats a failure: the finding, and how to reproduce it. */
export function formatFailure({property, again, findings, reproduction}: Failure): string {
  const lines = findings.map(({rule, where, text}) => `  ${rule} (${where}): ${text}`);
  const command = again === undefined ? [] : [`  again: ${again}`];
  const byHand = reproduction === '' ? [] : ['  by hand:', reproduction.replace(/^/gm, '    ')];
  return `\nFAILED ${property}\n${[...lines, ...command, ...byHand].join('\n')}\n\n`;
}

/** Formats the table of a run, and the statuses and operations that it did not reach. */
export function formatReport(report: FuzzReport): string {
  const rows = Object.entries(report.counts).map(([name, statuses]) => {
    const seen = Object.entries(statuses).sort(([a], [b]) => Number(a) - Number(b));
    return [
      name,
      format(sum(seen.map(([, count]) => count))),
      seen.map(([status, count]) => `${nameOf(Number(status))}: ${format(count)}`).join(', '),
    ];
  });
  const unreached = Object.entries(report.unreached.statuses).map(
    ([name, statuses]) => `  ${name}: ${statuses.join(', ')}`,
  );
  const operations = report.unreached.operations.map(name => `  ${name}`);
  return [
    formatTable([['', 'requests', 'answers'], ...rows]),
    '',
    'Documented statuses without an answer:',
    ...(unreached.length === 0 ? ['  none'] : unreached),
    ...(operations.length === 0 ? [] : ['Operations that never succeeded:', ...operations]),
    ...formatMemory(report),
    `Longest tick of the event loop: ${report.longestTickMs.toFixed(0)} ms of processor time`,
    `${format(report.requests)} requests in ${format(report.cases)} cases, ${formatTime(report.seconds)}; seed ${report.seeds.join(' and ')}`,
    `${report.failures.length} failures, ${report.crashes} crashes`,
    '',
  ].join('\n');
}

/** Number of memory samples in the report. */
const SAMPLES_SHOWN = 8;

function formatMemory({memory}: FuzzReport): readonly string[] {
  if (memory.length === 0) return ['Memory: not available on this system'];
  const step = Math.max(1, (memory.length - 1) / (SAMPLES_SHOWN - 1));
  const shown = Array.from(
    {length: Math.min(SAMPLES_SHOWN, memory.length)},
    (_, index) => memory[Math.min(memory.length - 1, Math.round(index * step))],
  );
  const texts = shown.map(sample =>
    sample === undefined
      ? ''
      : `${formatTime(sample.seconds)} ${sample.residentMb.toFixed(0)} (${sample.ownMb.toFixed(0)}), ${sample.openFiles} files`,
  );
  return [`Resident memory in MB (private memory in brackets): ${texts.join('; ')}`];
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows
    .map(([name = '', count = '', answers = '']) =>
      `${name.padEnd(widths[0] ?? 0)}  ${count.padStart(widths[1] ?? 0)}  ${answers}`.trimEnd(),
    )
    .join('\n');
}

/** No answer is allowed too: the client may have left, or the bytes were not a request. */
function nameOf(status: number): string {
  return status === 0 ? 'none' : String(status);
}

function formatTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

function format(count: number): string {
  return count.toLocaleString('en');
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
