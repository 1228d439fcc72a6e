import {once} from 'node:events';
import {get as getPlain, type IncomingMessage} from 'node:http';
import {get as getSecure} from 'node:https';
import type {Log} from '../../../core/domain/log.ts';
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
  /** Time by which the clock of this machine is at least ahead of that of the member, in milliseconds; negative if it is behind. */
  readonly aheadMs: number;
  /** Its time, rounded down to seconds, in milliseconds since the Unix epoch; NaN if it names none. */
  readonly dateMs: number;
}

/** Oldest version that is accepted, with which the tests run, and that of 3.5: before it a read could end etcd, and failed beyond the quota. */
const OLDEST = '3.4.23';
const OLDEST_OF_3_5 = '3.5.7';

/** Difference of clocks up to which a service starts, in milliseconds. */
export const CLOCK_DIFFERENCE_MS_MAX = 5000;

/** Time after which a member is not waited for, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Precision of the time that a member names, in milliseconds: RFC 9110 section 5.6.7. */
const DATE_MS = 1000;

/** Time after which what members said about the time is no longer used, in milliseconds: they may not report it any more. */
const TIME_KNOWN_MS = 180_000;

/** Largest answer that is read, in bytes: ten times the metrics of etcd. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

/** The problem of a member that gives no reason: etcd 3.4 never does. */
const NO_REASON = 'it is not healthy';

type Tls = Pick<EtcdAddress, 'tls'>;

/**
 * Reads the facts of a member.
 *
 * @returns `silent` if it does not answer; `unreported` if its answer does not have them.
 * @throws {EngineFailure} `denied` if a file cannot be read.
 */
export async function readMember(
  member: string,
  tls: Tls,
  nowMs = Date.now,
): Promise<MemberFacts | 'silent' | 'unreported'> {
  const startMs = nowMs();
  const answer = await read(`${member}/metrics`, tls);
  if (answer === undefined) return 'silent';
  const {body, date} = answer;
  const figureOf = (name: RegExp): string => name.exec(body)?.[1] ?? '';
  const version = figureOf(/^etcd_server_version\{server_version="([^"]{1,50})"\} 1$/m);
  const usedBytes = Number(figureOf(/^etcd_mvcc_db_total_size_in_bytes (\S+)$/m) || Number.NaN);
  const quotaBytes = Number(figureOf(/^etcd_server_quota_backend_bytes (\S+)$/m));
  if (version === '' || !(usedBytes >= 0 && quotaBytes > 0)) return 'unreported';
  const dateMs = Date.parse(date);
  // A second is as long as the time that is named, which is rounded down. At most one of both is not 0; it is NaN without a date.
  const aheadMs = Math.max(0, startMs - dateMs - DATE_MS) + Math.min(0, nowMs() - dateMs) || 0;
  const isLeader = figureOf(/^etcd_server_is_leader (\S+)$/m) === '1';
  return {member, version, usedBytes, quotaBytes, isLeader, aheadMs, dateMs};
}

/** Reads the problem that a member reports, such as `ALARM NOSPACE`; undefined if it is healthy, or reports none. */
export async function readProblem(member: string, tls: Tls): Promise<string | undefined> {
  const body = (await read(`${member}/health`, tls))?.body ?? '';
  if (!body.includes('"health":"false"')) return undefined;
  return /"reason":"([^"]{1,200})"/.exec(body)?.[1] ?? NO_REASON;
}

/** Reads the facts of members, until a leader has reported some that are accepted: others may not answer at all. */
export async function readMembers(address: EtcdAddress, nowMs = Date.now): Promise<readonly MemberFacts[]> {
  const found: MemberFacts[] = [];
  await new Promise<void>((resolve, reject) => {
    const readFacts = async (member: string): Promise<void> => {
      const facts = await readMember(member, address, nowMs);
      if (typeof facts === 'string') return;
      found.push(facts);
      if (facts.isLeader && findProblem([facts]) === undefined) resolve();
    };
    Promise.all(address.members.map(readFacts)).then(() => resolve(), reject);
  });
  return [...found];
}

/**
 * Finds the reason why a store is not opened: etcd is too old, or has a version that cannot be read, or the clock of this machine is far ahead
 * of that of every member: the store follows the clock that is ahead, so entries would expire early on all machines. Members that do not
 * report them, or only after the leader has, are not judged.
 */
export function findProblem(members: readonly MemberFacts[]): string | undefined {
  const oldestFor = (version: string): string => (version.startsWith('3.5.') ? OLDEST_OF_3_5 : OLDEST);
  const isOld = ({version}: MemberFacts): boolean =>
    !/^\d+\.\d+\.\d+/.test(version) || version.localeCompare(oldestFor(version), 'en', {numeric: true}) < 0;
  const old = members.find(isOld)?.version;
  if (old !== undefined)
    return `etcd ${old} is too old: at least ${oldestFor(old)} is needed, and its developers support the last two minor versions`;
  const aheadMs = members.reduce((least, facts) => Math.min(least, facts.aheadMs), Infinity);
  if (aheadMs === Infinity || aheadMs <= CLOCK_DIFFERENCE_MS_MAX) return undefined;
  return `the clock of this machine is ${Math.floor(aheadMs / 1000)} s ahead of etcd, so entries would expire early on all machines; set it right`;
}

async function read(url: string, {tls}: Tls): Promise<{readonly date: string; readonly body: string} | undefined> {
  const [ca, cert, key] = await readPems({tls});
  const options = {agent: false as const, signal: AbortSignal.timeout(TIMEOUT_MS), ca, cert, key};
  try {
    const request = tls === undefined ? getPlain(`http://${url}`, options) : getSecure(`https://${url}`, options);
    // It may also fail after its response has begun, which the loop below notices.
    request.on('error', () => {});
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let body = '';
    for await (const text of response.setEncoding('utf8')) {
      body += text;
      if (body.length > ANSWER_BYTES_MAX) return undefined;
    }
    return {date: response.headers.date ?? '', body};
  } catch {
    // Also for a certificate without its key, such as one of two files that are just being replaced. The driver names such a problem.
    return undefined;
  }
}

/** The clocks of the members, from which that of this machine may not run away. Between two looks at them this process counts the time. */
export class MemberClock {
  readonly #deps: MemberClockDeps;
  /** The latest time that may have been right when the members were asked. */
  #latestMs = Infinity;
  #askedAtMs = 0;
  #isAhead = false;

  constructor(deps: MemberClockDeps) {
    this.#deps = deps;
  }

  /**
   * Learns the time of members. The latest one counts: the clock of a single member may be wrong.
   *
   * @param askedAtMs Time by `elapsedMs` when they were asked: they named theirs later.
   */
  learn(members: readonly MemberFacts[], askedAtMs: number): void {
    const {nowMs, log} = this.#deps;
    const dates = members.map(({dateMs}) => dateMs).filter(Number.isFinite);
    if (dates.length === 0) return;
    this.#latestMs = Math.max(...dates) + DATE_MS + CLOCK_DIFFERENCE_MS_MAX;
    this.#askedAtMs = askedAtMs;
    const ownMs = nowMs();
    const isAhead = this.bound(ownMs) < ownMs;
    // Not sooner: after a sleep the clock is right, and what this process has counted is not.
    if (isAhead && !this.#isAhead)
      log.error('the clock of this machine is ahead of etcd; set it right: until then no time to live is accepted', {});
    this.#isAhead = isAhead;
  }

  /** Returns a time of this machine, or the latest one that may be right: see {@link Driver.boundTime}. */
  bound(ownMs: number): number {
    const sinceMs = this.#deps.elapsedMs() - this.#askedAtMs;
    return sinceMs > TIME_KNOWN_MS ? ownMs : Math.min(ownMs, Math.floor(this.#latestMs + sinceMs));
  }
}

export interface MemberClockDeps {
  /** The clock of the machine, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A clock that never jumps, in milliseconds. */
  readonly elapsedMs: () => number;
  readonly log: Log;
}

/** Part of the quota from which on puts are refused. Deletes write too: without the rest, a full etcd refuses them. */
const PUTS_MAX_PART = 0.8;

/** The space of the member that is used: puts are refused in time, so that there is some for deletes. */
export class MemberSpace {
  readonly #log: Log;
  #problem: string | undefined;
  #fullBecause: string | undefined;
  #isUnknown = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The reason why etcd itself refuses puts; undefined if it does not. */
  get fullBecause(): string | undefined {
    return this.#fullBecause;
  }

  /** @throws {EngineFailure} `full` if puts have to wait until there is more space. */
  assertSpace(): void {
    if (this.#problem !== undefined) throw new EngineFailure('full', this.#problem);
  }

  /** Learns what the member reports, see {@link readMember}, and its problem, see {@link readProblem}. */
  learn(facts: Awaited<ReturnType<typeof readMember>>, problem = ''): void {
    if (typeof facts === 'object') {
      const {usedBytes, quotaBytes} = facts;
      const text = `etcd uses ${usedBytes} of ${quotaBytes} bytes; compact and defragment it`;
      this.#problem = usedBytes < quotaBytes * PUTS_MAX_PART ? undefined : text;
      // It refuses a put that would exceed the quota, and from then on every one, also with less than the quota in use.
      const isRefusing = problem.includes('NOSPACE') || (problem === NO_REASON && this.#problem !== undefined);
      const isFull = usedBytes >= quotaBytes || isRefusing;
      this.#fullBecause = isFull ? `${text}, and clear its alarm` : undefined;
    } else if (facts === 'unreported' && !this.#isUnknown) {
      this.#isUnknown = true;
      const text = 'etcd does not report its space over HTTP, so no space is kept for deletions; see `crewroom doctor`';
      this.#log.error(text, {});
    }
  }
}
