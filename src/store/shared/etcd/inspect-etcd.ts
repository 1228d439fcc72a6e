import {X509Certificate} from 'node:crypto';
import {FailureError} from '../../../failures/failure-error.ts';
import type {Timers} from '../../../time/timers.ts';
import {isEngineFailure} from '../engine/driver.ts';
import {HEAD_KEY} from '../engine/engine-keys.ts';
import {headIn} from '../engine/head.ts';
import {readText} from './etcd-channels.ts';
import {CallError, type EtcdAddress, EtcdClient} from './etcd-client.ts';
import {openEtcdDriver} from './etcd-driver.ts';
import type {MemberListResponse, RangeRequest} from './etcd-messages.ts';
import {type MemberSpace, type MemberVersion, readMemberProblem, readSpace, readVersion} from './member-facts.ts';

/** A member that was inspected. */
export interface InspectedMember {
  readonly member: string;
  /** Undefined if it did not answer, or does not report it. */
  readonly version: MemberVersion | undefined;
  readonly space: MemberSpace | undefined;
  /** The reason why it did not answer, or what it reports. */
  readonly problem: string | undefined;
  /** Shortest time of some requests, in milliseconds; `Infinity` if it did not answer. */
  readonly latencyMs: number;
}

/** The members that decide together. */
export interface InspectedCluster {
  readonly voters: number;
  /** Shortest time of some reads that a majority confirmed, in milliseconds. */
  readonly majorityMs: number;
}

/** State of etcd, and of the store in it. */
export interface InspectedEtcd {
  readonly members: readonly InspectedMember[];
  /** Undefined if there is no majority, or this user may not ask. */
  readonly cluster: InspectedCluster | undefined;
  /** End of the certificate of this client; undefined without one. */
  readonly certificate: {readonly file: string; readonly validToMs: number} | undefined;
  /** Undefined if there is none yet, or it cannot be read. */
  readonly store: {readonly id: string; readonly revision: number; readonly clockMs: number} | undefined;
  /** The reason why the store cannot be read. */
  readonly problem: string | undefined;
}

/** Number of requests whose latency is measured. */
const REQUESTS = 5;

/** Inspects each member, and the head of the store. Changes nothing. */
export async function inspectEtcd(
  address: EtcdAddress & {readonly prefix: string},
  {timers, nowMs}: {readonly timers: Timers; readonly nowMs: () => number},
): Promise<InspectedEtcd> {
  try {
    const client = await EtcdClient.create(address);
    try {
      const members = await Promise.all(
        address.members.map((_, index) => inspectMember(client, index, {...address, nowMs})),
      );
      const cluster = await inspectCluster(client, address.prefix);
      const certificate = await readCertificate(address.tls?.cert);
      return {members, cluster, certificate, ...(await readStore(address, timers))};
    } finally {
      client.close();
    }
  } catch (error) {
    if (!isEngineFailure(error)) throw error;
    return {members: [], cluster: undefined, certificate: undefined, store: undefined, problem: error.message};
  }
}

async function inspectMember(
  client: EtcdClient,
  index: number,
  {members, tls, prefix, nowMs}: EtcdAddress & {readonly prefix: string; readonly nowMs: () => number},
): Promise<InspectedMember> {
  const address = {member: members[index] ?? '', tls};
  const [version, space, problem] = await Promise.all([
    readVersion(address, nowMs),
    readSpace(address),
    readMemberProblem(address),
  ]);
  try {
    const request: RangeRequest = {key: Buffer.from(prefix + HEAD_KEY), keysOnly: true, serializable: true};
    const {latencyMs} = await measure(() => client.call('KV/Range', request, {member: index}));
    return {...address, version, space, problem, latencyMs};
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return {...address, version, space, problem: error.message, latencyMs: Infinity};
  }
}

async function measure<T>(call: () => Promise<T>): Promise<{readonly response: T; readonly latencyMs: number}> {
  let latencyMs = Infinity;
  for (let request = 1; ; request++) {
    const startMs = performance.now();
    const response = await call();
    latencyMs = Math.min(latencyMs, performance.now() - startMs);
    if (request === REQUESTS) return {response, latencyMs};
  }
}

async function inspectCluster(client: EtcdClient, prefix: string): Promise<InspectedCluster | undefined> {
  try {
    const {members} = await client.call<MemberListResponse>('Cluster/MemberList', {});
    const key = Buffer.from(prefix + HEAD_KEY);
    const {latencyMs: majorityMs} = await measure(() => client.call('KV/Range', {key} satisfies RangeRequest));
    return {voters: members.filter(({isLearner}) => !isLearner).length, majorityMs};
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return undefined;
  }
}

async function readCertificate(file: string | undefined): Promise<InspectedEtcd['certificate']> {
  if (file === undefined) return undefined;
  return {file, validToMs: Date.parse(new X509Certificate(await readText(file)).validTo)};
}

async function readStore(
  address: EtcdAddress & {readonly prefix: string},
  timers: Timers,
): Promise<Pick<InspectedEtcd, 'store' | 'problem'>> {
  try {
    await using driver = await openEtcdDriver({...address, timers});
    const head = headIn(await driver.read([{from: HEAD_KEY}]))?.head;
    return {
      store: head && {id: head.id, revision: head.end.revision, clockMs: head.clockMs},
      problem: undefined,
    };
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === 'store-unavailable')
      return {store: undefined, problem: error.failure.problem};
    if (!isEngineFailure(error)) throw error;
    return {store: undefined, problem: error.message};
  }
}
