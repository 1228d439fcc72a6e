import type {Log} from '../../../domain/log.ts';
import {EngineFailure} from '../engine/driver.ts';
import {assertVersion} from './assert-version.ts';
import type {EtcdAddress} from './etcd-client.ts';
import {readVersion} from './member-facts.ts';

/** Difference of clocks up to which a service starts, in milliseconds. */
export const CLOCK_DIFFERENCE_MS_MAX = 5000;

/**
 * Asserts that etcd is not too old, and that the clock of this machine is not far ahead of that of every member: the store follows the
 * clock that is ahead, so entries would expire early on all machines. Members that do not report them are not judged.
 *
 * @throws {EngineFailure} `denied`.
 */
export async function assertMembers(
  {members, tls}: EtcdAddress,
  {nowMs, log}: {readonly nowMs: () => number; readonly log: Log},
): Promise<void> {
  const leads: number[] = [];
  for (const member of members) {
    const found = await readVersion({member, tls}, nowMs);
    if (found === undefined) continue;
    if (leads.length === 0) assertVersion(found.version, log);
    if (found.aheadMs <= CLOCK_DIFFERENCE_MS_MAX) return;
    leads.push(found.aheadMs);
  }
  if (leads.length === 0) return;
  const seconds = Math.floor(Math.min(...leads) / 1000);
  const problem = `the clock of this machine is ${seconds} s ahead of etcd, so entries would expire early on all machines; set it right`;
  throw new EngineFailure('denied', problem);
}
