/** The middle of some figures, and the quarters below and above it. */
export interface Spread {
  readonly median: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
}

/** The figure below which a share of all lies, between two of them where none is there; not a number when there are none. */
export function quantileOf(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** The middle of some figures. */
export function medianOf(figures: readonly number[]): number {
  return quantileOf(figures, 0.5);
}

/** What is in the middle of some figures, and how far they lie apart. */
export function spreadOf(figures: readonly number[]): Spread {
  return {
    median: medianOf(figures),
    lowerQuartile: quantileOf(figures, 0.25),
    upperQuartile: quantileOf(figures, 0.75),
  };
}

/**
 * How figures compare with others that were taken in the same turns: the ratio is taken of neighbours in time, so that a slow
 * moment of the machine is in both.
 */
export function ratioOf(figures: readonly number[], toOthers: readonly number[]): Spread {
  const turns = Math.min(figures.length, toOthers.length);
  return spreadOf(Array.from({length: turns}, (_, turn) => (figures[turn] ?? 0) / (toOthers[turn] ?? 0)));
}
