import {get as getPlain} from 'node:http';
import {get as getSecure} from 'node:https';
import {text} from 'node:stream/consumers';
import {EngineFailure} from '../engine/driver.ts';
import {type EtcdAddress, readPems} from './etcd-client.ts';

/**
 * Facts that a member reports to every client, over HTTP at its address. `Maintenance/Status` has them too, but etcd from 3.5.30 on refuses
 * it to users without the role `root`.
 */
export interface MemberFacts {
  /** Its host and port. */
  readonly member: string;
  /** Such as `3.5.16`. */
  readonly version: string;
  /** Size of its database, also of space that compaction has freed, and the limit of that size, in bytes. */
  readonly usedBytes: number;
  readonly quotaBytes: number;
  readonly isLeader: boolean;
  /** Time by which the clock of this machine is ahead of that of the member, or behind it, in milliseconds: at least so much. */
  readonly aheadMs: number;
  readonly behindMs: number;
}

/** Oldest version that is accepted, with which the tests run. */
const OLDEST = '3.4.23';

/** Difference of clocks up to which a service starts, in milliseconds. */
export const CLOCK_DIFFERENCE_MS_MAX = 5000;

/** Time after which a member is not waited for, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Precision of the time that a member names, in milliseconds: RFC 9110 section 5.6.7. */
const DATE_MS = 1000;

/** Largest answer that is read, in bytes: ten times the metrics of etcd. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

type Tls = Pick<EtcdAddress, 'tls'>;

/** Reads the facts of a member; undefined if it does not report them. @throws {EngineFailure} `denied` if a file cannot be read. */
export async function readMember(member: string, tls: Tls, nowMs = Date.now): Promise<MemberFacts | undefined> {
  const startMs = nowMs();
  const {body, date} = (await read(`${member}/metrics`, tls)) ?? {body: '', date: ''};
  const figureOf = (name: RegExp): string => name.exec(body)?.[1] ?? '';
  const version = figureOf(/^etcd_server_version\{server_version="([^"]{1,50})"\} 1$/m);
  const usedBytes = Number(figureOf(/^etcd_mvcc_db_total_size_in_bytes (\S+)$/m) || Number.NaN);
  const quotaBytes = Number(figureOf(/^etcd_server_quota_backend_bytes (\S+)$/m));
  if (version === '' || !(usedBytes >= 0 && quotaBytes > 0)) return undefined;
  const dateMs = Date.parse(date);
  // A second is as long as the time that is named, which is rounded down.
  const aheadMs = Math.max(0, startMs - dateMs - DATE_MS) || 0;
  const isLeader = figureOf(/^etcd_server_is_leader (\S+)$/m) === '1';
  return {member, version, usedBytes, quotaBytes, isLeader, aheadMs, behindMs: Math.max(0, dateMs - nowMs()) || 0};
}

/** Reads the problem that a member reports, such as `ALARM NOSPACE`; undefined if it is healthy, or does not report it. */
export async function readProblem(member: string, tls: Tls): Promise<string | undefined> {
  const body = (await read(`${member}/health`, tls))?.body ?? '';
  if (!body.includes('"health":"false"')) return undefined;
  return /"reason":"([^"]{1,200})"/.exec(body)?.[1] ?? 'it is not healthy';
}

/** Returns why a version is refused; undefined if it is not. One that cannot be read is. */
export function findVersionProblem(version: string): string | undefined {
  const isRead = /^\d+\.\d+\.\d+/.test(version);
  if (isRead && version.localeCompare(OLDEST, 'en', {numeric: true}) >= 0) return undefined;
  return `etcd ${version} is too old: the tests ran with ${OLDEST}, and its developers support the last two minor versions`;
}

/** Reads the facts of members, until a leader has reported some that are accepted: others may not answer at all. */
export async function readMembers(address: EtcdAddress, nowMs = Date.now): Promise<readonly MemberFacts[]> {
  const found: MemberFacts[] = [];
  await new Promise<void>((resolve, reject) => {
    const readFacts = async (member: string): Promise<void> => {
      const facts = await readMember(member, address, nowMs);
      if (facts === undefined) return;
      found.push(facts);
      if (facts.isLeader && findProblem([facts]) === undefined) resolve();
    };
    Promise.all(address.members.map(readFacts)).then(() => resolve(), reject);
  });
  return [...found];
}

/**
 * Asserts that etcd is not too old, and that the clock of this machine is not far ahead of that of every member: the store follows the
 * clock that is ahead, so entries would expire early on all machines. Members that do not report them, or only after the leader has, are not judged.
 *
 * @throws {EngineFailure} `denied`.
 */
export function assertMembers(members: readonly MemberFacts[]): void {
  const problem = findProblem(members);
  if (problem !== undefined) throw new EngineFailure('denied', problem);
}

function findProblem(members: readonly MemberFacts[]): string | undefined {
  const aheadMs = Math.min(...members.map(facts => facts.aheadMs));
  const clockProblem = `the clock of this machine is ${Math.floor(aheadMs / 1000)} s ahead of etcd, so entries would expire early on all machines; set it right`;
  const isAhead = members.length > 0 && aheadMs > CLOCK_DIFFERENCE_MS_MAX;
  const problem = members.map(({version}) => findVersionProblem(version)).find(each => each !== undefined);
  return problem ?? (isAhead ? clockProblem : undefined);
}

async function read(
  url: string,
  {tls}: Pick<EtcdAddress, 'tls'>,
): Promise<{readonly date: string; readonly body: string} | undefined> {
  const [ca, cert, key] = await readPems({tls});
  const options = {agent: false as const, signal: AbortSignal.timeout(TIMEOUT_MS)};
  return new Promise(resolve => {
    try {
      const request =
        tls === undefined
          ? getPlain(`http://${url}`, options)
          : getSecure(`https://${url}`, {...options, ca, cert, key});
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
