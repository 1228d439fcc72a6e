/**
 * The known name that somebody probably meant: the nearest one by slips of the fingers (letters that are
 * wrong, missing, too many, or swapped), if that is near enough to be more than a coincidence.
 */
export function findSimilar(name: string, known: Iterable<string>): string | undefined {
  let best: {readonly name: string; readonly distance: number} | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = {name: candidate, distance};
  }
  return best !== undefined && best.distance <= SLIPS_MAX && best.distance < name.length / 2 ? best.name : undefined;
}

/** More slips than this are another word. */
const SLIPS_MAX = 3;

/** Names longer than this, in UTF-16 units, are no slip of the fingers, and would take long to compare. */
const COMPARED_LENGTH_MAX = 64;

/** How many slips turn one text into the other (optimal string alignment). */
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
