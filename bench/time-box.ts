/** Keeps a run, or a part of it, within its time. */
export interface TimeBox {
  readonly leftMs: () => number;
  /** A part of this one: what it does not use is left to the others. */
  part(limitMs: number): TimeBox;
}

/** Starts the clock. */
export function openTimeBox(limitMs: number, nowMs: () => number = () => performance.now()): TimeBox {
  const endMs = nowMs() + limitMs;
  const leftMs = (): number => endMs - nowMs();
  return {leftMs, part: partMs => openTimeBox(Math.min(partMs, leftMs()), nowMs)};
}

/** How many turns to take at most, and in which time. */
export interface TurnsPlan {
  readonly turns: number;
  readonly timeBox: TimeBox;
  /** What is said on standard error about a turn. */
  readonly onTurn: (turn: number) => void;
}

/**
 * Takes turns: first one to warm up, then as many as planned that fit into the time. When that is over, the turn that goes on
 * ends early.
 *
 * @param items What takes turns, in this order.
 * @param measure Is told which turn it is: 0 warms up and does not count.
 * @returns How many turns counted.
 */
export async function takeTurns<T>(
  {turns, timeBox, onTurn}: TurnsPlan,
  items: readonly T[],
  measure: (item: T, turn: number) => Promise<void>,
): Promise<number> {
  let longestMs = 0;
  for (let turn = 0; turn <= turns; turn++) {
    if (turn > 1 && longestMs > timeBox.leftMs()) return turn - 1;
    onTurn(turn);
    const beforeMs = timeBox.leftMs();
    for (const item of items) {
      if (timeBox.leftMs() <= 0) return turn;
      await measure(item, turn);
    }
    longestMs = Math.max(longestMs, beforeMs - timeBox.leftMs());
  }
  return turns;
}
