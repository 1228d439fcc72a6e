import {spawnSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {type Crewroom, openCrewroom} from 'crewroom';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {openBareEtcd} from '../peers/bare-etcd.ts';
import {runRounds, type TimeBox} from '../time-box.ts';
import {LINK_WORK, type LongLink, measureLongLink, writeForLink} from './long-link.ts';
import {nameRound} from './throughput.ts';

/** Number of members. */
const MEMBERS = 3;

/** Number of entries that are written and read, and the size of a value, in bytes. */
const ENTRIES = 1000;
const VALUE_BYTES = 100;

/** Writers, of all services together, while services share the engine or lose its leader. */
const WRITERS = 64;

/** The compared work: what is done, and by how many callers at once. */
export const SHARED_WORK = [
  {name: 'put', callers: 1},
  {name: 'put', callers: 64},
  {name: 'get', callers: 1},
  {name: 'get', callers: 64},
] as const;

/** Numbers of services that write at the same time. */
export const SHARERS = [1, 2, 3] as const;

/** Operations per second of a plain client of etcd and of the service, one figure per round. */
export interface ComparedWork {
  readonly name: string;
  readonly callers: number;
  readonly bare: readonly number[];
  readonly service: readonly number[];
}

/** Services that write at the same time, one figure per round. */
export interface Sharing {
  readonly services: number;
  readonly putsPerSecond: readonly number[];
  /** Longest time of a put, in milliseconds. */
  readonly longestMs: readonly number[];
}

/** Results of the section. */
export interface SharedMeasured {
  readonly version: string;
  readonly work: readonly ComparedWork[];
  readonly sharing: readonly Sharing[];
  /** Longest time without a commit after the leader was killed, in milliseconds, one per round. */
  readonly leaderKilledMs: readonly number[];
  readonly longLink: LongLink;
}

/** Parameters of the section. */
export interface SharedPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

type Operation = (key: string, value: string) => Promise<unknown>;

/**
 * Measures stores in a cluster of etcd on this machine beside a plain client of etcd, in this process: both share its time.
 *
 * @returns Undefined without etcd.
 */
export async function measureShared(plan: SharedPlan): Promise<SharedMeasured | undefined> {
  const {stdout, error} = spawnSync('etcd', ['--version'], {encoding: 'utf8'});
  if (error !== undefined) {
    plan.onProgress('shared is left out: etcd is not installed');
    return undefined;
  }
  await using cluster = await EtcdCluster.start(MEMBERS);
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-bench-'));
  await using _ = {[Symbol.asyncDispose]: () => rm(directory, {recursive: true})};
  const open = async (members = cluster.addresses.join()): Promise<Crewroom> => {
    const dataDir = await mkdtemp(join(directory, 'service-'));
    return openCrewroom({store: `etcd://${members}/bench`, dataDir, port: 0});
  };
  await using service = await open();
  await writeForLink(service);
  const version = /etcd Version: (\S+)/.exec(stdout)?.[1] ?? '';
  const measured = {
    version,
    work: SHARED_WORK.map(work => ({...work, bare: [] as number[], service: [] as number[]})),
    sharing: SHARERS.map(count => ({services: count, putsPerSecond: [] as number[], longestMs: [] as number[]})),
    leaderKilledMs: [] as number[],
    longLink: LINK_WORK.map(() => [] as number[]),
  };
  await runRounds(
    {...plan, onRound: round => plan.onProgress(`shared: ${nameRound(round, plan.rounds)}`)},
    [measureWork, measureSharing, measureLeader, measureLink],
    async (measure, round) => measure({cluster, service, open, plan, measured, counts: round > 0}),
  );
  return measured;
}

interface Part {
  readonly cluster: EtcdCluster;
  readonly service: Crewroom;
  /** Opens one more service on the same store. */
  readonly open: (members?: string) => Promise<Crewroom>;
  readonly plan: SharedPlan;
  readonly measured: {
    readonly work: readonly (ComparedWork & {readonly bare: number[]; readonly service: number[]})[];
    readonly sharing: readonly (Sharing & {readonly putsPerSecond: number[]; readonly longestMs: number[]})[];
    readonly leaderKilledMs: number[];
    readonly longLink: readonly number[][];
  };
  /** False for the round that warms up. */
  readonly counts: boolean;
}

async function measureWork({cluster, service, plan, measured, counts}: Part): Promise<void> {
  using bare = openBareEtcd(cluster.addresses[cluster.findLeader()] ?? '');
  const {entries} = service;
  const operations: Readonly<Record<string, readonly [bare: Operation, service: Operation]>> = {
    put: [(key, value) => bare.put(`bare/${key}`, value), (key, value) => entries.put(key, Buffer.from(value))],
    get: [key => bare.get(`bare/${key}`), key => entries.get(key)],
  };
  for (const work of measured.work) {
    for (const [index, operation] of (operations[work.name] ?? []).entries()) {
      const {rate} = await load([operation], work.callers, plan.seconds);
      if (counts) (index === 0 ? work.bare : work.service).push(rate);
    }
  }
}

async function measureSharing({service, open, plan, measured, counts}: Part): Promise<void> {
  const services = [service];
  try {
    for (const sharing of measured.sharing) {
      while (services.length < sharing.services) services.push(await open());
      const puts = services.map(
        ({entries}): Operation =>
          (key, value) =>
            entries.put(key, Buffer.from(value)),
      );
      const {rate, longestMs} = await load(puts, WRITERS, plan.seconds);
      if (!counts) continue;
      sharing.putsPerSecond.push(rate);
      sharing.longestMs.push(longestMs);
    }
  } finally {
    // Only here: each service follows what the others write.
    for (const other of services.slice(1)) await other[Symbol.asyncDispose]();
  }
}

/** Kills the leader under writers, and starts it again. */
async function measureLeader({cluster, service, measured, counts}: Part): Promise<void> {
  const {entries} = service;
  let lastMs = performance.now();
  let longestMs = 0;
  let isOver = false;
  const writers = Array.from({length: WRITERS}, async (_, writer) => {
    for (let count = 0; !isOver; count++) {
      await entries.put(`leader/${writer}`, Buffer.from(`${count}`)).catch(() => undefined);
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    }
  });
  await cluster.kill(cluster.findLeader());
  longestMs = 0;
  lastMs = performance.now();
  const endMs = lastMs + LEADER_MS;
  while (performance.now() < endMs) await new Promise(resolve => setTimeout(resolve, 20));
  isOver = true;
  await Promise.all(writers);
  await cluster.startAgain();
  if (counts) measured.leaderKilledMs.push(longestMs);
}

async function measureLink({cluster, open, measured, counts}: Part): Promise<void> {
  const times = await measureLongLink(cluster.addresses[cluster.findLeader()] ?? '', open);
  if (counts) for (const [index, time] of times.entries()) measured.longLink[index]?.push(time);
}

/** Time for which writers are observed after the leader was killed, in milliseconds. */
const LEADER_MS = 6000;

interface LoadResult {
  /** Operations per second. */
  readonly rate: number;
  /** Longest time of one, in milliseconds. */
  readonly longestMs: number;
}

/** Calls operations, one caller after the other of each, for some seconds. */
async function load(operations: readonly Operation[], callers: number, seconds: number): Promise<LoadResult> {
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  let done = 0;
  let longestMs = 0;
  await Promise.all(
    Array.from({length: callers}, async (_, caller) => {
      const operation = operations[caller % operations.length] as Operation;
      for (let count = caller; ; count += callers) {
        const beforeMs = performance.now();
        if (beforeMs >= endMs) return;
        await operation(`key ${count % ENTRIES}`, `"${String(count).padEnd(VALUE_BYTES - 2, '.')}"`);
        done++;
        longestMs = Math.max(longestMs, performance.now() - beforeMs);
      }
    }),
  );
  return {rate: done / ((performance.now() - startMs) / 1000), longestMs};
}
