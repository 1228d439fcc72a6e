import type {Log, LogFields} from '../../core/domain/log.ts';
import type {AppError} from '../../core/failures/app-error.ts';
import {flagToAllow, isExpectedFailure, statusOf} from '../../core/failures/facts.ts';
import {faultOf} from '../../core/failures/failure.ts';
import {caseOfFailure} from '../../core/failures/rows/rows.ts';

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
  readonly onFailure?: ((code: string) => void) | undefined;
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
  readonly #onFailure: (code: string) => void;
  /** The oldest first. */
  readonly #logged = new Map<string, LoggedSubject>();

  constructor({log, nowMs = () => performance.now(), onFailure = () => {}}: FailureLogDeps) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#onFailure = onFailure;
  }

  /** Writes a line, or counts the failure if there was a line about the same subject in the last minute. */
  report(failed: AppError, {requestId, error, ...request}: FailedRequest): void {
    const {code, failure} = failed;
    this.#onFailure(code);
    const about = {
      ...request,
      code,
      ...(failure && caseOfFailure(failure)),
      status: statusOf(failed),
      ...detailsOf(failed, request),
    };
    // The user switched it on, and knows.
    if (faultOf(failure) !== undefined) this.#log.debug('request failed by a fault', {requestId, ...about});
    else if (code === 'internal') this.#log.error('request failed', {requestId, ...about, error});
    else if (isExpectedFailure(code)) this.#log.debug('request refused', {requestId, ...about});
    else this.#logOnce(subjectOf(failed, request), requestId, about);
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
function subjectOf({code, failure}: AppError, {method, path}: Pick<FailedRequest, 'method' | 'path'>): string {
  switch (failure?.code) {
    case 'foreign-page':
      return `${code} ${failure.why} ${failure.origin ?? failure.host ?? failure.site}`;
    case 'foreign-host':
      return `${code} ${failure.host}`;
    default:
      return path === undefined ? JSON.stringify(failure) : `${code} ${method} ${path}`;
  }
}

/** Returns the fields that help to fix a failure: how to allow an origin, and the problem if the service or no request caused it. */
function detailsOf(failed: AppError, {path}: Pick<FailedRequest, 'path'>): LogFields {
  const {failure, message} = failed;
  if (failure?.code === 'foreign-page' && failure.why === 'origin') {
    const {origin, host} = failure;
    const toAllow = flagToAllow(origin);
    if (host !== undefined) return {origin, host};
    return {origin, ...(toAllow === undefined ? {} : {toAllow})};
  }
  if (failure?.code === 'foreign-host') return {host: failure.host};
  // A browser shows its page nothing of a preflight that is refused.
  const isHidden = path === undefined || statusOf(failed) >= 500 || failure?.code === 'invalid-header';
  return isHidden ? {problem: message} : {};
}
