import {AppError, type Failure} from '../../domain/failure.ts';
import type {BackEndClient} from '../backend/back-end-client.ts';
import type {Pilot} from '../backend/pilot.ts';
import {type Alarm, createAlarm, type Timers} from './alarm.ts';
import {pauseDelayMs, resumeDelayMs, retryDelayMs, verifyDelayMs} from './refresh-plan.ts';
import {readExpiry, type SessionRecord, withPilot} from './session-record.ts';

/** What a refresher needs. */
export interface RefresherDeps {
  readonly client: BackEndClient;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly timers: Timers;
  /** The back end confirmed the session; the record may be another now. */
  onRefreshed(record: SessionRecord): void;
  /** The back end could not be asked, or its answer is of no use. It is asked again later. */
  onFailed(error: unknown): void;
  /**
   * The back end refuses the session, or its time is over. Nothing happens after that.
   *
   * @param problem The refusal; or what kept the session from being resumed before its time was over.
   */
  onEnded(problem: Failure | undefined): void;
}

/** Keeps one session fresh: verified every half hour, and resumed ahead of its end if that is known. */
export interface Refresher {
  /** Follows this session from now on, which the back end has just given. */
  follow(record: SessionRecord): void;
  /** Follows a session that was kept, and asks the back end about it at once. */
  takeUp(record: SessionRecord): void;
  /**
   * Asks the back end now, to resume the session if that is due and otherwise to verify it; not while the back end wants a
   * pause. Calls at the same time share one request; nothing to do is fine. Never rejects.
   */
  refresh(): Promise<void>;
  /** Resolves when no request is under way. */
  idle(): Promise<void>;
  /** Follows nothing any more; a request that is under way is ended, and has no effect. */
  stop(): void;
}

/** Makes a refresher, which follows nothing yet. */
export function createRefresher(deps: RefresherDeps): Refresher {
  return new SessionRefresher(deps);
}

interface Asking {
  /** Whether the session is to be resumed. */
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
  /** When it is to be resumed, in milliseconds since the Unix epoch. A session that was kept: at once. */
  #resumeAtMs = -Infinity;
  #failures = 0;
  /** When a back end that asked for a pause may be asked again, in milliseconds since the Unix epoch. */
  #pausedUntilMs = -Infinity;
  /** Why it could not be asked last; undefined once it was. */
  #problem: Failure | undefined;
  #refreshing: Refreshing | undefined;

  constructor(deps: RefresherDeps) {
    this.#deps = deps;
    this.#alarm = createAlarm(deps);
  }

  follow(record: SessionRecord): void {
    this.stop();
    this.#record = record;
    this.#planResume(record);
    this.#succeeded(record);
  }

  takeUp(record: SessionRecord): void {
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

  async idle(): Promise<void> {
    await this.#refreshing?.done;
  }

  stop(): void {
    this.#alarm.clear();
    this.#refreshing?.controller.abort();
    this.#refreshing = undefined;
    this.#record = undefined;
    this.#resumeAtMs = -Infinity;
    this.#failures = 0;
    this.#pausedUntilMs = -Infinity;
    this.#problem = undefined;
  }

  async #refresh(record: SessionRecord, signal: AbortSignal): Promise<void> {
    const {nowMs, onRefreshed, onFailed} = this.#deps;
    const isDue = this.#resumeAtMs <= nowMs();
    try {
      const pilot = await this.#ask(record, {isDue, signal});
      if (signal.aborted) return;
      this.#refreshing = undefined;
      const next = withPilot(record, pilot, readExpiry(pilot, nowMs()));
      this.#record = next;
      if (isDue || next.expiresAtMs !== record.expiresAtMs) this.#planResume(next);
      this.#succeeded(next);
      onRefreshed(next);
    } catch (error) {
      if (signal.aborted) return;
      this.#refreshing = undefined;
      if (error instanceof AppError && error.failure.code === 'session-unknown') this.#end(error.failure);
      else {
        this.#failed(record, error);
        onFailed(error);
      }
    }
  }

  async #ask({scriptURL, session}: SessionRecord, {isDue, signal}: Asking): Promise<Pilot> {
    const {client} = this.#deps;
    try {
      const resumed = isDue ? await client.resume(scriptURL, session, {signal}) : undefined;
      return resumed ?? (await client.verify(scriptURL, session, {signal}));
    } catch (error) {
      // Only a back end can judge a session or an account: without one, web servers answer 404 and an empty 500 as well.
      if (error instanceof AppError && ABOUT_PILOT.has(error.failure.code))
        await client.probe(scriptURL, {signal, secrets: [session]});
      throw error;
    }
  }

  #succeeded(record: SessionRecord): void {
    const {nowMs, random} = this.#deps;
    this.#failures = 0;
    this.#problem = undefined;
    this.#plan(record, Math.min(verifyDelayMs(random), this.#resumeAtMs - nowMs()));
  }

  /** Reckons from the whole time that is left: not anew with each verification, or it would be put off to the very end. */
  #planResume({expiresAtMs}: SessionRecord): void {
    const {nowMs, random} = this.#deps;
    const remainingMs = expiresAtMs === undefined ? undefined : expiresAtMs - nowMs();
    this.#resumeAtMs = nowMs() + resumeDelayMs(remainingMs, random);
  }

  #failed(record: SessionRecord, error: unknown): void {
    const {nowMs, random} = this.#deps;
    const failure = error instanceof AppError ? error.failure : undefined;
    this.#problem = failure;
    const pauseMs = pauseDelayMs(failure, random);
    this.#pausedUntilMs = nowMs() + pauseMs;
    this.#plan(record, Math.max(pauseMs, retryDelayMs(this.#failures++, random)));
  }

  /** At the end of the session there is nothing to wait for. */
  #plan({expiresAtMs = Infinity}: SessionRecord, delayMs: number): void {
    this.#alarm.set(Math.min(this.#deps.nowMs() + delayMs, expiresAtMs), () => {
      // It knows better how much time has passed, should the clock have been set.
      this.#pausedUntilMs = -Infinity;
      void this.refresh();
    });
  }

  #end(problem: Failure | undefined): void {
    this.stop();
    this.#deps.onEnded(problem);
  }
}

/** Failures that are about the pilot only if the back end itself is well. */
const ABOUT_PILOT: ReadonlySet<string> = new Set(['session-unknown', 'account-broken']);

/** The machine may have slept until after the end. */
function hasEnded({expiresAtMs}: SessionRecord, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}
