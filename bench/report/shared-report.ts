import type {Results} from '../results.ts';
import {LINK_WORK} from '../sections/long-link.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Formats the tables of stores in etcd. */
export function describeShared({shared}: Results): readonly string[] {
  if (shared === undefined) return [];
  const work = shared.work.map(({name, callers, service, bare}) => [
    `${name} ×${callers}`,
    formatSpread(ratioOf(service, bare), formatRatio),
    formatFigure(medianOf(service)),
    formatFigure(medianOf(bare)),
  ]);
  const sharing = shared.sharing.map(({services, putsPerSecond, longestMs}) => [
    String(services),
    formatFigure(medianOf(putsPerSecond)),
    formatFigure(medianOf(longestMs)),
    formatFigure(Math.max(...longestMs)),
  ]);
  const link = LINK_WORK.map(({name, mbits, mostMs}, index) => {
    const times = shared.longLink[index] ?? [];
    return [name, String(mbits), formatFigure(medianOf(times)), formatFigure(Math.max(...times)), formatFigure(mostMs)];
  });
  return [
    '## A store in etcd',
    formatTable([['', 'ratio', 'service, per second', 'plain client of etcd, per second'], ...work]),
    formatTable([['services that write', 'puts/s', 'longest put of a round ms', 'of all rounds ms'], ...sharing]),
    `Three members of etcd ${shared.version} on this machine; values of 100 bytes. 64 writers are spread over the services. After the leader was killed, no commit for ${formatFigure(medianOf(shared.leaderKilledMs))} ms (median of ${shared.leaderKilledMs.length}; longest ${formatFigure(Math.max(...shared.leaderKilledMs))}).`,
    '### A long link',
    formatTable([['100 ms to a member and back', 'Mbit/s', 'median ms', 'longest ms', 'wanted ms'], ...link]),
  ];
}
