// Fills a store: argument 1 is the data directory, argument 2 how many entries of 200 bytes.
import {openCrewroom} from 'crewroom';

/** How many commits are under way at once. */
const CONCURRENCY = 1000;
const [dataDir, size] = process.argv.slice(2);
const count = Number(size);
const {entries, [Symbol.asyncDispose]: dispose} = await openCrewroom({dataDir});
for (let first = 0; first < count; first += CONCURRENCY) {
  const keys = Array.from({length: Math.min(CONCURRENCY, count - first)}, (_, index) => first + index);
  await Promise.all(
    keys.map(n => entries.put(`bench/${String(n).padStart(7, '0')}`, `{"n":${n},"text":"${'x'.repeat(170)}"}`)),
  );
}
await dispose();
