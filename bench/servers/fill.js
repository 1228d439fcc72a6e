// Fills a store: argument 1 is the data directory, argument 2 the number of entries of 200 bytes.
import {openCrewroom} from 'crewroom';

/** Number of entries per transaction. */
const BATCH = 1000;
const [dataDir, size] = process.argv.slice(2);
const count = Number(size);
const crewroom = await openCrewroom({dataDir});
for (let first = 0; first < count; first += BATCH) {
  const operations = Array.from({length: Math.min(BATCH, count - first)}, (_, index) => ({
    kind: 'put',
    key: `bench/${String(first + index).padStart(7, '0')}`,
    value: Buffer.from(`{"n":${100_000_000_000 + first + index},"text":"${'x'.repeat(170)}"}`),
  }));
  await crewroom.entries.transact({operations});
}
await crewroom[Symbol.asyncDispose]();
