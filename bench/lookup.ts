import type {Results} from './results.ts';
import type {Measured, Sample} from './sections/throughput.ts';
import {ratioOf, type Spread} from './statistics.ts';

/** Finds what was measured of a subject. */
export function findMeasured(
  {throughput}: Results,
  sought: Pick<Measured, 'workload' | 'connections' | 'subject'>,
): Measured | undefined {
  return throughput?.measured.find(
    ({workload, connections, subject}) =>
      workload === sought.workload && connections === sought.connections && subject === sought.subject,
  );
}

/** How many requests a second one made, as a ratio to another; undefined when one of the two was not measured. */
export function rateRatio(one: Measured | undefined, other: Measured | undefined): Spread | undefined {
  if (one === undefined || other === undefined) return undefined;
  return ratioOf(figuresOf(one, 'requestsPerSecond'), figuresOf(other, 'requestsPerSecond'));
}

/** One figure of all turns. */
export function figuresOf({samples}: Measured, member: keyof Sample): readonly number[] {
  return samples.map(sample => sample[member]);
}
