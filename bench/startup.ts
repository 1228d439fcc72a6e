import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {get} from 'node:http';
import {type AddressInfo, createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {formatTable, medianOf} from './report.ts';

/** How often each is started; the median counts. */
const STARTS = 9;
/** How long a service is left alone before its memory is read, in milliseconds. */
const SETTLE_MS = 1000;
/** How often it is asked whether it is there yet, in milliseconds. */
const POLL_MS = 2;

/** What one start cost. */
interface Start {
  readonly firstAnswerMs: number;
  readonly memoryMb: number;
}

/** A server to start: the arguments of Node for a port and a directory. */
interface Subject {
  readonly name: string;
  readonly args: (port: number, directory: string) => readonly string[];
}

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const SUBJECTS: readonly Subject[] = [
  {name: 'bare node:http', args: port => [path('./bare-start.js'), String(port)]},
  {
    name: 'crewroom start',
    args: (port, directory) => [path('../dist/cli/main.js'), 'start', '--port', String(port), '--data-dir', directory],
  },
];

/**
 * Measures the time from the start of the process to its first answer, and its memory when it is idle, of a
 * server that does nothing and of the service, in turns.
 */
export async function measureStartup(): Promise<string> {
  const starts = new Map<Subject, Start[]>(SUBJECTS.map(subject => [subject, []]));
  for (let turn = 0; turn <= STARTS; turn++) {
    for (const subject of SUBJECTS) {
      const start = await startOnce(subject);
      // The first turn warms the disk.
      if (turn > 0) starts.get(subject)?.push(start);
    }
  }
  const rows = Array.from(starts, ([{name}, measured]) => [
    name,
    medianOf(measured.map(({firstAnswerMs}) => firstAnswerMs)).toFixed(0),
    medianOf(measured.map(({memoryMb}) => memoryMb)).toFixed(0),
  ]);
  return `${formatTable([['start', 'first answer ms', 'idle RSS MB'], ...rows])}\n`;
}

async function startOnce({args}: Subject): Promise<Start> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-bench-'));
  const port = await findFreePort();
  const begin = performance.now();
  const server = spawn(process.execPath, args(port, directory), {stdio: 'ignore'});
  try {
    while (!(await answers(port))) await delay(POLL_MS);
    const firstAnswerMs = performance.now() - begin;
    await delay(SETTLE_MS);
    return {firstAnswerMs, memoryMb: await readMemory(server.pid)};
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
    await rm(directory, {recursive: true, force: true});
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    get({host: '127.0.0.1', port, path: '/api/identity', agent: false}, response => {
      response.resume();
      response.once('end', () => resolve(true));
    }).once('error', () => resolve(false));
  });
}

/** Where the system tells: the resident memory of a process, in megabytes. */
async function readMemory(processId: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+([0-9]+) kB/.exec(status)?.[1]) / 1024;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
