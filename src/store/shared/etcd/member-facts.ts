import {get as getPlain} from 'node:http';
import {get as getSecure} from 'node:https';
import {text} from 'node:stream/consumers';
import {type EtcdTls, readPems} from './etcd-channels.ts';
import type {EtcdAddress} from './etcd-client.ts';

/**
 * Facts that a member reports to every client, over HTTP at its address. Its version and size are in `Maintenance/Status` too, which etcd from
 * 3.5.30 on refuses to users without the role `root`.
 */

/** A member, and how it is reached. */
export interface MemberAddress {
  /** Host and port. */
  readonly member: string;
  /** Undefined without TLS. */
  readonly tls: EtcdTls | undefined;
}

/** Version of a member, and the difference between its clock and that of this machine. */
export interface MemberVersion {
  /** Such as `3.5.16`. */
  readonly version: string;
  /** Time by which the clock of this machine is ahead, in milliseconds: at least so much. */
  readonly aheadMs: number;
  /** Time by which it is behind, likewise. */
  readonly behindMs: number;
}

/** Space of a member, in bytes. */
export interface MemberSpace {
  /** Size of its database, also of space that compaction has freed. */
  readonly usedBytes: number;
  /** Limit of that size. */
  readonly quotaBytes: number;
}

/** Time after which a member is not waited for, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Precision of the time that a member names, in milliseconds: RFC 9110 section 5.6.7. */
const DATE_MS = 1000;

/** Largest answer that is read, in bytes: ten times the metrics of etcd. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

const VERSION = /"etcdserver":"([^"]{1,50})"/;
const USED = /^etcd_mvcc_db_total_size_in_bytes (\S+)$/m;
const QUOTA = /^etcd_server_quota_backend_bytes (\S+)$/m;
const LEADS = /^etcd_server_is_leader 1$/m;
const REASON = /"reason":"([^"]{1,200})"/;

/** Reads the version and the clock of a member; undefined if it does not report them. @throws {EngineFailure} `denied` if a file cannot be read. */
export async function readVersion(address: MemberAddress, nowMs: () => number): Promise<MemberVersion | undefined> {
  const startMs = nowMs();
  const answer = await read(address, '/version');
  const [, version] = VERSION.exec(answer?.body ?? '') ?? [];
  if (answer === undefined || version === undefined) return undefined;
  const dateMs = Date.parse(answer.date);
  // A second is as long as the time that is named, which is rounded down.
  const aheadMs = Math.max(0, startMs - dateMs - DATE_MS) || 0;
  return {version, aheadMs, behindMs: Math.max(0, dateMs - nowMs()) || 0};
}

/** Reads the space of a member; undefined if it does not report them. @throws {EngineFailure} `denied` if a file cannot be read. */
export async function readSpace(address: MemberAddress): Promise<MemberSpace | undefined> {
  const body = (await read(address, '/metrics'))?.body ?? '';
  const [usedBytes, quotaBytes] = [USED, QUOTA].map(pattern => Number(pattern.exec(body)?.[1])) as [number, number];
  return usedBytes >= 0 && quotaBytes > 0 ? {usedBytes, quotaBytes} : undefined;
}

/**
 * Returns members in the order in which to use them: begins with the leader, which the others pass all writes and reads on to. Waits
 * for no member once the leader has answered. If none says that it is the leader, the order is the given one.
 */
export async function leaderFirst({members, tls}: Pick<EtcdAddress, 'members' | 'tls'>): Promise<readonly string[]> {
  if (members.length === 1) return members;
  const asked = members.map(async (member, index) => {
    const answer = await read({member, tls}, '/metrics');
    if (LEADS.test(answer?.body ?? '')) return index;
    throw new Error('it is not the leader');
  });
  const first = await Promise.any(asked).catch(() => 0);
  return [...members.slice(first), ...members.slice(0, first)];
}

/** Reads the problem that a member reports, such as `ALARM NOSPACE`; undefined if it is healthy, or does not report it. */
export async function readMemberProblem(address: MemberAddress): Promise<string | undefined> {
  const body = (await read(address, '/health'))?.body ?? '';
  if (!body.includes('"health":"false"')) return undefined;
  return REASON.exec(body)?.[1] ?? 'it is not healthy';
}

async function read({member, tls}: MemberAddress, path: string): Promise<{date: string; body: string} | undefined> {
  const [ca, cert, key] = await readPems(tls);
  const options = {agent: false as const, signal: AbortSignal.timeout(TIMEOUT_MS)};
  return new Promise(resolve => {
    try {
      const request =
        tls === undefined
          ? getPlain(`http://${member}${path}`, options)
          : getSecure(`https://${member}${path}`, {...options, ca, cert, key});
      request.on('error', () => resolve(undefined));
      request.on('response', response => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > ANSWER_BYTES_MAX) request.destroy();
        });
        text(response).then(
          body => resolve({date: response.headers.date ?? '', body}),
          () => resolve(undefined),
        );
      });
    } catch {
      // A certificate without its key, such as one of two files that are just being replaced. The driver names such a problem.
      resolve(undefined);
    }
  });
}
