import {AppError} from '../../failures/app-error.ts';
import type {Failure} from '../../failures/failure.ts';
import {type Alarm, createAlarm} from '../../time/alarm.ts';
import type {Backoff} from '../../time/backoff.ts';
import type {Timers} from '../../time/timers.ts';
import {within} from '../../time/wait.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import type {Pilot} from '../backend/pilot.ts';
import {createRetries, NOT_OFFERED_INTERVAL_MS, pauseDelayMs, resumeDelayMs, verifyDelayMs} from './refresh-plan.ts';
import {failureOf} from './session-state.ts';
import {readExpiry, type SessionRecord, withPilot} from './storage/session-record.ts';

export interface RefresherDeps {
  readonly client: BackEndClient;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly timers: Timers;
  /** Called when the back end confirmed the session, perhaps with a new record. */
  onRefreshed(record: SessionRecord): void;
  /** Called when the back end does not offer to verify or to resume the session. The refresher tries it again in a day. */
  onNotOffered(): void;
  /** Called when an attempt failed. The refresher retries with backoff and jitter. */
  onFailed(error: unknown): void;
  /**
   * Called when the back end refused the session, or its time is over. The refresher stops.
   *
   * @param problem The refusal, or the failure of the last attempt to resume the session in time.
   */
  onEnded(problem: Failure | undefined): void;
}

/** Keeps one session fresh: verifies it every half hour, and resumes it ahead of its end if that is known. */
export interface Refresher {
  /** Starts to refresh a session that was just received. */
  follow(record: SessionRecord): void;
  /** Starts to refresh a session that was kept, with a request at once. */
  resume(record: SessionRecord): void;
  /**
   * Resumes the session if that is due, otherwise verifies it. Does nothing without a session, or during a pause that the
   * back end asked for. Concurrent calls share one request. Never rejects.
   */
  refresh(): Promise<void>;
  /** Resolves when no request is in progress, or after `waitMaxMs` milliseconds. */
  idle(waitMaxMs?: number): Promise<void>;
  /** Forgets the session; a request in progress is aborted and has no effect. */
  stop(): void;
}

/** Returns a refresher without a session. */
export function createRefresher(deps: RefresherDeps): Refresher {
  return new SessionRefresher(deps);
}

interface Attempt {
  /** True to resume the session. */
  readonly isDue: boolean;
  readonly signal: AbortSignal;
}

interface Refreshing {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

class SessionRefresher implements Refresher {
  readonly #deps: RefresherDeps;
  readonly #alarm: Alarm;
  #record: SessionRecord | undefined;
  /** Time to resume the session, in milliseconds since the Unix epoch; a kept session is resumed at once. */
  #resumeAtMs = -Infinity;
  readonly #retries: Backoff;
  /** End of the pause that the back end asked for, in milliseconds since the Unix epoch. */
  #pausedUntilMs = -Infinity;
  /** Failure of the last attempt; undefined if it succeeded. */
  #problem: Failure | undefined;
  #refreshing: Refreshing | undefined;

  constructor(deps: RefresherDeps) {
    this.#deps = deps;
    this.#alarm = createAlarm(deps);
    this.#retries = createRetries(deps.random);
  }

  follow(record: SessionRecord): void {
    this.stop();
    this.#record = record;
    this.#planResume(record);
    this.#succeeded(record);
  }

  resume(record: SessionRecord): void {
    this.stop();
    this.#record = record;
    void this.refresh();
  }

  refresh(): Promise<void> {
    if (this.#refreshing !== undefined) return this.#refreshing.done;
    const record = this.#record;
    if (record === undefined) return Promise.resolve();
    if (hasEnded(record, this.#deps.nowMs())) {
      this.#end(this.#problem);
      return Promise.resolve();
    }
    if (this.#deps.nowMs() < this.#pausedUntilMs) return Promise.resolve();
    const controller = new AbortController();
    const done = this.#refresh(record, controller.signal);
    this.#refreshing = {controller, done};
    return done;
  }

  async idle(waitMaxMs?: number): Promise<void> {
    if (waitMaxMs === undefined) return this.#refreshing?.done;
    if (this.#refreshing !== undefined) await within(this.#refreshing.done, waitMaxMs, this.#deps.timers);
  }

  stop(): void {
    this.#alarm.clear();
    this.#refreshing?.controller.abort();
    this.#refreshing = undefined;
    this.#record = undefined;
    this.#resumeAtMs = -Infinity;
    this.#retries.reset();
    this.#pausedUntilMs = -Infinity;
    this.#problem = undefined;
  }

  async #refresh(record: SessionRecord, signal: AbortSignal): Promise<void> {
    const {nowMs, onRefreshed, onFailed} = this.#deps;
    const isDue = this.#resumeAtMs <= nowMs();
    try {
      const pilot = await this.#send(record, {isDue, signal});
      if (signal.aborted) return;
      this.#refreshing = undefined;
      if (pilot === undefined) return this.#notOffered(record, isDue);
      const next = withPilot(record, pilot, readExpiry(pilot, nowMs()));
      this.#record = next;
      if (isDue || next.expiresAtMs !== record.expiresAtMs) this.#planResume(next);
      this.#succeeded(next);
      onRefreshed(next);
    } catch (error) {
      if (signal.aborted) return;
      this.#refreshing = undefined;
      const failure = failureOf(error);
      if (failure?.code === 'session-unknown') this.#end(failure);
      else {
        this.#failed(record, error);
        onFailed(error);
      }
    }
  }

  /** Asks the back end. @returns Undefined if it does not offer the calls. */
  async #send(record: SessionRecord, attempt: Attempt): Promise<Pilot | undefined> {
    const {scriptURL, session} = record;
    const {signal} = attempt;
    // A web server without the back end answers 404 or an empty 500, too.
    const probe = (): Promise<unknown> => this.#deps.client.probe(scriptURL, {signal, secrets: [session]});
    try {
      const pilot = await (attempt.isDue ? this.#resume(record, signal) : this.#verify(record, signal));
      if (pilot === undefined) await probe();
      return pilot;
    } catch (error) {
      if (error instanceof AppError && ABOUT_PILOT.has(error.failure.code)) await probe();
      throw error;
    }
  }

  /** Resumes the session. A refusal counts only if the back end does not confirm the session either: the call may not exist there. */
  async #resume(record: SessionRecord, signal: AbortSignal): Promise<Pilot | undefined> {
    let refusal: unknown;
    try {
      const resumed = await this.#deps.client.resume(record.scriptURL, record.session, {signal});
      if (resumed !== undefined) return resumed;
    } catch (error) {
      if (failureOf(error)?.code !== 'session-unknown') throw error;
      refusal = error;
    }
    const verified = await this.#verify(record, signal);
    if (verified === undefined && refusal !== undefined) throw refusal;
    return verified;
  }

  #verify({scriptURL, session}: SessionRecord, signal: AbortSignal): Promise<Pilot | undefined> {
    return this.#deps.client.verify(scriptURL, session, {signal});
  }

  #notOffered(record: SessionRecord, isDue: boolean): void {
    this.#retries.reset();
    this.#problem = undefined;
    const resumeInMs = isDue ? Infinity : this.#resumeAtMs - this.#deps.nowMs();
    this.#plan(record, Math.min(NOT_OFFERED_INTERVAL_MS, resumeInMs));
    this.#deps.onNotOffered();
  }

  #succeeded(record: SessionRecord): void {
    const {nowMs, random} = this.#deps;
    this.#retries.reset();
    this.#problem = undefined;
    this.#plan(record, Math.min(verifyDelayMs(random), this.#resumeAtMs - nowMs()));
  }

  /** Called once per session, not after each verification: the delay is a share of the remaining time and would never elapse. */
  #planResume({expiresAtMs}: SessionRecord): void {
    const {nowMs, random} = this.#deps;
    const remainingMs = expiresAtMs === undefined ? undefined : expiresAtMs - nowMs();
    this.#resumeAtMs = nowMs() + resumeDelayMs(remainingMs, random);
  }

  #failed(record: SessionRecord, error: unknown): void {
    const {nowMs, random} = this.#deps;
    const failure = failureOf(error);
    this.#problem = failure;
    const pauseMs = pauseDelayMs(failure, random);
    this.#pausedUntilMs = nowMs() + pauseMs;
    this.#plan(record, Math.max(pauseMs, this.#retries.next()));
  }

  /** Sets the alarm for the next attempt, at the latest for the end of the session. */
  #plan({expiresAtMs = Infinity}: SessionRecord, delayMs: number): void {
    this.#alarm.set(Math.min(this.#deps.nowMs() + delayMs, expiresAtMs), () => {
      // The alarm is right about the time that passed, even if the clock was set.
      this.#pausedUntilMs = -Infinity;
      void this.refresh();
    });
  }

  #end(problem: Failure | undefined): void {
    this.stop();
    this.#deps.onEnded(problem);
  }
}

/** Failures that are accepted only if a probe of the back end succeeds. */
const ABOUT_PILOT: ReadonlySet<string> = new Set(['session-unknown', 'account-broken']);

/** Returns whether the time of a session is over; the machine may have slept past it. */
function hasEnded({expiresAtMs}: SessionRecord, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}
