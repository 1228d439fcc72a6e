/** The median of some figures, and the quartiles. */
export interface Spread {
  readonly median: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
}

/** Returns the figure below which a share of all lies, interpolated between two of them; NaN without figures. */
export function quantileOf(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Returns the median of some figures. */
export function medianOf(figures: readonly number[]): number {
  return quantileOf(figures, 0.5);
}

/** Returns the median of some figures, with the quartiles. */
export function spreadOf(figures: readonly number[]): Spread {
  return {
    median: medianOf(figures),
    lowerQuartile: quantileOf(figures, 0.25),
    upperQuartile: quantileOf(figures, 0.75),
  };
}

/**
 * Compares figures with others of the same rounds: each ratio is of neighbours in time, so that a slow moment of the
 * machine affects both.
 */
export function ratioOf(figures: readonly number[], toOthers: readonly number[]): Spread {
  const rounds = Math.min(figures.length, toOthers.length);
  return spreadOf(Array.from({length: rounds}, (_, round) => (figures[round] ?? 0) / (toOthers[round] ?? 0)));
}
