import {X509Certificate} from 'node:crypto';
import {SILENT_LOG} from '../../../core/domain/log.ts';
import {FailureError} from '../../../core/failures/failure-error.ts';
import type {Timers} from '../../../core/time/timers.ts';
import {EngineFailure, isEngineFailure} from '../engine/driver.ts';
import {HEAD_KEY} from '../engine/engine-keys.ts';
import {type Head, headIn} from '../engine/head.ts';
import {type EtcdAddress, EtcdClient, readText} from './etcd-client.ts';
import {openEtcdDriver} from './etcd-driver.ts';
import {type MemberFacts, readMember, readProblem} from './member-facts.ts';

/** A member that was inspected. */
export interface InspectedMember {
  readonly member: string;
  /** Undefined if it did not answer, or does not report them. */
  readonly facts: MemberFacts | undefined;
  /** The reason why it did not answer, or what it reports. */
  readonly problem: string | undefined;
  /** Shortest time of some requests, in milliseconds; `Infinity` if it did not answer. */
  readonly latencyMs: number;
}

/** State of etcd, and of the store in it. */
export interface InspectedEtcd {
  readonly members: readonly InspectedMember[];
  /** Number of the members that decide together; undefined if there is no majority, or this user may not ask. */
  readonly voters?: number | undefined;
  /** Shortest time of some reads that a majority confirmed, in milliseconds. */
  readonly majorityMs?: number | undefined;
  /** End of the certificate of this client; undefined without one. */
  readonly certificate?: {readonly file: string; readonly validToMs: number} | undefined;
  /** Undefined if there is none yet, or it cannot be read. */
  readonly store?: Head | undefined;
  /** The reason why the store cannot be read. */
  readonly problem?: string | undefined;
}

/** The store to inspect, and the clock of this machine. */
export interface InspectOptions extends EtcdAddress {
  readonly prefix: string;
  readonly timers: Timers;
  readonly nowMs: () => number;
}

/** Number of requests whose latency is measured. */
const REQUESTS = 5;

/** Inspects each member, and the head of the store. Changes nothing. */
export async function inspectEtcd(options: InspectOptions): Promise<InspectedEtcd> {
  try {
    using client = await EtcdClient.create(options);
    const members = await Promise.all(options.members.map((_, index) => inspectMember(client, index, options)));
    const file = options.tls?.cert;
    const certificate = file && {file, validToMs: Date.parse(new X509Certificate(await readText(file)).validTo)};
    const found = {members, certificate: certificate || undefined, voters: await countVoters(client)};
    return {...found, ...(await inspectStore(options))};
  } catch (error) {
    if (!isEngineFailure(error)) throw error;
    return {members: [], problem: error.message};
  }
}

async function inspectMember(client: EtcdClient, index: number, options: InspectOptions): Promise<InspectedMember> {
  const member = options.members[index] ?? '';
  const reports = [readMember(member, options, options.nowMs), readProblem(member, options)] as const;
  const request = {key: Buffer.from(options.prefix + HEAD_KEY), keysOnly: true, serializable: true};
  const latency = measure(() => client.call('KV/Range', request, {member: index})).catch(ifFailed);
  const [reported, problem, latencyMs] = await Promise.all([...reports, latency]);
  const facts = typeof reported === 'string' ? undefined : reported;
  if (latencyMs instanceof EngineFailure) return {member, facts, problem: latencyMs.message, latencyMs: Infinity};
  return {member, facts, problem, latencyMs};
}

async function countVoters(client: EtcdClient): Promise<number | undefined> {
  const answer = await client.call('Cluster/MemberList', {}).catch(ifFailed);
  return answer instanceof EngineFailure ? undefined : answer.members.filter(({isLearner}) => !isLearner).length;
}

function ifFailed(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  throw error;
}

async function inspectStore(options: InspectOptions): Promise<Pick<InspectedEtcd, 'majorityMs' | 'store' | 'problem'>> {
  let majorityMs: number | undefined;
  try {
    await using driver = await openEtcdDriver({...options, log: SILENT_LOG});
    const read = () => driver.read([{from: HEAD_KEY}]);
    majorityMs = await measure(read);
    return {majorityMs, store: headIn(await read())?.head};
  } catch (error) {
    const failure = error instanceof FailureError ? error.failure : undefined;
    if (failure?.code === 'unavailable') return {majorityMs, problem: failure.problem};
    if (isEngineFailure(error)) return {problem: error.message};
    throw error;
  }
}

async function measure(call: () => Promise<unknown>): Promise<number> {
  let latencyMs = Infinity;
  for (let request = 1; request <= REQUESTS; request++) {
    const startMs = performance.now();
    await call();
    latencyMs = Math.min(latencyMs, performance.now() - startMs);
  }
  return latencyMs;
}
