import type {EtcdLocation} from '../config/store-location.ts';
import {PROCESS_TIMERS} from '../identity/process-timers.ts';
import {judgeVersion, OLD_VERSION_ADVICE} from '../store/shared/etcd/assert-version.ts';
import {type InspectedMember, inspectEtcd} from '../store/shared/etcd/inspect-etcd.ts';
import type {Finding} from './finding.ts';

const CHECK = 'Store';

/** Part of the quota above which a warning is due: above 80 % the service refuses to write entries. */
const QUOTA_WARNING_PART = 0.6;

/** Time for one request above which a warning is due, in milliseconds: each commit takes at least twice as long. */
const LATENCY_WARNING_MS = 50;

/** Difference of clocks above which a warning is due, in milliseconds. */
const CLOCK_WARNING_MS = 5000;

/** Checks each member of etcd, and the clock of the store in it. */
export async function checkSharedStore(
  location: EtcdLocation,
  {nowMs}: {readonly nowMs: () => number},
): Promise<readonly Finding[]> {
  const {members, store, problem} = await inspectEtcd(location, PROCESS_TIMERS);
  return [
    ...members.map(describeMember),
    ...describeNumber(members.length),
    ...(problem === undefined ? [] : [{check: CHECK, level: 'problem', detail: problem, fix: ACCESS_FIX} as const]),
    ...(store === undefined ? [] : describeStore(store, nowMs())),
  ];
}

const ACCESS_FIX = 'Check the addresses, certificates, user and prefix of --store, and that etcd runs';

function describeMember({member, problem, status, latencyMs}: InspectedMember): Finding {
  if (status === undefined)
    return {check: CHECK, level: 'problem', detail: problem ?? `${member} does not answer`, fix: ACCESS_FIX};
  const {version, errors} = status;
  const verdict = judgeVersion(version);
  const detail = `${member} has etcd ${version} and answers in ${latencyMs.toFixed(1)} ms`;
  if (errors.length > 0)
    return {check: CHECK, level: 'problem', detail: `${member} reports: ${errors.join('; ')}`, fix: SPACE_FIX};
  if (verdict === 'refused') return {check: CHECK, level: 'problem', detail, fix: 'Use etcd 3.6 or later'};
  if (status.dbSize > status.quotaBytes * QUOTA_WARNING_PART)
    return {
      check: CHECK,
      level: 'warning',
      detail: `${member} uses ${status.dbSize} of ${status.quotaBytes} bytes`,
      fix: SPACE_FIX,
    };
  if (latencyMs > LATENCY_WARNING_MS)
    return {
      check: CHECK,
      level: 'warning',
      detail,
      fix: 'Run the service in the network of its members, and these on fast disks',
    };
  if (verdict === 'old') return {check: CHECK, level: 'warning', detail, fix: OLD_VERSION_ADVICE};
  return {check: CHECK, level: 'ok', detail};
}

const SPACE_FIX =
  'Set --auto-compaction-retention=10m, then run "etcdctl defrag" for each member, and "etcdctl alarm disarm"';

/** An even number survives no more losses than one member less. Without members another finding has the reason. */
function describeNumber(count: number): readonly Finding[] {
  if (count === 0 || (count > 1 && count % 2 === 1)) return [];
  const detail = count === 1 ? 'one member: the store stops when its machine does' : `${count} members`;
  return [{check: CHECK, level: 'warning', detail, fix: 'Name three or five members, each on a machine of its own'}];
}

function describeStore(
  {clockMs, revision, id}: {clockMs: number; revision: number; id: string},
  nowMs: number,
): readonly Finding[] {
  const aheadMs = clockMs - nowMs;
  if (aheadMs > CLOCK_WARNING_MS)
    return [
      {
        check: CHECK,
        level: 'warning',
        detail: `its clock is ${Math.round(aheadMs / 1000)} s ahead of this machine`,
        fix: 'Synchronise the clocks of all machines that write; entries expire early until the time is reached',
      },
    ];
  return [{check: CHECK, level: 'ok', detail: `id ${id}, revision ${revision}`}];
}
