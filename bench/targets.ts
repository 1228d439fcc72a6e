import {BESIDE_TARGETS} from './beside-targets.ts';
import {findFigures, findMeasured, growthCost, rateRatio, startFigures} from './lookup.ts';
import {p99Ratio} from './report/latency-report.ts';
import type {Results} from './results.ts';
import {OPEN, STRICT} from './sections/access.ts';
import {GROWTH_KEYS, GROWTH_WORKLOADS} from './sections/growth.ts';
import type {RateName} from './sections/latency.ts';
import {LINK_WORK} from './sections/long-link.ts';
import {ALONE, BUSY, CALLED, CALLS, IDLE} from './sections/plugins.ts';
import {UNRECORDED} from './sections/recording.ts';
import {SHARERS, type SharedMeasured} from './sections/shared.ts';
import type {Measured, Sample} from './sections/throughput.ts';
import {medianOf, ratioOf} from './statistics.ts';
import {BARE, BARE_LMDB, CREWROOM} from './subjects/node-subjects.ts';
import type {SubjectKind} from './subjects/subject.ts';
import type {Target, Threshold} from './target.ts';
import {COMPARED_CONNECTIONS, WORKLOADS, type Workload} from './workloads.ts';

/** A target with its measured figure. */
export interface Verdict {
  readonly name: string;
  readonly wanted: Threshold;
  readonly figure: number | undefined;
  readonly verdict: 'met' | 'missed' | 'not measured' | 'not judged';
}

/** Sizes of the smallest and the largest store that are compared, in entries. */
const GROWTH = [1000, 1_000_000] as const;

/** Targets for keys of a million that are drawn at random: they are read from the tree, and those of a thousand from memory. */
const ANY_KEYS_MAX: Readonly<Record<(typeof GROWTH_WORKLOADS)[number], number>> = {get: 1.25, put: 1.4};

/** The targets, at {@link COMPARED_CONNECTIONS} connections if not stated otherwise. */
export const TARGETS: readonly Target[] = [
  rateTarget('identity', BARE.name, 0.9),
  rateTarget('get', BARE.name, 0.85),
  rateTarget('put', BARE.name, 0.45),
  rateTarget('get', BARE_LMDB.name, 0.95),
  rateTarget('mix', BARE_LMDB.name, 0.9),
  rateTarget('put', BARE_LMDB.name, 0.9),
  rateTarget('put', BARE_LMDB.name, 1.4, 1),
  rateTarget('put', BARE_LMDB.name, 1.1, 10),
  rateTarget('get-64k', BARE.name, 0.6),
  rateTarget('put-64k', BARE.name, 0.15),
  processorTarget('get', BARE.name, 1.15),
  processorTarget('put', BARE_LMDB.name, 1.2),
  // Each record is checked by its checksum, and each entry is sent with its revision, size and time.
  processorTarget('list', BARE_LMDB.name, 1.1),
  // One reader takes every document of a transaction, with the path of each problem.
  processorTarget('transaction', BARE_LMDB.name, 2.7),
  latencyTarget('get', 'half of the capacity', BARE.name, 1.5),
  // A checkpoint each 180 ms at such rates, which no pilot's machine sees.
  latencyTarget('put', 'half of the capacity', BARE_LMDB.name, 2.5),
  latencyTarget('put', '200 a second', BARE_LMDB.name, 1.3),
  {
    name: `p99 of reads under a full load of writes, relative to ${BARE.name}`,
    wanted: {is: 'at most', figure: 2},
    figureOf: ({contention}) => {
      const [ours, bare] = [CREWROOM.name, BARE.name].map(name =>
        contention?.find(({subject}) => subject === name)?.samples.map(({reads}) => reads.p99Ms),
      );
      return ours === undefined || bare === undefined ? undefined : ratioOf(ours, bare).median;
    },
  },
  {
    name: 'longest stall of the event loop in a round, while the disk syncs',
    wanted: {is: 'at most', figure: 15, unit: 'ms'},
    figureOf: ({contention}) => {
      const ours = contention?.find(({subject}) => subject === CREWROOM.name)?.samples;
      return ours === undefined ? undefined : medianOf(ours.map(({stallMs}) => stallMs));
    },
  },
  {
    name: `processor time of a route of a plugin, relative to ${BARE.name}`,
    wanted: {is: 'at most', figure: 2},
    figureOf: ({plugins}) => compare(plugins?.calls, 'serverMicroseconds', CALLS, [CALLED, BARE]),
  },
  {
    name: 'first answer of a route, from the start of the service',
    wanted: {is: 'at most', figure: 300, unit: 'ms'},
    figureOf: ({plugins}) => (plugins === undefined ? undefined : medianOf(plugins.firstRouteMs)),
  },
  ...WORKLOADS.filter(({hasTarget}) => hasTarget).flatMap((workload): readonly Target[] => [
    {
      name: `${workload.name} requests per second with ${IDLE.name}, relative to without`,
      wanted: {is: 'at least', figure: 0.97},
      figureOf: ({plugins}) => compare(plugins?.beside, 'requestsPerSecond', workload, [IDLE, ALONE]),
    },
    {
      name: `p99 of ${workload.name} beside ${BUSY.name}, relative to without`,
      wanted: {is: 'at most', figure: 2},
      figureOf: ({plugins}) => compare(plugins?.beside, 'p99Ms', workload, [BUSY, ALONE]),
    },
  ]),
  ...WORKLOADS.filter(({hasTarget}) => hasTarget).map(
    (workload): Target => ({
      name: `${workload.name} requests per second, recorded, relative to not recorded`,
      wanted: {is: 'at least', figure: 0.98},
      figureOf: ({recording}) => compare(recording, 'requestsPerSecond', workload, [CREWROOM, UNRECORDED]),
    }),
  ),
  ...WORKLOADS.filter(({hasTarget}) => hasTarget).flatMap(workload =>
    STRICT.map(
      (named): Target => ({
        name: `${workload.name} requests per second in the mode ${named.name}, relative to ${OPEN.name}`,
        wanted: {is: 'at least', figure: 0.95},
        figureOf: ({access}) => compare(access, 'requestsPerSecond', workload, [named, OPEN]),
      }),
    ),
  ),
  ...sharedTargets(),
  ...GROWTH_KEYS.flatMap(keys =>
    GROWTH_WORKLOADS.map(
      (workload): Target => ({
        name: `cost of a ${workload} with a million entries, ${keys} keys, relative to a thousand`,
        wanted: {is: 'at most', figure: keys === 'any' ? ANY_KEYS_MAX[workload] : 1.2},
        figureOf: results => growthCost(results, {workload, keys}, GROWTH)?.median,
      }),
    ),
  ),
  ...BESIDE_TARGETS,
  {
    name: 'first answer',
    wanted: {is: 'at most', figure: 500, unit: 'ms'},
    figureOf: results => medianOf(startFigures(results, CREWROOM.name, 'firstAnswerMs')),
  },
  startTarget('first answer', 1.8),
];

/** Compares every target with its measured figure, but judges none if the machine was busy with something else. */
export function compareTargets(results: Results, targets: readonly Target[] = TARGETS): readonly Verdict[] {
  return targets.map(({name, wanted, figureOf}) => {
    const figure = figureOf(results);
    if (figure === undefined || Number.isNaN(figure)) {
      return {name, wanted, figure: undefined, verdict: 'not measured'};
    }
    if (results.busy !== undefined) return {name, wanted, figure, verdict: 'not judged'};
    const met = wanted.is === 'at least' ? figure >= wanted.figure : figure <= wanted.figure;
    return {name, wanted, figure, verdict: met ? 'met' : 'missed'};
  });
}

function rateTarget(workload: string, other: string, ratio: number, connections = COMPARED_CONNECTIONS): Target {
  const at = connections === COMPARED_CONNECTIONS ? '' : ` at ${connections} connection${connections === 1 ? '' : 's'}`;
  return {
    name: `${nameMany(workload)} per second${at}, relative to ${other}`,
    wanted: {is: 'at least', figure: ratio},
    figureOf: results => {
      const find = (subject: string) => findMeasured(results, {workload, connections, subject});
      return rateRatio(find(CREWROOM.name), find(other))?.median;
    },
  };
}

function nameMany(workload: string): string {
  if (workload.endsWith('-64k')) return `${nameMany(workload.slice(0, -4))} of 64 KiB`;
  return workload === 'identity' ? 'identities' : workload === 'mix' ? 'gets and puts, 4 to 1,' : `${workload}s`;
}

function latencyTarget(workload: string, rate: RateName, other: string, ratio: number): Target {
  return {
    name: `p99 of ${workload} at ${rate}, relative to ${other}`,
    wanted: {is: 'at most', figure: ratio},
    figureOf: ({latency = []}) => p99Ratio(latency, {workload, rate, subject: CREWROOM.name}, other),
  };
}

/** Creates a target for the processor time of one request, at the number of connections at which a quick run compares. */
function processorTarget(workload: string, other: string, ratio: number): Target {
  const connections = WORKLOADS.find(({name}) => name === workload)?.comparedConnections ?? COMPARED_CONNECTIONS;
  return {
    name: `processor time of a ${workload}, relative to ${other}`,
    wanted: {is: 'at most', figure: ratio},
    figureOf: results => {
      const [ours, theirs] = [CREWROOM.name, other].map(subject =>
        findMeasured(results, {workload, connections, subject})?.samples.map(
          ({serverMicroseconds}) => serverMicroseconds,
        ),
      );
      return ours === undefined || theirs === undefined ? undefined : ratioOf(ours, theirs).median;
    },
  };
}

/** Returns a figure of a subject as a ratio to that of another one; NaN if one of the two was not measured. */
function compare(
  measured: readonly Measured[] = [],
  figure: keyof Sample,
  {name: workload}: Workload,
  subjects: readonly [Pick<SubjectKind, 'name'>, Pick<SubjectKind, 'name'>],
): number {
  const [one, other] = subjects.map(({name: subject}) => findFigures(measured, {workload, subject}, figure));
  return ratioOf(one ?? [], other ?? []).median;
}

/** Creates the targets for a store in etcd. */
function sharedTargets(): readonly Target[] {
  const work = (name: string, callers: number, figure: number): Target => ({
    name: `${name}s per second of ${callers} in etcd, relative to a plain client of it`,
    wanted: {is: 'at least', figure},
    figureOf: ({shared}) => {
      const found = shared?.work.find(each => each.name === name && each.callers === callers);
      return found === undefined ? undefined : ratioOf(found.service, found.bare).median;
    },
  });
  const longest = (name: string, figuresIn: (shared: SharedMeasured) => readonly number[], figure: number): Target => ({
    name,
    wanted: {is: 'at most', figure, unit: 'ms'},
    figureOf: ({shared}) => (shared === undefined ? undefined : Math.max(...figuresIn(shared))),
  });
  return [
    work('put', 1, 0.4),
    work('put', 64, 1.5),
    work('get', 1, 0.6),
    work('get', 64, 3),
    ...SHARERS.filter(count => count > 1).map(count =>
      longest(
        `longest put while ${count} services write to etcd`,
        ({sharing}) => sharing.find(({services}) => services === count)?.longestMs ?? [],
        1000,
      ),
    ),
    longest('time without a commit after the leader of etcd was killed', ({leaderKilledMs}) => leaderKilledMs, 3000),
    ...LINK_WORK.map(({name, mbits, mostMs}, index): Target => {
      return {
        name: `${name} behind ${mbits} Mbit/s and 100 ms`,
        wanted: {is: 'at most', figure: mostMs, unit: 'ms'},
        figureOf: ({shared}) => shared && medianOf(shared.longLink[index] ?? []),
      };
    }),
  ];
}

function startTarget(name: string, ratio: number): Target {
  const figure = 'firstAnswerMs';
  return {
    name: `${name}, relative to ${BARE.name}`,
    wanted: {is: 'at most', figure: ratio},
    figureOf: results =>
      ratioOf(startFigures(results, CREWROOM.name, figure), startFigures(results, BARE.name, figure)).median,
  };
}
