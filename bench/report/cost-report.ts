import {figuresOf, findFigures} from '../lookup.ts';
import type {Results} from '../results.ts';
import {OPEN} from '../sections/access.ts';
import {UNRECORDED} from '../sections/recording.ts';
import type {Measured, Sample} from '../sections/throughput.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Formats the table of the cost of recording requests. */
export function describeRecording({recording}: Results): readonly string[] {
  return describeCost(recording, {
    what: 'recording requests',
    without: UNRECORDED.name,
    note: 'The service records its last requests, and nothing reads them. Both are one process.',
  });
}

/** Formats the table of the cost of credentials. */
export function describeAccess({access}: Results): readonly string[] {
  return describeCost(access, {
    what: 'credentials',
    without: OPEN.name,
    note: 'Without credentials in the mode open, and with a token in the mode strict. All are one process.',
  });
}

interface CostTexts {
  readonly what: string;
  /** Subject without it, to which the others are compared. */
  readonly without: string;
  readonly note: string;
}

function describeCost(measured: readonly Measured[] | undefined, {what, without, note}: CostTexts): readonly string[] {
  if (measured === undefined) return [];
  const rows = measured.map(each => {
    const ratioTo = (figure: keyof Sample): string =>
      formatSpread(
        ratioOf(figuresOf(each, figure), findFigures(measured, {...each, subject: without}, figure)),
        formatRatio,
      );
    const figures = (['serverMicroseconds', 'requestsPerSecond'] as const).map(figure =>
      formatFigure(medianOf(figuresOf(each, figure))),
    );
    return [each.workload, each.subject, ratioTo('requestsPerSecond'), ratioTo('serverMicroseconds'), ...figures];
  });
  const titles = ['', '', 'ratio of requests/s', 'ratio of processor time', 'processor µs', 'requests/s'];
  return [`## The cost of ${what}`, formatTable([titles, ...rows]), `${COMPARED_CONNECTIONS} connections. ${note}`];
}
