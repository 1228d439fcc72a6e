import {findMeasured, rateRatio} from './lookup.ts';
import type {Results} from './results.ts';
import {BARE, CREWROOM} from './subjects/node-subjects.ts';
import {COMPARED_CONNECTIONS} from './workloads.ts';

/** What Crewroom is to reach. */
export interface Target {
  readonly name: string;
  readonly wanted: Threshold;
  /** What it reaches; undefined when the run did not measure that. */
  readonly figureOf: (results: Results) => number | undefined;
}

/** Where a figure must lie. */
export interface Threshold {
  readonly is: 'at least' | 'at most';
  readonly figure: number;
  readonly unit?: string;
}

/** A target, held against what was measured. */
export interface Verdict {
  readonly name: string;
  readonly wanted: Threshold;
  readonly figure: number | undefined;
  readonly verdict: 'met' | 'missed' | 'not measured';
}

/** The targets, at {@link COMPARED_CONNECTIONS} connections unless said. */
export const TARGETS: readonly Target[] = [
  rateTarget('identity', BARE.name, 0.9),
  rateTarget('get', BARE.name, 0.85),
  rateTarget('put', BARE.name, 0.8),
];

/** Holds every target against what was measured. */
export function judge(results: Results, targets: readonly Target[] = TARGETS): readonly Verdict[] {
  return targets.map(({name, wanted, figureOf}) => {
    const figure = figureOf(results);
    if (figure === undefined || Number.isNaN(figure)) {
      return {name, wanted, figure: undefined, verdict: 'not measured'};
    }
    const met = wanted.is === 'at least' ? figure >= wanted.figure : figure <= wanted.figure;
    return {name, wanted, figure, verdict: met ? 'met' : 'missed'};
  });
}

function rateTarget(workload: string, other: string, ratio: number): Target {
  return {
    name: `${workload}: requests per second, to those of ${other}`,
    wanted: {is: 'at least', figure: ratio},
    figureOf: results => rateOf(results, workload, other),
  };
}

function rateOf(results: Results, workload: string, other: string): number | undefined {
  const find = (subject: string) => findMeasured(results, {workload, connections: COMPARED_CONNECTIONS, subject});
  return rateRatio(find(CREWROOM.name), find(other))?.median;
}
