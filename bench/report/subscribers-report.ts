import type {Results} from '../results.ts';
import type {Listened} from '../sections/subscribers.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {formatFigure, formatRatio, formatTable} from './table.ts';

/** The table of how long a writer waits while others listen. */
export function describeSubscribers({subscribers}: Results): readonly string[] {
  if (subscribers === undefined) return [];
  const rows = subscribers.map(each => [
    `${each.subscribers}, a write ${each.pauseMs === 0 ? 'after the other' : `every ${each.pauseMs} ms`}`,
    formatRatio(ratioOf(each.p50Ms, findAlone(each, subscribers).p50Ms).median),
    formatFigure(medianOf(each.p50Ms)),
    formatFigure(medianOf(each.p99Ms)),
    each.subscribers === 0 ? '–' : formatFigure(medianOf(each.eventsPerSecond)),
  ]);
  return [
    '## A writer while others listen',
    formatTable([['subscribers of one prefix', 'ratio', 'put p50 ms', 'p99 ms', 'events/s heard'], ...rows]),
    'To a writer nobody listens to; every subscriber heard every event.',
  ];
}

function findAlone(row: Listened, rows: readonly Listened[]): Listened {
  return rows.find(({subscribers, pauseMs}) => subscribers === 0 && pauseMs === row.pauseMs) ?? row;
}
