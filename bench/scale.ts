import {readFile} from 'node:fs/promises';
import {measure} from './measure.ts';
import {formatTable, medianOf} from './report.ts';
import {startFilled, type Target} from './targets.ts';
import type {Workload} from './workloads.ts';
import {valueText} from './workloads.ts';

/** How the cost of the service grows with what is in its store: opening, reading, writing, memory. */
const SIZES = [1000, 1_000_000];
/** How long one measurement takes, in seconds. */
const SECONDS = 2;
/** How often both services take turns; the median of the turns counts. */
const TURNS = 7;
/** How many entries one plugin has. */
const OWN_ENTRIES = 1000;
const CONNECTIONS = [1, 64];

interface Subject extends Target {
  readonly entries: number;
  readonly openMs: number;
}

/** The keys that are asked for: those of one plugin among others', or any. */
const KEYS = [
  {name: 'of one plugin', pick: () => Math.floor(Math.random() * OWN_ENTRIES)},
  {name: 'of all', pick: (entries: number) => Math.floor(Math.random() * entries)},
] as const;

async function main(): Promise<void> {
  const subjects: Subject[] = [];
  try {
    for (const entries of SIZES) {
      process.stderr.write(`filling a store with ${entries} entries\n`);
      subjects.push({entries, ...(await startFilled(entries))});
    }
    const rows: string[][] = [];
    for (const keys of KEYS) {
      for (const method of ['GET', 'POST'] as const) {
        for (const connections of CONNECTIONS) rows.push(await compare(subjects, {method, keys, connections}));
      }
    }
    const titles = ['work', 'keys', 'connections', 'ratio', ...SIZES.map(size => `req/s at ${size}`)];
    process.stdout.write(`${formatTable([titles, ...rows])}\n\n${await describeSubjects(subjects)}`);
  } finally {
    await Promise.all(subjects.map(subject => subject.stop()));
  }
}

interface Comparison {
  readonly method: 'GET' | 'POST';
  readonly keys: (typeof KEYS)[number];
  readonly connections: number;
}

async function compare(subjects: readonly Subject[], {method, keys, connections}: Comparison): Promise<string[]> {
  const measured = new Map<Subject, number[]>(subjects.map(subject => [subject, []]));
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const target of subjects) {
      const workload: Workload = {
        name: method,
        method,
        path: () => `/api/store/bench%2F${String(keys.pick(target.entries)).padStart(7, '0')}`,
        ...(method === 'POST' ? {body: valueText} : {}),
      };
      const {requestsPerSecond} = await measure({workload, connections, target, seconds: SECONDS});
      // The first turn warms up.
      if (turn > 0) measured.get(target)?.push(requestsPerSecond);
    }
  }
  const medians = subjects.map(subject => medianOf(measured.get(subject) ?? []));
  // Of neighbours in time, so that a slow moment of the machine is in both.
  const [first = [], last = []] = [...measured.values()];
  const ratio = medianOf(last.map((each, turn) => each / (first[turn] ?? Number.NaN)));
  const name = method === 'GET' ? 'get' : 'durable put';
  process.stderr.write(`measured ${name}, keys ${keys.name}, ${connections} connections\n`);
  return [name, keys.name, String(connections), ratio.toFixed(2), ...medians.map(median => median.toFixed(0))];
}

async function describeSubjects(subjects: readonly Subject[]): Promise<string> {
  const titles = ['entries', 'open ms', 'own memory MB', 'mapped file MB'];
  const rows = await Promise.all(
    subjects.map(async ({entries, openMs, processId}) => {
      const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
      const megabytes = (name: string): string =>
        (Number(new RegExp(`${name}:\\s+([0-9]+) kB`).exec(status)?.[1]) / 1024).toFixed(0);
      return [String(entries), openMs.toFixed(0), megabytes('RssAnon'), megabytes('RssFile')];
    }),
  );
  return `${formatTable([titles, ...rows])}\n`;
}

await main();
