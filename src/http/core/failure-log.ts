import {describeFailure, type Failure} from '../../domain/failure.ts';
import type {Log, LogFields} from '../../domain/log.ts';
import {statusOf} from '../../protocol/failure-status.ts';

/** What the log is told of a request that failed. */
export interface FailedRequest {
  /** By which its caller and the log speak of it. */
  readonly requestId: string;
  /** Absent if the request could not be read. */
  readonly method?: string;
  /** The raw path, without the query: it may hold anything. */
  readonly path?: string;
  /** What was thrown, for failures that are defects. */
  readonly error?: unknown;
}

/** Tells the log of requests that fail, each kind of failure at its level. */
export interface FailureLog {
  /** Writes a line, or counts the failure if there was a line about the same in the last minute. */
  tell(failure: Failure, request: FailedRequest): void;
  /** Writes the counts that no line has told yet. */
  flush(): void;
}

/** Where {@link createFailureLog} writes, and by which clock. */
export interface FailureLogDeps {
  readonly log: Log;
  /** A clock that never jumps, in milliseconds. @default {performance.now} */
  readonly nowMs?: () => number;
}

/** For how long a failure is only counted after a line about it, in milliseconds: a program that tries each second fills no disk. */
export const REPEAT_PERIOD_MS = 60_000;

/** About how many different failures there are lines within a period; the rest share one. A page can make up paths without end. */
export const TOLD_MAX = 256;

/** Failures that callers provoke in their daily work: they are for `debug` only. */
const EXPECTED_CODES: ReadonlySet<Failure['code']> = new Set(['no-entry', 'no-identity', 'revision-conflict']);

/** Makes the log of failures that all ways into the service share. */
export function createFailureLog({log, nowMs = () => performance.now()}: FailureLogDeps): FailureLog {
  return new CountingFailureLog(log, nowMs);
}

interface Told {
  readonly level: 'error' | 'info';
  readonly message: string;
  readonly about: LogFields;
  readonly sinceMs: number;
  /** How often it happened since, without a line. */
  repeats: number;
}

class CountingFailureLog implements FailureLog {
  readonly #log: Log;
  readonly #nowMs: () => number;
  /** By what they are about; the oldest first. */
  readonly #told = new Map<string, Told>();

  constructor(log: Log, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  tell(failure: Failure, {requestId, error, ...request}: FailedRequest): void {
    const {code} = failure;
    const about = {...request, code, status: statusOf(failure), ...detailsOf(failure, request)};
    if (code === 'internal') this.#log.error('request failed', {requestId, ...about, error});
    else if (EXPECTED_CODES.has(code)) this.#log.debug('request refused', {requestId, ...about});
    else this.#tellOnce(subjectOf(failure, request), requestId, about);
  }

  flush(): void {
    for (const [subject, told] of this.#told) this.#forget(subject, told);
  }

  #tellOnce(subject: string, requestId: string, about: LogFields & {readonly status: number}): void {
    this.#forgetOld();
    const told = this.#told.get(subject) ?? (this.#told.size < TOLD_MAX ? undefined : this.#others());
    // What could not be read was refused, whatever its status: nothing of the service failed.
    const failed = about.status >= 500 && about['path'] !== undefined;
    const level = failed ? 'error' : 'info';
    const message = failed ? 'request failed' : 'request refused';
    if (told === undefined) {
      this.#told.set(subject, {level, message: `${message} again`, about, sinceMs: this.#nowMs(), repeats: 0});
      this.#log[level](message, {requestId, ...about});
    } else {
      told.repeats++;
      this.#log.debug(message, {requestId, ...about});
    }
  }

  /** What stands for all failures that are too many to be told one by one. */
  #others(): Told {
    const others = this.#told.get('') ?? {
      level: 'info',
      message: 'other requests refused',
      about: {},
      sinceMs: this.#nowMs(),
      repeats: 0,
    };
    this.#told.set('', others);
    return others;
  }

  #forgetOld(): void {
    const beforeMs = this.#nowMs() - REPEAT_PERIOD_MS;
    for (const [subject, told] of this.#told) {
      if (told.sinceMs > beforeMs) return;
      this.#forget(subject, told);
    }
  }

  #forget(subject: string, {level, message, about, repeats}: Told): void {
    this.#told.delete(subject);
    if (repeats > 0) this.#log[level](message, {...about, times: repeats});
  }
}

/** What failures have in common that are told once: who is refused, otherwise what was asked for. */
function subjectOf(failure: Failure, {method, path}: Pick<FailedRequest, 'method' | 'path'>): string {
  switch (failure.code) {
    case 'foreign-origin':
      return `${failure.code} ${failure.origin}`;
    case 'foreign-host':
      return `${failure.code} ${failure.host}`;
    case 'cross-site':
      return `${failure.code} ${failure.site}`;
    default:
      return path === undefined ? JSON.stringify(failure) : `${failure.code} ${method} ${path}`;
  }
}

/** What the developer of a page needs to let it in, and what a failure tells that has no request or lies with the service. */
function detailsOf(failure: Failure, {path}: Pick<FailedRequest, 'path'>): LogFields {
  if (failure.code === 'foreign-origin') {
    const {origin} = failure;
    return {origin, ...(isAllowable(origin) ? {toAllow: `--allow-origin ${origin}`} : {})};
  }
  if (failure.code === 'foreign-host') return {host: failure.host};
  return path === undefined || statusOf(failure) >= 500 ? {problem: describeFailure(failure)} : {};
}

/** Whether an origin can stand behind the flag: `null` and what is no origin cannot. */
function isAllowable(origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).origin === origin;
}
