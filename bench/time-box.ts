/** Limits the duration of a run, or of a part of it. */
export interface TimeBox {
  readonly leftMs: () => number;
  /** Creates a part of this one: other parts may use the time that it leaves over. */
  part(limitMs: number): TimeBox;
}

/** Starts the clock. */
export function openTimeBox(limitMs: number, nowMs: () => number = () => performance.now()): TimeBox {
  const endMs = nowMs() + limitMs;
  const leftMs = (): number => endMs - nowMs();
  return {leftMs, part: partMs => openTimeBox(Math.min(partMs, leftMs()), nowMs)};
}

/** Maximum number of rounds, and the time for them. */
export interface RoundsPlan {
  readonly rounds: number;
  readonly timeBox: TimeBox;
  /** Formats the progress line of a round, for standard error. */
  readonly onRound: (round: number) => void;
}

/**
 * Runs rounds: first one to warm up, then as many as planned that fit into the time. When the time is over, the current
 * round ends early.
 *
 * @param items Items of each round, in this order.
 * @param measure Receives the number of the round: 0 warms up and does not count.
 * @returns Number of rounds that counted.
 */
export async function runRounds<T>(
  {rounds, timeBox, onRound}: RoundsPlan,
  items: readonly T[],
  measure: (item: T, round: number) => Promise<void>,
): Promise<number> {
  let longestMs = 0;
  for (let round = 0; round <= rounds; round++) {
    if (round > 1 && longestMs > timeBox.leftMs()) return round - 1;
    onRound(round);
    const beforeMs = timeBox.leftMs();
    for (const item of items) {
      if (timeBox.leftMs() <= 0) return round;
      await measure(item, round);
    }
    longestMs = Math.max(longestMs, beforeMs - timeBox.leftMs());
  }
  return rounds;
}
