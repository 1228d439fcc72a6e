import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {createClient} from 'crewroom/client';
import {formatTable, medianOf} from './report.ts';
import {startCrewroom} from './targets.ts';
import {keyOf, valueText} from './workloads.ts';

/** How long a writer waits for its answers while others listen to what it writes. */
const SUBSCRIBERS = [0, 100, 1000];
/** How many writes one measurement has. */
const WRITES = 100;
/** How often all numbers of subscribers take turns; the median of the turns counts. */
const TURNS = 5;
/** What the writer waits between two writes: nothing, or long enough for everybody to have heard of the one before. */
const PAUSES_MS = [0, 50];

/** One row of the table, as it is filled. */
interface Row {
  readonly pauseMs: number;
  readonly subscribers: number;
  readonly p50sMs: number[];
  readonly p99sMs: number[];
  readonly missed: number[];
}

async function main(): Promise<void> {
  const target = await startCrewroom();
  const rows: Row[] = PAUSES_MS.flatMap(pauseMs =>
    SUBSCRIBERS.map(subscribers => ({pauseMs, subscribers, p50sMs: [], p99sMs: [], missed: []})),
  );
  try {
    for (let turn = 0; turn <= TURNS; turn++) {
      // The first turn warms up.
      for (const row of rows) await measure(target.url, row, turn > 0);
      process.stderr.write(`turn ${turn} of ${TURNS}\n`);
    }
  } finally {
    await target.stop();
  }
  const titles = ['pause ms', 'subscribers', 'ratio', 'p50 ms', 'p99 ms', 'events missed'];
  process.stdout.write(`${formatTable([titles, ...rows.map(row => describe(row, rows))])}\n`);
}

async function measure(url: string, row: Row, counts: boolean): Promise<void> {
  const subscribers = await listen(url, row.subscribers);
  const {entries} = createClient({baseUrl: url});
  const latenciesMs: number[] = [];
  for (let n = 0; n < WRITES; n++) {
    const start = performance.now();
    await entries.put(keyOf(n), valueText(Math.floor(Math.random() * 1_000_000)));
    latenciesMs.push(performance.now() - start);
    if (row.pauseMs > 0) await setTimeout(row.pauseMs);
  }
  const heard = await subscribers.stop();
  if (!counts) return;
  latenciesMs.sort((a, b) => a - b);
  row.p50sMs.push(latenciesMs[Math.floor(WRITES / 2)] ?? Number.NaN);
  row.p99sMs.push(latenciesMs[Math.floor(WRITES * 0.99)] ?? Number.NaN);
  row.missed.push(row.subscribers * WRITES - heard);
}

async function listen(url: string, count: number): Promise<{stop(): Promise<number>}> {
  if (count === 0) return {stop: async () => 0};
  const script = fileURLToPath(new URL('./subscribers.js', import.meta.url));
  const child = spawn(process.execPath, [script, url, String(count)], {stdio: ['ignore', 'pipe', 'inherit']});
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  return {
    async stop() {
      // What was written last is still on its way.
      await setTimeout(300);
      const said = once(lines, 'line');
      child.kill('SIGTERM');
      const [heard] = (await said) as [string];
      await once(child, 'exit');
      return Number(heard);
    },
  };
}

function describe(row: Row, rows: readonly Row[]): readonly string[] {
  const alone = rows.find(({pauseMs, subscribers}) => pauseMs === row.pauseMs && subscribers === 0);
  const ratio = medianOf(row.p50sMs) / medianOf(alone?.p50sMs ?? []);
  return [
    String(row.pauseMs),
    String(row.subscribers),
    ratio.toFixed(2),
    medianOf(row.p50sMs).toFixed(2),
    medianOf(row.p99sMs).toFixed(2),
    String(row.missed.reduce((sum, each) => sum + each, 0)),
  ];
}

await main();
