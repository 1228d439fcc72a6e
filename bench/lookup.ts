import type {Results} from './results.ts';
import type {GrowthMeasured} from './sections/growth.ts';
import type {Start} from './sections/start.ts';
import type {Measured, Sample} from './sections/throughput.ts';
import {ratioOf, type Spread} from './statistics.ts';

/** Finds the measurements of a subject. */
export function findMeasured(
  {throughput}: Results,
  sought: Pick<Measured, 'workload' | 'connections' | 'subject'>,
): Measured | undefined {
  return throughput?.measured.find(
    ({workload, connections, subject}) =>
      workload === sought.workload && connections === sought.connections && subject === sought.subject,
  );
}

/** Returns requests per second as a ratio to another subject; undefined if one of the two was not measured. */
export function rateRatio(one: Measured | undefined, other: Measured | undefined): Spread | undefined {
  if (one === undefined || other === undefined) return undefined;
  return ratioOf(figuresOf(one, 'requestsPerSecond'), figuresOf(other, 'requestsPerSecond'));
}

/** Returns one figure of all rounds. */
export function figuresOf({samples}: Measured, member: keyof Sample): readonly number[] {
  return samples.map(sample => sample[member]);
}

/** Figures of a start. */
const START_FIGURES = {
  firstAnswerMs: ({firstAnswerMs}: Start) => firstAnswerMs,
  idleMb: ({idle}: Start) => idle.residentMb,
  ownMb: ({idle}: Start) => idle.ownMb,
} as const;

/** Returns one figure of all starts of a subject. */
export function startFigures(
  {starts}: Results,
  subject: string,
  figure: keyof typeof START_FIGURES,
): readonly number[] {
  return starts?.find(each => each.subject === subject)?.starts.map(START_FIGURES[figure]) ?? [];
}

/**
 * Returns the cost of a request in a large store as a ratio to that in a small one; undefined if it was not measured.
 */
export function growthCost(
  {growth}: Results,
  {workload, keys}: Pick<GrowthMeasured, 'workload' | 'keys'>,
  [small, large]: readonly [number, number],
): Spread | undefined {
  const find = (entries: number) =>
    growth?.measured.find(each => each.workload === workload && each.keys === keys && each.entries === entries);
  const [few, many] = [find(small), find(large)];
  return few === undefined || many === undefined ? undefined : ratioOf(few.requestsPerSecond, many.requestsPerSecond);
}

/** Returns one figure of all rounds of a subject with a workload; none if it was not measured. */
export function findFigures(
  measured: readonly Measured[],
  {workload, subject}: Pick<Measured, 'workload' | 'subject'>,
  figure: keyof Sample,
): readonly number[] {
  const found = measured.find(each => each.workload === workload && each.subject === subject);
  return found === undefined ? [] : figuresOf(found, figure);
}
