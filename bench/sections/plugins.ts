import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Generator, LoadResult} from '../generator/generator.ts';
import type {RequestTemplate} from '../generator/template.ts';
import {findChildren, readProcessorTimeMs} from '../process.ts';
import {BARE, CREWROOM_PLUGIN} from '../subjects/node-subjects.ts';
import {ask, stopSubject} from '../subjects/start-subject.ts';
import type {RunningSubject} from '../subjects/subject.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {nameRound} from './throughput.ts';

/** A route of a plugin that answers at once. */
const ROUTE: RequestTemplate = {method: 'GET', path: '/api/com.example.bench/data'};

/** One measurement of requests to a route of a plugin. */
export interface PluginSample extends LoadResult {
  /** Processor time of the server and of its background for one request, in microseconds. */
  readonly serverMicroseconds: number;
}

/** The samples of a server, one per round. */
export interface PluginCalls {
  readonly subject: string;
  readonly samples: readonly PluginSample[];
}

/** Parameters of the section. */
export interface PluginsPlan {
  /** Directory for temporary files. */
  readonly directory: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

interface Row {
  readonly subject: string;
  readonly running: RunningSubject;
  readonly processIds: readonly number[];
  readonly samples: PluginSample[];
}

/** Measures a route of a plugin beside bare node:http that answers the same bytes. */
export async function measurePlugins(plan: PluginsPlan): Promise<readonly PluginCalls[]> {
  const rows: Row[] = [];
  try {
    const directory = join(plan.directory, 'plugins');
    await mkdir(directory, {recursive: true});
    const surroundings = {directory, answersFile: join(directory, 'answers.json'), peersDirectory: directory};
    const crewroom = await CREWROOM_PLUGIN.start(surroundings);
    rows.push(rowOf(CREWROOM_PLUGIN.name, crewroom));
    const identity = await ask({name: CREWROOM_PLUGIN.name, url: crewroom.url}, ROUTE, {key: 0, value: 0});
    // The bare server answers every unknown path with its identity.
    await writeFile(surroundings.answersFile, JSON.stringify({identity}));
    rows.push(rowOf(BARE.name, await BARE.start(surroundings)));
    await runRounds(
      {...plan, onRound: round => plan.onProgress(`plugins: ${nameRound(round, plan.rounds)}`)},
      rows,
      async (row, round) => {
        const sample = await measure(row, plan);
        if (round > 0) row.samples.push(sample);
      },
    );
    return rows.map(({subject, samples}) => ({subject, samples}));
  } finally {
    for (const {running} of rows) await stopSubject(running);
  }
}

function rowOf(subject: string, running: RunningSubject): Row {
  const servers = running.servers.map(({processId}) => processId);
  return {subject, running, processIds: servers.flatMap(id => [id, ...findChildren(id)]), samples: []};
}

async function measure({running: {url}, processIds}: Row, {generator, seconds}: PluginsPlan): Promise<PluginSample> {
  const beforeMs = readProcessorTimeMs(processIds);
  const load = {url, seconds, connections: COMPARED_CONNECTIONS, requests: [ROUTE], keys: {first: 0, count: 1}};
  const result = await generator.run(load);
  const usedMs = readProcessorTimeMs(processIds) - beforeMs;
  return {...result, serverMicroseconds: (usedMs * 1000) / result.requests};
}
