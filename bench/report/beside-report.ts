import type {Results} from '../results.ts';
import type {Beside, RareMeasured} from '../sections/beside.ts';
import {medianOf, quantileOf, ratioOf} from '../statistics.ts';
import {BARE, BARE_LMDB} from '../subjects/node-subjects.ts';
import {formatFigure, formatRatio, formatTable} from './table.ts';

/** Formats the tables of what the service costs beside other programs. */
export function describeBeside({beside}: Results): readonly string[] {
  if (beside === undefined) return [];
  return [
    '## Beside other programs',
    describeRare(beside),
    'Requests at a low rate, over one connection. Processor time is that of all threads and backgrounds. An event counts from its put until it was received. At 20 a second, writes are counted with their merge into the tree.',
    '## An idle second, and memory',
    describeIdle(beside),
    `Read after ${beside.memoryAfterMinutes} minutes of 20 requests a second, with 1,000 entries of 200 bytes and 64 of 64 KiB. "Own" is memory that no other process shares (USS).`,
  ];
}

function describeRare({rare}: Beside): string {
  const rows = rare.map(each => [
    each.work,
    each.surroundings,
    String(each.perSecond),
    each.subject,
    formatRatio(rareRatio(rare, each, BARE.name)),
    formatRatio(rareRatio(rare, each, BARE_LMDB.name)),
    formatFigure(medianOf(each.microseconds)),
    formatFigure(medianOf(each.timesMs)),
    formatFigure(quantileOf(each.timesMs, 0.99)),
  ]);
  const titles = ['', '', 'per second', '', 'CPU of bare', 'CPU of LMDB', 'CPU µs', 'p50 ms', 'p99 ms'];
  return formatTable([titles, ...rows]);
}

/** Returns the processor time of rare requests as a ratio to that of another subject; NaN if it was not measured. */
export function rareRatio(rare: readonly RareMeasured[], one: RareMeasured, subject: string): number {
  const other = findOther(rare, one, subject);
  return other === undefined ? Number.NaN : ratioOf(one.microseconds, other.microseconds).median;
}

/** Finds the measurement of another subject with the same work. */
export function findOther(
  rare: readonly RareMeasured[],
  {work, surroundings, perSecond}: Pick<RareMeasured, 'work' | 'surroundings' | 'perSecond'>,
  subject: string,
): RareMeasured | undefined {
  return rare.find(
    each =>
      each.work === work &&
      each.surroundings === surroundings &&
      each.perSecond === perSecond &&
      each.subject === subject,
  );
}

function describeIdle({idle}: Beside): string {
  const rows = idle.flatMap(({subject, second, memory, backgrounds}) => [
    [subject, second.processorMs, second.wakeUps, memory.residentMb, memory.uniqueMb],
    ...backgrounds.map(each => [`a background of ${subject}`, Number.NaN, Number.NaN, each.residentMb, each.uniqueMb]),
  ]);
  const formatted = rows.map(([name, ...figures]) => [
    String(name),
    ...figures.map(each => formatFigure(Number(each))),
  ]);
  return formatTable([['', 'CPU ms', 'wake-ups', 'resident MB', 'own MB'], ...formatted]);
}
