/** Names of the sample pilots, in the order in which they are listed. Released names are never removed. */
export const SAMPLE_PILOT_NAMES = [
  'captain',
  'first-officer',
  'signed-out',
  'no-account',
  'other-brand',
  'maintenance',
  'long-names',
] as const;

/** Name of a sample pilot of this version. */
export type SamplePilotName = (typeof SAMPLE_PILOT_NAMES)[number];

/** The sample pilot that a service serves at its start. */
export const DEFAULT_PILOT: SamplePilotName = 'captain';

/** A sample pilot, for trying plugins. */
export interface SamplePilot {
  readonly name: string;
  /** The purpose of this sample, in one line. */
  readonly description: string;
  /** The pilot and the airline in one line, for people; absent for a sample without a signed-in pilot. */
  readonly summary?: string | undefined;
}

/** The sample pilots, and the one that is served. */
export interface PilotList {
  readonly pilots: readonly SamplePilot[];
  /** Name of the sample that is served; absent if the identity has another source. */
  readonly current?: string | undefined;
}

/** The port of sample pilots. */
export interface Pilots {
  list(): PilotList;

  /**
   * Serves another sample pilot, until the service ends. Idempotent.
   *
   * @throws {AppError} `invalid-body` for an unknown name; `not-offered` unless the identity is a sample.
   */
  use(name: string): PilotList;
}
