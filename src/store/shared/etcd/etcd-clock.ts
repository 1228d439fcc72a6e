import {get as getPlain} from 'node:http';
import {get as getSecure} from 'node:https';
import {EngineFailure} from '../engine/driver.ts';
import {type EtcdTls, readPems} from './etcd-channels.ts';
import type {EtcdAddress} from './etcd-client.ts';

/** Difference of clocks up to which a service starts, in milliseconds. */
export const CLOCK_DIFFERENCE_MS_MAX = 5000;

/** Time after which a member is not waited for, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Precision of the time that a member names, in milliseconds: RFC 9110 section 5.6.7. */
const DATE_MS = 1000;

/** Difference between the clock of this machine and that of a member. At least this much: the way of the answer and its precision count as none. */
export interface ClockDifference {
  readonly aheadMs: number;
  readonly behindMs: number;
}

/** Reads the time of a member from the `Date` of an answer over HTTP; undefined if it gives none. */
export async function compareClocks(
  {member, tls}: {readonly member: string; readonly tls: EtcdTls | undefined},
  nowMs: () => number,
): Promise<ClockDifference | undefined> {
  const startMs = nowMs();
  const dateMs = Date.parse((await readDate(member, tls)) ?? '');
  if (Number.isNaN(dateMs)) return undefined;
  return {aheadMs: Math.max(0, startMs - dateMs - DATE_MS), behindMs: Math.max(0, dateMs - nowMs())};
}

/**
 * Asserts that the clock of this machine is not far ahead of that of every member that names its time: the store follows the clock that
 * is ahead, so entries would expire early on all machines, and never come back.
 *
 * @throws {EngineFailure} `denied`.
 */
export async function assertClock({members, tls}: EtcdAddress, nowMs: () => number): Promise<void> {
  const leads: number[] = [];
  for (const member of members) {
    const difference = await compareClocks({member, tls}, nowMs);
    if (difference === undefined) continue;
    if (difference.aheadMs <= CLOCK_DIFFERENCE_MS_MAX) return;
    leads.push(difference.aheadMs);
  }
  if (leads.length === 0) return;
  const seconds = Math.floor(Math.min(...leads) / 1000);
  const problem = `the clock of this machine is ${seconds} s ahead of etcd, so entries would expire early on all machines; set it right`;
  throw new EngineFailure('denied', problem);
}

async function readDate(member: string, tls: EtcdTls | undefined): Promise<string | undefined> {
  const [ca, cert, key] = await readPems(tls);
  return new Promise(resolve => {
    const options = {agent: false as const, signal: AbortSignal.timeout(TIMEOUT_MS)};
    const request =
      tls === undefined
        ? getPlain(`http://${member}/version`, options)
        : getSecure(`https://${member}/version`, {...options, ca, cert, key});
    request.on('error', () => resolve(undefined));
    request.on('response', response => {
      resolve(response.headers.date);
      response.destroy();
    });
  });
}
