import {figuresOf, findFigures} from '../lookup.ts';
import type {Results} from '../results.ts';
import {UNRECORDED} from '../sections/recording.ts';
import type {Sample} from '../sections/throughput.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Formats the table of the cost of recording requests. */
export function describeRecording({recording}: Results): readonly string[] {
  if (recording === undefined) return [];
  const rows = recording.map(each => {
    const ratioTo = (figure: keyof Sample): string =>
      formatSpread(
        ratioOf(figuresOf(each, figure), findFigures(recording, {...each, subject: UNRECORDED.name}, figure)),
        formatRatio,
      );
    const figures = (['serverMicroseconds', 'requestsPerSecond'] as const).map(figure =>
      formatFigure(medianOf(figuresOf(each, figure))),
    );
    return [each.workload, each.subject, ratioTo('requestsPerSecond'), ratioTo('serverMicroseconds'), ...figures];
  });
  const titles = ['', '', 'ratio of requests/s', 'ratio of processor time', 'processor µs', 'requests/s'];
  return [
    '## The cost of recording requests',
    formatTable([titles, ...rows]),
    `${COMPARED_CONNECTIONS} connections. The service records its last requests, and nothing reads them. Both are one process.`,
  ];
}
