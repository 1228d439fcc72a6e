/**
 * Returns the known name that the user probably meant: the one with the smallest edit distance (letters that are wrong, missing,
 * extra or swapped), unless that distance is too large.
 */
export function findSimilar(name: string, known: Iterable<string>): string | undefined {
  let best: {readonly name: string; readonly distance: number} | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = {name: candidate, distance};
  }
  return best !== undefined && best.distance <= DISTANCE_MAX && best.distance < name.length / 2 ? best.name : undefined;
}

/** Largest edit distance of a typing error. */
const DISTANCE_MAX = 3;

/** Longest name that is compared, in UTF-16 units; longer ones would take long. */
const COMPARED_LENGTH_MAX = 64;

/** Returns the edit distance of two texts (optimal string alignment). */
function editDistance(a: string, b: string): number {
  if (a.length > COMPARED_LENGTH_MAX) return Infinity;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({length: b.length + 1}, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
