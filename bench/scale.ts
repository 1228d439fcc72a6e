import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {formatTable, medianOf} from './report.ts';

/** How the cost of the store grows with what is in it: opening, reading, writing, memory. */
const SIZES = [1000, 1_000_000];
/** How often both stores take turns; the median of the turns counts. */
const TURNS = 5;

/** What one turn measured; each in microseconds per operation. */
interface Turn {
  readonly getUs: number;
  readonly putUs: number;
}

/** A store of some size in a process of its own. */
interface Subject {
  readonly entries: number;
  readonly openMs: number;
  measure(): Promise<Turn>;
  memory(): Promise<{readonly anonymousMb: number; readonly fileMb: number}>;
  stop(): Promise<void>;
}

async function main(): Promise<void> {
  const subjects: Subject[] = [];
  try {
    for (const entries of SIZES) subjects.push(await startSubject(entries));
    const turns = new Map<Subject, Turn[]>(subjects.map(subject => [subject, []]));
    for (let turn = 0; turn <= TURNS; turn++) {
      for (const subject of subjects) {
        const measured = await subject.measure();
        // The first turn warms up.
        if (turn > 0) turns.get(subject)?.push(measured);
      }
    }
    process.stdout.write(await describe(turns));
  } finally {
    await Promise.all(subjects.map(subject => subject.stop()));
  }
}

async function describe(turns: ReadonlyMap<Subject, readonly Turn[]>): Promise<string> {
  const titles = ['entries', 'open ms', 'get µs', 'put µs', 'own memory MB', 'mapped file MB'];
  const rows: string[][] = [];
  for (const [subject, measured] of turns) {
    const {anonymousMb, fileMb} = await subject.memory();
    const figures = [
      subject.openMs,
      medianOf(measured.map(({getUs}) => getUs)),
      medianOf(measured.map(({putUs}) => putUs)),
      anonymousMb,
      fileMb,
    ];
    rows.push([String(subject.entries), ...figures.map(figure => figure.toFixed(1))]);
  }
  const ratio = (column: number): string => (Number(rows.at(-1)?.[column]) / Number(rows[0]?.[column])).toFixed(2);
  return `${formatTable([titles, ...rows])}\nratio of the last to the first: get ${ratio(2)}, put ${ratio(3)}\n`;
}

async function startSubject(entries: number): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-scale-'));
  const script = fileURLToPath(new URL('./scale-subject.js', import.meta.url));
  process.stderr.write(`filling a store with ${entries} entries\n`);
  const run = (...args: string[]): ReturnType<typeof spawn> =>
    spawn(process.execPath, [script, directory, String(entries), ...args], {stdio: ['pipe', 'pipe', 'inherit']});
  // Filled by one process and measured in another, so that nothing is warm but the disk.
  await once(run('fill'), 'exit');
  const child = run('serve');
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
  const ask = async <T>(question: string): Promise<T> => {
    child.stdin?.write(`${question}\n`);
    return JSON.parse((await lines.next()).value) as T;
  };
  const {openMs} = await ask<{openMs: number}>('open');
  return {
    entries,
    openMs,
    measure: () => ask<Turn>('measure'),
    memory: () => ask('memory'),
    stop: async () => {
      child.stdin?.end();
      await once(child, 'exit');
      await rm(directory, {recursive: true, force: true});
    },
  };
}

await main();
