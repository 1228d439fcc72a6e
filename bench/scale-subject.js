// A store that fills itself, or answers questions on standard input: open, measure, memory.
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {openCrewroom} from 'crewroom';

const [dataDir, size, task] = process.argv.slice(2);
const count = Number(size);
const keyOf = n => `bench/${String(n).padStart(7, '0')}`;
const valueText = n => `{"n":${n},"text":"${'x'.repeat(170)}"}`;
/** Commits that are under way at once while filling, and gets and puts while measuring. */
const CONCURRENCY = 1000;
const GETS = 20_000;
const PUTS = 5000;

if (task === 'fill') {
  const {entries, [Symbol.asyncDispose]: dispose} = await openCrewroom({dataDir});
  for (let n = 0; n < count; n += CONCURRENCY) {
    await Promise.all(
      Array.from({length: Math.min(CONCURRENCY, count - n)}, (_, index) => entries.put(keyOf(n + index), valueText(n))),
    );
  }
  await dispose();
} else {
  await serve();
}

async function serve() {
  let crewroom;
  const answers = {
    open: async () => {
      const start = performance.now();
      crewroom = await openCrewroom({dataDir});
      await crewroom.entries.get(keyOf(0));
      return {openMs: performance.now() - start};
    },
    measure: async () => ({getUs: await timeGets(crewroom.entries), putUs: await timePuts(crewroom.entries)}),
    memory: () => {
      const status = readFileSync('/proc/self/status', 'utf8');
      const megabytes = name => Number(new RegExp(`${name}:\\s+([0-9]+) kB`).exec(status)?.[1]) / 1024;
      return {anonymousMb: megabytes('RssAnon'), fileMb: megabytes('RssFile')};
    },
  };
  for await (const line of createInterface(process.stdin)) {
    process.stdout.write(`${JSON.stringify(await answers[line]())}\n`);
  }
  await crewroom[Symbol.asyncDispose]();
}

async function timeGets(entries) {
  const start = performance.now();
  for (let n = 0; n < GETS; n++) await entries.get(keyOf(Math.floor(Math.random() * count)));
  return ((performance.now() - start) * 1000) / GETS;
}

async function timePuts(entries) {
  const start = performance.now();
  for (let n = 0; n < PUTS; n += 50) {
    const batch = Array.from({length: 50}, () => Math.floor(Math.random() * count));
    await Promise.all(batch.map(key => entries.put(keyOf(key), valueText(Math.random()))));
  }
  return ((performance.now() - start) * 1000) / PUTS;
}
