import type {Timers} from '../../../domain/timers.ts';
import {isEngineFailure} from '../engine/driver.ts';
import {HEAD_KEY} from '../engine/engine-keys.ts';
import {decodeHead} from '../engine/head.ts';
import {CallError, type EtcdAddress, EtcdClient} from './etcd-client.ts';
import {openEtcdDriver} from './etcd-driver.ts';
import type {StatusResponse} from './etcd-messages.ts';
import {DEFAULT_QUOTA_BYTES} from './etcd-space.ts';

/** A member that was inspected. */
export interface InspectedMember {
  readonly member: string;
  /** Undefined if it did not answer. */
  readonly status: (StatusResponse & {readonly quotaBytes: number}) | undefined;
  readonly problem: string | undefined;
  /** Shortest time of some requests, in milliseconds. */
  readonly latencyMs: number;
}

/** State of etcd, and of the store in it. */
export interface InspectedEtcd {
  readonly members: readonly InspectedMember[];
  /** Undefined if there is none yet, or it cannot be read. */
  readonly store: {readonly id: string; readonly revision: number; readonly clockMs: number} | undefined;
  /** The reason why the store cannot be read. */
  readonly problem: string | undefined;
}

/** Number of requests whose latency is measured. */
const REQUESTS = 5;

/** Inspects each member, and the head of the store. Changes nothing. */
export async function inspectEtcd(
  address: EtcdAddress & {readonly prefix: string; readonly quotaBytes: number | undefined},
  timers: Timers,
): Promise<InspectedEtcd> {
  try {
    const client = await EtcdClient.create(address);
    try {
      const members = await Promise.all(address.members.map((_, index) => inspectMember(client, index, address)));
      return {members, ...(await readStore(address, timers))};
    } finally {
      client.close();
    }
  } catch (error) {
    if (!isEngineFailure(error)) throw error;
    return {members: [], store: undefined, problem: error.message};
  }
}

async function inspectMember(
  client: EtcdClient,
  index: number,
  {members, quotaBytes = DEFAULT_QUOTA_BYTES}: EtcdAddress & {readonly quotaBytes?: number | undefined},
): Promise<InspectedMember> {
  const member = members[index] ?? '';
  let latencyMs = Infinity;
  try {
    for (let request = 1; ; request++) {
      const startMs = performance.now();
      const status = await client.call<StatusResponse>('Maintenance/Status', {}, index);
      latencyMs = Math.min(latencyMs, performance.now() - startMs);
      if (request < REQUESTS) continue;
      return {member, status: {...status, quotaBytes: status.dbSizeQuota || quotaBytes}, problem: undefined, latencyMs};
    }
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return {member, status: undefined, problem: error.message, latencyMs};
  }
}

async function readStore(
  address: EtcdAddress & {readonly prefix: string},
  timers: Timers,
): Promise<Pick<InspectedEtcd, 'store' | 'problem'>> {
  try {
    await using driver = await openEtcdDriver({...address, timers});
    const [found] = await driver.read([HEAD_KEY]);
    const head = found && decodeHead(found)?.head;
    if (found !== undefined && head === undefined) return {store: undefined, problem: 'the prefix has other data'};
    return {
      store: head && {id: head.id, revision: head.end.revision, clockMs: head.clockMs},
      problem: undefined,
    };
  } catch (error) {
    if (!isEngineFailure(error)) throw error;
    return {store: undefined, problem: error.message};
  }
}
