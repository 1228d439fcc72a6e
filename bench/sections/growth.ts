import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {readSizeBytes} from '../data-size.ts';
import type {Generator, KeyRange} from '../generator/generator.ts';
import {type Memory, readFirstLine, readMemory, type ServerProcess, startServer} from '../process.ts';
import {CREWROOM_DIALECT} from '../subjects/node-subjects.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {nameRound} from './throughput.ts';

/** Number of entries of one plugin. */
const OWN_ENTRIES = 1000;

/** The requested keys: those of one plugin among others, or any. */
export const GROWTH_KEYS = ['one plugin’s', 'any'] as const;

/** Figures of a store of one size. */
export const GROWTH_WORKLOADS = ['get', 'put'] as const;

/** Requests per second of stores of several sizes, one figure per round. */
export interface GrowthMeasured {
  readonly workload: (typeof GROWTH_WORKLOADS)[number];
  readonly keys: (typeof GROWTH_KEYS)[number];
  readonly entries: number;
  readonly requestsPerSecond: readonly number[];
}

/** A store that was filled by one process and opened by another. */
export interface GrownStore {
  readonly entries: number;
  readonly fillMs: number;
  readonly openMs: number;
  readonly diskBytes: number;
  readonly memory: Memory;
}

/** Results of the section. */
export interface Growth {
  readonly measured: readonly GrowthMeasured[];
  readonly stores: readonly GrownStore[];
  readonly rounds: number;
}

/** Parameters of the section. */
export interface GrowthPlan {
  readonly directory: string;
  readonly entries: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

interface OpenStore extends GrownStore {
  readonly url: string;
  readonly server: ServerProcess;
}

/** Measures how the cost of reads and writes grows with the number of entries. */
export async function measureGrowth(plan: GrowthPlan): Promise<Growth> {
  const stores: OpenStore[] = [];
  try {
    for (const entries of plan.entries) {
      plan.onProgress(`growth: filling a store with ${entries.toLocaleString('en-US')} entries`);
      stores.push(await openFilled(entries, plan.directory));
    }
    const tasks = GROWTH_KEYS.flatMap(keys =>
      GROWTH_WORKLOADS.flatMap(workload =>
        stores.map(store => ({workload, keys, store, requestsPerSecond: [] as number[]})),
      ),
    );
    const rounds = await runRounds(
      {...plan, onRound: round => plan.onProgress(`growth: ${nameRound(round, plan.rounds)}`)},
      tasks,
      async ({workload, keys, store, requestsPerSecond}, round) => {
        const result = await plan.generator.run({
          url: store.url,
          connections: COMPARED_CONNECTIONS,
          seconds: round === 0 ? 1 : plan.seconds,
          requests: [CREWROOM_DIALECT[workload]('small')],
          keys: rangeOf(keys, store.entries),
        });
        if (round > 0) requestsPerSecond.push(result.requestsPerSecond);
      },
    );
    return {
      measured: tasks.map(({store, ...task}) => ({...task, entries: store.entries})),
      stores: stores.map(({url: _, server, ...store}) => ({...store, memory: readMemory([server.processId])})),
      rounds,
    };
  } finally {
    for (const {server} of stores) await server.stop();
  }
}

function rangeOf(keys: GrowthMeasured['keys'], entries: number): KeyRange {
  return {first: 0, count: keys === 'any' ? entries : Math.min(OWN_ENTRIES, entries)};
}

async function openFilled(entries: number, parent: string): Promise<OpenStore> {
  const directory = join(parent, `growth-${entries}`);
  await mkdir(directory, {recursive: true});
  const startMs = performance.now();
  // Filled by one process and opened by another, so that only the disk is warm.
  const filling = spawn(process.execPath, [pathOf('fill.js'), directory, String(entries)], {stdio: 'inherit'});
  const [code] = await once(filling, 'exit');
  if (code !== 0) throw new Error(`Cannot fill a store with ${entries} entries`);
  const fillMs = performance.now() - startMs;
  const diskBytes = await readSizeBytes(directory);
  const server = await startServer([process.execPath, pathOf('crewroom.js'), directory], directory);
  const [url = '', openMs] = (await readFirstLine(server)).split(' ');
  const memory = readMemory([server.processId]);
  return {entries, fillMs, openMs: Number(openMs), diskBytes, memory, url, server};
}

function pathOf(script: string): string {
  return fileURLToPath(new URL(`../servers/${script}`, import.meta.url));
}
