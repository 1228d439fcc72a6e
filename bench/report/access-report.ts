import {figuresOf, findFigures} from '../lookup.ts';
import type {Results} from '../results.ts';
import {OPEN} from '../sections/access.ts';
import type {Sample} from '../sections/throughput.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Formats the table of the cost of credentials. */
export function describeAccess({access}: Results): readonly string[] {
  if (access === undefined) return [];
  const rows = access.map(each => {
    const ratioTo = (figure: keyof Sample): string =>
      formatSpread(
        ratioOf(figuresOf(each, figure), findFigures(access, {...each, subject: OPEN.name}, figure)),
        formatRatio,
      );
    const figures = (['serverMicroseconds', 'requestsPerSecond'] as const).map(figure =>
      formatFigure(medianOf(figuresOf(each, figure))),
    );
    return [each.workload, each.subject, ratioTo('requestsPerSecond'), ratioTo('serverMicroseconds'), ...figures];
  });
  const titles = ['', '', 'ratio of requests/s', 'ratio of processor time', 'processor µs', 'requests/s'];
  return [
    '## The cost of credentials',
    formatTable([titles, ...rows]),
    `${COMPARED_CONNECTIONS} connections. Without credentials in the mode open, and with a token in the mode strict. All are one process.`,
  ];
}
