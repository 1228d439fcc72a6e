import {PROCESS_TIMERS} from '../../core/time/timers.ts';
import type {EtcdLocation} from '../../platform/config/store-location.ts';
import {type InspectedMember, inspectEtcd} from '../../store/shared/etcd/inspect-etcd.ts';
import {CLOCK_DIFFERENCE_MS_MAX} from '../../store/shared/etcd/member-facts.ts';
import {type Finding, NamedCheck} from './finding.ts';

const CHECK = new NamedCheck('Store');

/** Part of the quota above which a warning is due: above 80 % the service refuses to write entries. */
const QUOTA_WARNING_PART = 0.6;

/** Time for one request above which a warning is due, in milliseconds: each commit takes at least twice as long. */
const LATENCY_WARNING_MS = 50;

/** Time before the end of a certificate from which on a warning is due, in milliseconds. */
const CERTIFICATE_WARNING_MS = 14 * 24 * 60 * 60 * 1000;

/** Checks each member of etcd, all together, the certificate of this client, and the clock of the store. */
export async function checkSharedStore(
  location: EtcdLocation,
  {nowMs}: {readonly nowMs: () => number},
): Promise<readonly Finding[]> {
  const {members, voters, majorityMs, certificate, store, problem} = await inspectEtcd({
    ...location,
    timers: PROCESS_TIMERS,
    nowMs,
  });
  return [
    ...members.map(describeMember),
    ...(voters === undefined || majorityMs === undefined ? [] : [describeCluster(voters, majorityMs, members.length)]),
    ...describeClock(members),
    ...(certificate === undefined ? [] : describeCertificate(certificate, nowMs())),
    ...(problem === undefined ? [] : [CHECK.problem(problem, ACCESS_FIX)]),
    ...(store === undefined ? [] : describeStore({...store, revision: store.end.revision}, nowMs())),
  ];
}

const ACCESS_FIX =
  'Check the addresses, certificates, user and prefix of --store, the clock of this machine, and that etcd runs';

function describeMember({member, problem, facts, latencyMs}: InspectedMember): Finding {
  if (latencyMs === Infinity) return CHECK.problem(problem ?? `${member} does not answer`, ACCESS_FIX);
  if (problem !== undefined)
    return CHECK.problem(
      `${member} reports: ${problem}`,
      problem.includes('NOSPACE') ? SPACE_FIX : `Look at its log and at its space: ${SPACE_FIX}`,
    );
  if (facts === undefined)
    return CHECK.warning(
      `${member} does not report its version and its space over HTTP, so that the service cannot keep space for deletions`,
      'Serve HTTP at the address for clients: without --listen-client-http-urls',
    );
  const detail = `${member} has etcd ${facts.version} and answers in ${latencyMs.toFixed(1)} ms`;
  if (facts.usedBytes > facts.quotaBytes * QUOTA_WARNING_PART)
    return CHECK.warning(`${member} uses ${facts.usedBytes} of ${facts.quotaBytes} bytes`, SPACE_FIX);
  if (latencyMs > LATENCY_WARNING_MS) return CHECK.warning(detail, LATENCY_FIX);
  return CHECK.ok(detail);
}

const LATENCY_FIX = 'Run the service in the network of its members, and these on fast disks';

const SPACE_FIX =
  'Set --auto-compaction-retention=10m, then run "etcdctl defrag" for each member, and "etcdctl alarm disarm"';

/** Explains how durable a commit is: it is acknowledged when a majority has synced it. An even number survives no more than one less. */
function describeCluster(voters: number, majorityMs: number, named: number): Finding {
  const spare = Math.ceil(voters / 2) - 1;
  const detail =
    voters === 1
      ? 'one member: the store stops when its machine does'
      : `${voters} members, of which ${spare} may stop; a majority answers in ${majorityMs.toFixed(1)} ms`;
  if (voters === 1 || voters % 2 === 0)
    return CHECK.warning(detail, 'Run three or five members, each on a machine of its own');
  if (named < voters)
    return CHECK.warning(
      `${detail}; --store names ${named}`,
      'Name all members in --store: the service uses another one when one stops',
    );
  if (majorityMs > LATENCY_WARNING_MS) return CHECK.warning(detail, LATENCY_FIX);
  return CHECK.ok(detail);
}

/** Compares the clock of this machine with those of the members; one that agrees with any of them is right. No store opens if it is ahead. */
function describeClock(members: readonly InspectedMember[]): readonly Finding[] {
  const clocks = members.flatMap(({facts}) => facts ?? []);
  if (clocks.length === 0) return [];
  const behindMs = Math.min(...clocks.map(clock => -clock.aheadMs));
  if (behindMs <= CLOCK_DIFFERENCE_MS_MAX) return [];
  const detail = `the clock of this machine is ${Math.floor(behindMs / 1000)} s behind etcd: entries get a wrong "updatedAt"`;
  return [CHECK.warning(detail, 'Synchronise the clock of this machine with a time server')];
}

function describeCertificate(
  {file, validToMs}: {readonly file: string; readonly validToMs: number},
  nowMs: number,
): readonly Finding[] {
  if (validToMs > nowMs + CERTIFICATE_WARNING_MS) return [];
  const level = validToMs > nowMs ? 'warning' : 'problem';
  const detail = `the certificate ${file} ends at ${new Date(validToMs).toISOString()}`;
  return [
    {check: CHECK.name, level, detail, fix: 'Put a new certificate and its key in their places; no restart is needed'},
  ];
}

function describeStore(
  {clockMs, revision, id}: {clockMs: number; revision: number; id: string},
  nowMs: number,
): readonly Finding[] {
  const aheadMs = clockMs - nowMs;
  if (aheadMs > CLOCK_DIFFERENCE_MS_MAX)
    return [
      CHECK.warning(
        `its clock is ${Math.round(aheadMs / 1000)} s ahead of this machine`,
        'Synchronise the clocks of all machines that write; entries expire early until the time is reached',
      ),
    ];
  return [CHECK.ok(`id ${id}, revision ${revision}`)];
}
