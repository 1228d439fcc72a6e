import {growthCost} from '../lookup.ts';
import type {Results} from '../results.ts';
import {GROWTH_KEYS, GROWTH_WORKLOADS, type Growth} from '../sections/growth.ts';
import {medianOf} from '../statistics.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

const MEBIBYTE = 2 ** 20;

/** Formats the tables of cost by number of entries. */
export function describeGrowth(results: Results): readonly string[] {
  const {growth} = results;
  if (growth === undefined) return [];
  return [
    '## How cost grows with the number of entries',
    describeCosts(results, growth),
    'Cost of one request in the largest store relative to the smallest; medians with quartiles.',
    describeStores(growth),
  ];
}

function describeCosts(results: Results, {stores, measured}: Growth): string {
  const sizes = stores.map(({entries}) => entries);
  const [first = 0, last = 0] = [sizes.at(0), sizes.at(-1)];
  const rows = GROWTH_KEYS.flatMap(keys =>
    GROWTH_WORKLOADS.map(workload => {
      const cost = growthCost(results, {workload, keys}, [first, last]);
      const rates = sizes.map(size => {
        const found = measured.find(each => each.workload === workload && each.keys === keys && each.entries === size);
        return formatFigure(medianOf(found?.requestsPerSecond ?? []));
      });
      return [workload, keys, cost === undefined ? '–' : formatSpread(cost, formatRatio), ...rates];
    }),
  );
  return formatTable([['work', 'keys', 'cost', ...sizes.map(size => `requests/s at ${formatFigure(size)}`)], ...rows]);
}

function describeStores({stores}: Growth): string {
  const rows = stores.map(({entries, openMs, diskBytes, memory}) => [
    formatFigure(entries),
    formatFigure(openMs),
    formatFigure(diskBytes / MEBIBYTE),
    formatFigure(diskBytes / entries),
    formatFigure(memory.residentMb),
    formatFigure(memory.ownMb),
  ]);
  const titles = ['entries', 'open ms', 'on disk MB', 'bytes per entry', 'RSS under load MB', 'not mapped files MB'];
  return formatTable([titles, ...rows]);
}
