/** Limits of a run of elements. */
export interface RunLimits<T> {
  readonly sizeOf: (element: T) => number;
  readonly sizeMax: number;
  /** @default {Infinity} */
  readonly countMax?: number;
  /** Returns whether an element stays in the run of the one before it, whatever the limits. @default {it never does} */
  readonly joins?: (before: T, element: T) => boolean;
}

/** Splits elements into runs: each ends with the element by which it reaches a size, or a number of them. */
export function splitBySize<T>(
  all: readonly T[],
  {sizeOf, sizeMax, countMax = Infinity, joins}: RunLimits<T>,
): readonly (readonly T[])[] {
  const runs: T[][] = [];
  let size = Infinity;
  for (const element of all) {
    const last = runs.at(-1);
    const isFull = last === undefined || size >= sizeMax || last.length >= countMax;
    const begins = isFull && !(last !== undefined && joins?.(last.at(-1) as T, element));
    if (begins) runs.push([element]);
    else last?.push(element);
    size = sizeOf(element) + (begins ? 0 : size);
  }
  return runs;
}
