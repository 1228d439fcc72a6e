import {readFileSync} from 'node:fs';

/** A row of a recorded track, by the names of its columns; flags are 0 or 1. */
export type TrackRow = Readonly<Record<string, number>>;

/** Reads a track that was recorded of a simulated flight of ours, each five seconds, and each second near the ground. None is of another simulator. */
export function readTrack(name: string): readonly TrackRow[] {
  const text = readFileSync(new URL(`./tracks/${name}.csv`, import.meta.url), 'utf8');
  const [head = [], ...rows] = text
    .trimEnd()
    .split('\n')
    .map(line => line.split(','));
  return rows.map(row => Object.fromEntries(head.map((column, at) => [column, Number(row[at])])));
}
