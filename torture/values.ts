import type {Random} from './random.ts';

/** Sizes of large values, in bytes, and their share in thousandths: mostly settings, sometimes a document. */
const SIZES = [
  {from: 0, to: 500, share: 780},
  {from: 2000, to: 8000, share: 190},
  {from: 30_000, to: 70_000, share: 28},
  {from: 300_000, to: 1_000_000, share: 2},
] as const;

/**
 * Returns a JSON text unique to its mark, with details that a store might alter: numbers beyond JavaScript's range,
 * repeated names, white space, escapes.
 */
export function makeValue(mark: number, random: Random): string {
  return formatValue(mark, drawSize(random));
}

/** The same with a given size, reached by padding. */
export function formatValue(mark: number, paddingBytes: number): string {
  const padding = `${mark}.`.repeat(Math.ceil(paddingBytes / 2)).slice(0, paddingBytes);
  return `{"mark":${mark}, "patched":null,"twice":1.0,"twice":9007199254740993,"text":"\\u00e9\\/é€𝄞","padding":"${padding}"}`;
}

function drawSize(random: Random): number {
  let rest = random.integer(1, 1000);
  for (const {from, to, share} of SIZES) {
    rest -= share;
    if (rest <= 0) return random.integer(from, to);
  }
  return 0;
}
