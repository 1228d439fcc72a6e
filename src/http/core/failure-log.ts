import type {Log, LogFields} from '../../domain/log.ts';
import type {AppError} from '../../failures/app-error.ts';
import {isExpectedFailure, statusOf} from '../../failures/facts.ts';
import type {Failure, FailureCode} from '../../failures/failure.ts';
import {isAllowable} from '../../failures/failure-advice.ts';
import {faultOf} from '../../failures/fault-mark.ts';

/** Request that failed, for the log. */
export interface FailedRequest {
  /** Id that the answer has too. */
  readonly requestId: string;
  /** Absent if the request could not be read. */
  readonly method?: string;
  /** Raw path without the query, which may contain secrets. */
  readonly path?: string;
  /** Thrown error, for failures that are defects. */
  readonly error?: unknown;
}

export interface FailureLogDeps {
  readonly log: Log;
  /** Called with the code of each failure. @default {nothing is called} */
  readonly onFailure?: ((code: FailureCode) => void) | undefined;
  /** A monotonic clock, in milliseconds. @default {performance.now} */
  readonly nowMs?: () => number;
}

/** Period after a line in which the same failure is only counted, in milliseconds: a client that retries each second must not fill the disk. */
export const REPEAT_PERIOD_MS = 60_000;

/** Maximum number of different failures with a line of their own within a period; the rest share one. A page can request any number of paths. */
export const SUBJECTS_MAX = 256;

interface LoggedSubject {
  readonly level: 'error' | 'info';
  readonly message: string;
  readonly about: LogFields;
  readonly sinceMs: number;
  /** Number of failures since, without a line. */
  repeats: number;
}

/** Logs requests that fail, each kind of failure at its level: for HTTP, WebSockets and the embedded handler. */
export class FailureLog {
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #onFailure: (code: FailureCode) => void;
  /** The oldest first. */
  readonly #logged = new Map<string, LoggedSubject>();

  constructor({log, nowMs = () => performance.now(), onFailure = () => {}}: FailureLogDeps) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#onFailure = onFailure;
  }

  /** Writes a line, or counts the failure if there was a line about the same subject in the last minute. */
  report({failure, message}: AppError, {requestId, error, ...request}: FailedRequest): void {
    const {code} = failure;
    this.#onFailure(code);
    const about = {...request, code, status: statusOf(failure), ...detailsOf({failure, message}, request)};
    // The user switched it on, and knows.
    if (faultOf(failure) !== undefined) this.#log.debug('request failed by a fault', {requestId, ...about});
    else if (code === 'internal') this.#log.error('request failed', {requestId, ...about, error});
    else if (isExpectedFailure(code)) this.#log.debug('request refused', {requestId, ...about});
    else this.#logOnce(subjectOf(failure, request), requestId, about);
  }

  /** Writes all counts that are not logged yet. */
  flush(): void {
    for (const [subject, logged] of this.#logged) this.#remove(subject, logged);
  }

  #logOnce(subject: string, requestId: string, about: LogFields & {readonly status: number}): void {
    this.#removeOld();
    const logged = this.#logged.get(subject) ?? (this.#logged.size < SUBJECTS_MAX ? undefined : this.#others());
    // An unreadable request was refused, whatever its status: the service did not fail.
    const failed = about.status >= 500 && about['path'] !== undefined;
    const level = failed ? 'error' : 'info';
    const message = failed ? 'request failed' : 'request refused';
    if (logged === undefined) {
      this.#logged.set(subject, {level, message: `${message} again`, about, sinceMs: this.#nowMs(), repeats: 0});
      this.#log[level](message, {requestId, ...about});
    } else {
      logged.repeats++;
      this.#log.debug(message, {requestId, ...about});
    }
  }

  /** Returns the entry that all further subjects share. */
  #others(): LoggedSubject {
    const others = this.#logged.get('') ?? {
      level: 'info',
      message: 'other requests refused',
      about: {},
      sinceMs: this.#nowMs(),
      repeats: 0,
    };
    this.#logged.set('', others);
    return others;
  }

  #removeOld(): void {
    const beforeMs = this.#nowMs() - REPEAT_PERIOD_MS;
    for (const [subject, logged] of this.#logged) {
      if (logged.sinceMs > beforeMs) return;
      this.#remove(subject, logged);
    }
  }

  #remove(subject: string, {level, message, about, repeats}: LoggedSubject): void {
    this.#logged.delete(subject);
    if (repeats > 0) this.#log[level](message, {...about, times: repeats});
  }
}

/** Returns the subject by which failures are counted: the refused origin, host or site; otherwise method and path. */
function subjectOf(failure: Failure, {method, path}: Pick<FailedRequest, 'method' | 'path'>): string {
  switch (failure.code) {
    case 'foreign-origin':
      return `${failure.code} ${failure.origin}`;
    case 'foreign-host':
    case 'unmarked-request':
      return `${failure.code} ${failure.host}`;
    case 'cross-site':
      return `${failure.code} ${failure.site}`;
    default:
      return path === undefined ? JSON.stringify(failure) : `${failure.code} ${method} ${path}`;
  }
}

/** Returns the fields that help to fix a failure: how to allow an origin, and the problem if the service or no request caused it. */
function detailsOf(
  {failure, message}: Pick<AppError, 'failure' | 'message'>,
  {path}: Pick<FailedRequest, 'path'>,
): LogFields {
  if (failure.code === 'foreign-origin') {
    const {origin} = failure;
    return {origin, ...(isAllowable(origin) ? {toAllow: `--allow-origin ${origin}`} : {})};
  }
  if (failure.code === 'foreign-host') return {host: failure.host};
  return path === undefined || statusOf(failure) >= 500 ? {problem: message} : {};
}
