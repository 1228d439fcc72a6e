import {mkdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {findFreePort} from '../../test/support/free-port.ts';
import {type Memory, readMemory, startServer, waitUntilAnswered} from '../process.ts';
import {BARE, CREWROOM} from '../subjects/node-subjects.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {nameRound} from './throughput.ts';

/** Idle time of a server before its memory is read, in milliseconds. */
const SETTLE_MS = 1000;

/** Cost of one start. */
export interface Start {
  /** Time from the start of the process until its first answer was read. */
  readonly firstAnswerMs: number;
  /** Memory after a second without requests. */
  readonly idle: Memory;
}

/** The starts of a subject, one per round. */
export interface Starts {
  readonly subject: string;
  readonly starts: readonly Start[];
}

/** Parameters of the section. */
export interface StartPlan {
  readonly directory: string;
  readonly starts: number;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** Arguments of Node that start a subject. */
type Arguments = (port: number, directory: string) => readonly string[];

const SUBJECTS: Readonly<Record<string, Arguments>> = {
  [CREWROOM.name]: (port, directory) => [
    pathOf('../../dist/cli/main.js'),
    'start',
    '--port',
    String(port),
    '--data-dir',
    directory,
  ],
  [BARE.name]: port => [pathOf('../servers/bare.js'), '', String(port)],
};

/** Measures the time until Crewroom and a bare server answer, and their idle memory. */
export async function measureStarts(plan: StartPlan): Promise<readonly Starts[]> {
  const starts = new Map<string, Start[]>(Object.keys(SUBJECTS).map(name => [name, []]));
  await runRounds(
    {...plan, rounds: plan.starts, onRound: round => plan.onProgress(`start: ${nameRound(round, plan.starts)}`)},
    Object.entries(SUBJECTS),
    async ([name, args], round) => {
      const start = await startOnce(args, join(plan.directory, `start-${name.replaceAll(/\W+/g, '-')}`));
      if (round > 0) starts.get(name)?.push(start);
    },
  );
  return Array.from(starts, ([subject, each]) => ({subject, starts: each}));
}

async function startOnce(args: Arguments, directory: string): Promise<Start> {
  await mkdir(directory, {recursive: true});
  const port = await findFreePort();
  const startMs = performance.now();
  const server = await startServer([process.execPath, ...args(port, directory)], directory);
  try {
    await waitUntilAnswered(server, `http://127.0.0.1:${port}/api/identity`);
    const firstAnswerMs = performance.now() - startMs;
    await setTimeout(SETTLE_MS);
    return {firstAnswerMs, idle: readMemory([server.processId])};
  } finally {
    await server.stop();
    await rm(directory, {recursive: true, force: true});
  }
}

function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}
