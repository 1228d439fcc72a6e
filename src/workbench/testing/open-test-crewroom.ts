import type {Crewroom, CrewroomOptions} from '../../app/crewroom.ts';
import type {Faults} from '../../core/domain/faults/fault.ts';
import type {Pilots} from '../../core/domain/identity/pilots.ts';

/** Options of a service for tests. */
export type TestOptions = CrewroomOptions & {
  /** Returns the current time, in milliseconds since the Unix epoch. @default {Date.now} */
  readonly nowMs?: (() => number) | undefined;
};

/** An open service, with switches for tests. */
export interface TestCrewroom extends Crewroom {
  /** Faults, such as a disk that is full or a connection that is cut: how does a program cope with them? */
  readonly faults: Faults;
  /** Switches among sample pilots, while nothing else is served. */
  readonly pilots: Pilots;
}

/**
 * Opens a service like `openCrewroom()`, with switches and a clock for tests.
 *
 * @param options @default {everything in memory, on a free port}
 *
 * @example
 * ```ts
 * import {openTestCrewroom} from 'crewroom/testing';
 *
 * const crewroom = await openTestCrewroom();
 * crewroom.faults.set([{kind: 'disk-full'}]);
 * await crewroom.listen();
 * const answer = await crewroom.fetch(new Request(`${crewroom.url}/api/store/a`, {method: 'PUT', body: '1'}));
 * console.log(answer.status); // 507
 * await crewroom[Symbol.asyncDispose]();
 * ```
 */
export async function openTestCrewroom(
  {nowMs, ...options}: TestOptions = {store: 'memory', port: 0},
): Promise<TestCrewroom> {
  // Loaded on demand: authors of adapters need only the contracts.
  const {openWithOptions} = await import('../../app/open-crewroom.ts');
  return openWithOptions(options, nowMs === undefined ? {} : {nowMs});
}
