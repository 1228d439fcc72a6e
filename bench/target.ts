import type {Results} from './results.ts';

/** A target for Crewroom. */
export interface Target {
  readonly name: string;
  readonly wanted: Threshold;
  /** Measured figure; undefined if the run did not measure it. */
  readonly figureOf: (results: Results) => number | undefined;
}

/** Direction of the limit. */
export interface Threshold {
  readonly is: 'at least' | 'at most';
  readonly figure: number;
  /** Unit; empty for a ratio. */
  readonly unit?: 'ms' | 'MB';
}
