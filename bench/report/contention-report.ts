import type {Results} from '../results.ts';
import type {Contention, ContentionSample} from '../sections/contention.ts';
import {medianOf, ratioOf, spreadOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Formats the table of reads under a load of writes. */
export function describeContention({contention}: Results): readonly string[] {
  if (contention === undefined) return [];
  const bare = contention.find(({subject}) => subject === BARE.name);
  const rows = contention.map(each => {
    const p99Ms = figures(each, ({reads}) => reads.p99Ms);
    const stallMs = figures(each, sample => sample.stallMs);
    return [
      each.subject,
      formatRatio(ratioOf(p99Ms, bare === undefined ? [] : figures(bare, ({reads}) => reads.p99Ms)).median),
      formatSpread(spreadOf(p99Ms), formatFigure),
      formatFigure(medianOf(figures(each, ({reads}) => reads.p50Ms))),
      formatFigure(medianOf(figures(each, ({writes}) => writes.requestsPerSecond))),
      formatSpread(spreadOf(stallMs), formatFigure),
      formatFigure(Math.max(...stallMs)),
    ];
  });
  const titles = ['', 'ratio', 'reads p99 ms', 'p50 ms', 'writes/s', 'longest stall of a round ms', 'of all rounds ms'];
  return [
    '## Reads under a full load of writes',
    formatTable([titles, ...rows]),
    '8 readers beside 64 writers. A stall is the time in which the event loop of the server was blocked.',
  ];
}

function figures({samples}: Contention, figureOf: (sample: ContentionSample) => number): readonly number[] {
  return samples.map(figureOf);
}
