import {checkFlight, FLIGHT_CHANGE, FLIGHT_FRAME, invalidFlight} from '../../core/documents/flight.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {Listeners} from '../../core/domain/listeners.ts';
import {
  FLIGHT_SPEED_MAX,
  type Flight,
  type FlightChange,
  type FlightFrame,
  type FlightOptions,
  type FlightPhase,
  type FlightStatus,
} from '../../core/domain/plugins/flight.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {describeFlight} from './describe-flight.ts';
import type {FlightFile, KeptFlight} from './flight-file.ts';
import {type FlightFacts, isSimulation, planOf, readFlightOptions} from './flight-options.ts';
import {planFlight} from './flight-profile.ts';
import {beginTrack, type FlightTrack, followFlight} from './flight-track.ts';
import {advance, frameAt, restoredAt, SIMULATOR, type Simulation, startOf} from './simulation.ts';

export interface FlightDeps extends Pick<CommonDeps, 'elapsedMs' | 'nowMs' | 'timers' | 'randomBytes'> {
  /** Keeps the flight through restarts. @default {it ends with the service} */
  readonly file?: FlightFile | undefined;
}

/** Opens the port of the flight. Disposal waits until it is kept. */
export function openFlight(deps: FlightDeps): Flight & AsyncDisposable {
  return new TrackedFlight(deps);
}

/** Time without frames after which a reporter ends, in milliseconds: simulators stop that long while they load. */
const REPORTER_MS_MAX = 10_000;

/** Maximum number of frames a second: as many as a simulator draws on a usual screen. */
const FRAMES_MAX = 60;

/** Time for which a flight can be restored, in seconds: a day. */
const RECOVERABLE_SECONDS = 86_400;

/** Time between two looks at a flight that runs, in milliseconds. It is kept as it is then. */
const LOOK_MS = 1000;

/** A simulator that reports. */
interface Reporter {
  readonly id: string;
  readonly lastMs: number;
  /** Begin of the second whose frames are counted, and their number. */
  readonly secondMs: number;
  readonly count: number;
}

class TrackedFlight implements Flight, AsyncDisposable {
  readonly #deps: FlightDeps;
  readonly #listeners = new Listeners();
  #facts: FlightFacts = {};
  #simulation: Simulation | undefined;
  #reporter: Reporter | undefined;
  #track: FlightTrack | undefined;
  /** The last flight as it was kept. */
  #kept: KeptFlight | undefined;
  #isWatched = false;

  constructor(deps: FlightDeps) {
    this.#deps = deps;
    this.#kept = deps.file?.kept;
    this.#forgetOld();
  }

  status(): FlightStatus | undefined {
    if (this.#simulation !== undefined) this.#fly(this.#simulation);
    const isConnected = this.#simulation?.isConnected ?? this.#isReported();
    return this.#track && describeFlight(this.#track, {...this.#facts, isConnected});
  }

  recoverable(): FlightStatus | undefined {
    const isRestored = this.#track !== undefined && this.#reporter === undefined;
    return isRestored ? undefined : this.#lost();
  }

  start(options: FlightOptions = {}): FlightStatus {
    if (!this.#isReported()) return this.#simulate(options);
    if (isSimulation(options)) throw this.#reportedFailure();
    this.#facts = readFlightOptions(options, {isSimulated: false}).facts;
    this.#listeners.call();
    return this.#present();
  }

  restore(options: FlightOptions = {}): FlightStatus {
    const kept = this.recoverable();
    const isOther = options.bidId !== undefined && String(options.bidId) !== String(kept?.bidId);
    if (kept === undefined || isOther) return this.start(options);
    const {phase, elapsedSeconds, touchdown, notices, frames} = kept;
    const known = {phase: phase as FlightPhase, elapsedSeconds};
    if (kept.seed !== undefined)
      return this.#simulate({...known, ...planOf(kept), ...options}, {touchdown, notices, frames});
    // That of a simulator waits for its frames.
    this.#track = this.#resume(kept, {timeSeconds: 0, options});
    this.#reporter = undefined;
    this.#listeners.call();
    return this.#present();
  }

  report(given: FlightFrame): ReturnType<Flight['report']> {
    const nowMs = this.#deps.elapsedMs();
    // A body may be empty, or null.
    const known = this.#admit(given?.reporterId, nowMs);
    const checked = checkFlight(FLIGHT_FRAME, given);
    const before = known === undefined ? this.#trackBefore(checked) : this.#track;
    const sinceSeconds = known === undefined ? 0 : (nowMs - known.lastMs) / 1000;
    if (known !== undefined && before !== undefined) assertTime(checked, before.frame, sinceSeconds);
    const frame = {...checked, simulator: (known && before?.frame.simulator) || checked.simulator || 'Simulator'};
    const id = known?.id ?? Buffer.from(this.#deps.randomBytes(16)).toString('hex');
    this.#reporter = {secondMs: nowMs, count: 1, ...known, id, lastMs: nowMs};
    this.#track = before === undefined ? beginTrack(frame) : followFlight(before, frame, sinceSeconds);
    if (known === undefined) this.#begin();
    return {reporterId: id, phase: this.#track.phase};
  }

  change(change: FlightChange): FlightStatus {
    const {phase, ...others} = checkFlight(FLIGHT_CHANGE, change);
    if (this.#simulation === undefined && this.#track !== undefined) throw this.#reportedFailure();
    if (this.#simulation === undefined) throw new AppError({code: 'no-flight'});
    const set = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
    this.#fly(this.#simulation);
    this.#simulation = {...this.#simulation, ...set};
    if (phase !== undefined) this.#moveTo(this.#simulation, startOf(this.#simulation.profile, phase), {phase});
    this.#facts = {...this.#facts, speed: this.#simulation.speed};
    return this.#present();
  }

  async stop(): Promise<void> {
    const wasRunning = this.#track !== undefined;
    this.#end();
    const forgotten = this.#keep(undefined);
    if (wasRunning) this.#listeners.call();
    await forgotten;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.file?.written();
  }

  #simulate(options: FlightOptions, known: Partial<FlightTrack> = {}): FlightStatus {
    const {facts, course, phase, elapsedSeconds, speed} = readFlightOptions(options, {isSimulated: true});
    const profile = planFlight(course);
    const now = new Date(this.#deps.nowMs());
    const seconds = restoredAt(profile, {phase, elapsedSeconds});
    const clock = now.getHours() * 3600 + now.getMinutes() * 60 + now.getSeconds();
    const state = {isConnected: true, isPaused: false, seconds, sinceMs: 0, clockSeconds: clock - seconds};
    this.#end();
    this.#facts = {...facts, cruiseFeet: profile.cruiseFeet};
    this.#moveTo({profile, speed, ...state}, seconds, {...known, ...(phase !== undefined && {phase})});
    this.#begin();
    return this.#present();
  }

  /** Flies on from a moment, as a new flight would whose phase is known. */
  #moveTo(simulation: Simulation, seconds: number, known: Partial<FlightTrack>): void {
    this.#simulation = {...simulation, seconds, sinceMs: this.#deps.elapsedMs()};
    this.#track = beginTrack(frameAt(this.#simulation, seconds), {...known, elapsedSeconds: seconds});
  }

  #fly(before: Simulation): void {
    const {simulation, frames} = advance(before, this.#deps.elapsedMs());
    this.#simulation = simulation;
    for (const frame of frames) this.#track = this.#track && followFlight(this.#track, frame, 0);
  }

  #isReported(): boolean {
    return this.#reporter !== undefined && this.#deps.elapsedMs() - this.#reporter.lastMs < REPORTER_MS_MAX;
  }

  /** Returns the reporter of a frame if it is known. Decides before the frame is read. */
  #admit(reporterId: string | undefined, nowMs: number): Reporter | undefined {
    const reporter = this.#isReported() ? this.#reporter : undefined;
    if (this.#simulation !== undefined && this.status()?.phase !== 'ARRIVED') throw this.#reportedFailure();
    if (reporter === undefined && reporterId !== undefined) throw new AppError({code: 'no-reporter'});
    if (reporter === undefined) return undefined;
    if (reporter.id !== reporterId) throw this.#reportedFailure();
    const isSameSecond = nowMs - reporter.secondMs < 1000;
    const second = isSameSecond ? {count: reporter.count + 1} : {secondMs: nowMs, count: 1};
    if (second.count > FRAMES_MAX) throw new AppError({code: 'too-many-frames', max: FRAMES_MAX});
    this.#reporter = {...reporter, ...second};
    return this.#reporter;
  }

  /** Returns the flight that a new reporter continues: the one whose frames ended. */
  #trackBefore({timeSeconds}: FlightFrame): FlightTrack | undefined {
    const flight = this.#lost();
    this.#simulation = undefined;
    this.#facts = {};
    if (flight === undefined || flight.seed !== undefined) return undefined;
    return this.#resume(flight, {timeSeconds: timeSeconds - this.#keptSeconds()});
  }

  /** Takes up the plan of a flight that was reported, with changes. @returns Its track, whose last frame was at a time. */
  #resume(
    flight: FlightStatus,
    {timeSeconds, options = {}}: {readonly timeSeconds: number; readonly options?: FlightOptions},
  ): FlightTrack {
    const {touchdown, notices, frames, elapsedSeconds} = flight;
    const known = {phase: flight.phase as FlightPhase, touchdown, notices, frames, elapsedSeconds};
    this.#facts = readFlightOptions({...planOf(flight), ...options}, {isSimulated: false}).facts;
    return beginTrack({...flight, timeSeconds}, known);
  }

  /** Returns the flight whose frames have ended before it arrived. */
  #lost(): FlightStatus | undefined {
    const isRunning = this.#simulation !== undefined || this.#isReported();
    if (isRunning || this.#kept?.flight.phase === 'ARRIVED') return undefined;
    return this.#keptSeconds() < RECOVERABLE_SECONDS ? this.#kept?.flight : undefined;
  }

  /** Time since the last flight was kept, in seconds. */
  #keptSeconds(): number {
    return (this.#deps.nowMs() - (this.#kept?.keptAtMs ?? 0)) / 1000;
  }

  #reportedFailure(): AppError {
    return new AppError({code: 'flight-reported', simulator: this.#track?.frame.simulator ?? SIMULATOR});
  }

  #present(): FlightStatus {
    const status = this.status();
    if (status === undefined) throw new AppError({code: 'no-flight'});
    return status;
  }

  #begin(): void {
    this.#listeners.call();
    if (!this.#isWatched) this.#look();
  }

  /** Keeps the flight as it is now, and looks again until it has arrived, or its frames have ended. */
  #look(): void {
    const flight = this.status();
    const isFlying = this.#simulation !== undefined && flight?.phase !== 'ARRIVED';
    this.#isWatched = isFlying || this.#isReported();
    if (this.#isWatched) {
      void this.#keep(flight);
      this.#deps.timers.after(LOOK_MS, () => this.#look());
      return;
    }
    if (flight?.phase === 'ARRIVED') void this.#keep(undefined);
    this.#forgetOld();
    if (flight !== undefined && this.#simulation === undefined) this.#listeners.call();
  }

  async #keep(flight: FlightStatus | undefined): Promise<void> {
    if (flight === undefined && this.#kept === undefined) return this.#deps.file?.written();
    this.#kept = flight && {flight, keptAtMs: this.#deps.nowMs()};
    await this.#deps.file?.keep(this.#kept);
  }

  /** Forgets a flight that ended before it arrived when it can no longer be restored. */
  #forgetOld(): void {
    if (this.#kept === undefined) return;
    const left = RECOVERABLE_SECONDS - this.#keptSeconds();
    if (left <= 0) void this.#keep(undefined);
    else this.#deps.timers.after(left * 1000, () => this.#isWatched || this.#forgetOld());
  }

  #end(): void {
    this.#facts = {};
    this.#simulation = undefined;
    this.#reporter = undefined;
    this.#track = undefined;
  }
}

/** Asserts that the time of a frame follows that of the frame before. @throws {AppError} `invalid-body`. */
function assertTime({timeSeconds}: FlightFrame, {timeSeconds: before}: FlightFrame, sinceSeconds: number): void {
  const latest = before + (sinceSeconds + 1) * FLIGHT_SPEED_MAX;
  const refused = (problem: string): AppError => invalidFlight('frame', [{keys: ['timeSeconds'], problem}]);
  if (timeSeconds < before) throw refused(`is before ${before}, that of the last frame`);
  if (timeSeconds > latest) throw refused(`is in the future: it can be at most ${latest} by now`);
}
