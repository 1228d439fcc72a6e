import type {Results} from '../results.ts';
import type {Listened} from '../sections/subscribers.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {formatFigure, formatRatio, formatTable} from './table.ts';

/** Formats the table of a writer's latency with subscribers. */
export function describeSubscribers({subscribers}: Results): readonly string[] {
  if (subscribers === undefined) return [];
  const rows = subscribers.map(each => [
    `${each.subscribers}, ${each.pauseMs === 0 ? 'writes without pause' : `a write every ${each.pauseMs} ms`}`,
    formatRatio(ratioOf(each.p50Ms, findAlone(each, subscribers).p50Ms).median),
    formatFigure(medianOf(each.p50Ms)),
    formatFigure(medianOf(each.p99Ms)),
    each.subscribers === 0 ? '–' : formatFigure(medianOf(each.eventsPerSecond)),
  ]);
  return [
    '## A writer with subscribers',
    formatTable([['subscribers of one prefix', 'ratio', 'put p50 ms', 'p99 ms', 'events/s received'], ...rows]),
    'Compared with a writer without subscribers; every subscriber received every event.',
  ];
}

function findAlone(row: Listened, rows: readonly Listened[]): Listened {
  return rows.find(({subscribers, pauseMs}) => subscribers === 0 && pauseMs === row.pauseMs) ?? row;
}
