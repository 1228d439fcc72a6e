/** Counts the elements at the beginning of an array that fulfil a condition; no later element may fulfil it. */
export function countBefore<T>(elements: readonly T[], isBefore: (element: T) => boolean): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(elements[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
