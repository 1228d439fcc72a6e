import {findOther, rareRatio} from './report/beside-report.ts';
import type {Beside, IdleMeasured, RareWork} from './sections/beside.ts';
import {RARE_WORK, TWO_PLUGINS} from './sections/beside.ts';
import {quantileOf} from './statistics.ts';
import {BARE, BARE_LMDB, CREWROOM} from './subjects/node-subjects.ts';
import type {Target} from './target.ts';

/** Requests per second of a pilot's plugins, at which the targets hold. */
const RATE = 20;

/** Memory beyond that of the bare server, in megabytes: Node 26 takes more for the same modules. */
const IDLE_MB = Number.parseInt(process.versions.node, 10) < 26 ? 17 : 25;

/** The targets of the section `beside`. */
export const BESIDE_TARGETS: readonly Target[] = [
  rareTarget('identity', BARE.name, 1.2),
  rareTarget('get', BARE.name, 1.2),
  rareTarget('put', BARE.name, 2),
  rareTarget('put', BARE_LMDB.name, 1.15),
  busyTarget('identity', 1.3),
  busyTarget('get', 1.3),
  ...idleTargets(CREWROOM.name, {processorMs: 1, wakeUps: 2}),
  ...idleTargets(TWO_PLUGINS.name, {processorMs: 4, wakeUps: 6}),
  memoryTarget('idle memory', IDLE_MB, beside => findIdle(beside, CREWROOM.name)?.memory.residentMb),
  memoryTarget('memory of a background', 8, beside => findIdle(beside, TWO_PLUGINS.name)?.backgrounds[0]?.residentMb),
];

function rareTarget(work: RareWork, other: string, figure: number): Target {
  return {
    name: `processor time of ${work} at ${RATE} a second, relative to ${other}`,
    wanted: {is: 'at most', figure},
    figureOf: ({beside}) => {
      const one = findRare(beside, {work, surroundings: 'alone'});
      return one === undefined ? undefined : rareRatio(beside?.rare ?? [], one, other);
    },
  };
}

function busyTarget(work: RareWork, figure: number): Target {
  return {
    name: `p99 of ${work} at ${RATE} a second beside busy programs, relative to ${BARE.name}`,
    wanted: {is: 'at most', figure},
    figureOf: ({beside}) => {
      const one = findRare(beside, {work, surroundings: 'beside busy programs'});
      const other = one && findOther(beside?.rare ?? [], one, BARE.name);
      return other && quantileOf(one.timesMs, 0.99) / quantileOf(other.timesMs, 0.99);
    },
  };
}

function findRare(beside: Beside | undefined, sought: Pick<Parameters<typeof findOther>[1], 'work' | 'surroundings'>) {
  return findOther(beside?.rare ?? [], {...sought, perSecond: RATE}, RARE_WORK[sought.work][0].name);
}

function idleTargets(subject: string, most: IdleMeasured['second']): readonly Target[] {
  const target = (name: string, member: keyof IdleMeasured['second']): Target => ({
    name: `${name} of an idle second of ${subject}`,
    wanted: {is: 'at most', figure: most[member], ...(member === 'processorMs' ? {unit: 'ms'} : {})},
    figureOf: ({beside}) => findIdle(beside, subject)?.second[member],
  });
  return [target('processor time', 'processorMs'), target('wake-ups', 'wakeUps')];
}

/** Creates a target for the memory above that of the bare server. */
function memoryTarget(name: string, figure: number, megabytesOf: (beside: Beside) => number | undefined): Target {
  return {
    name: `${name} beyond that of ${BARE.name}`,
    wanted: {is: 'at most', figure, unit: 'MB'},
    figureOf: ({beside}) => {
      if (beside === undefined) return undefined;
      const [megabytes, bare] = [megabytesOf(beside), findIdle(beside, BARE.name)?.memory.residentMb];
      return megabytes === undefined || bare === undefined ? undefined : megabytes - bare;
    },
  };
}

function findIdle(
  {idle}: Beside = {rare: [], idle: [], memoryAfterMinutes: 0},
  subject: string,
): IdleMeasured | undefined {
  return idle.find(each => each.subject === subject);
}
