import type {FlightFrame, FlightOptions, FlightPhase} from '../../core/domain/plugins/flight.ts';
import {type FlightProfile, figuresAt, legAt} from './flight-profile.ts';

/** Name of the simulator of simulated flights. */
export const SIMULATOR = 'Crewroom';

/** Shortest time of a part of a flight, in seconds of our clock: plugins that look once a second see each phase twice. */
const LEG_SECONDS_MIN = 3;

/** Frames of each part of a flight, and the times between them, in seconds: dense enough for its phases, and for its landing. */
const FRAMES = {ofLeg: 60, secondsMin: 1, secondsMax: 30} as const;

const SECONDS_OF_DAY = 86_400;

/** A simulated flight: one of the reporters of frames. It computes them when they are asked for. */
export interface Simulation {
  readonly profile: FlightProfile;
  /** Simulated seconds per second. */
  readonly speed: number;
  readonly isConnected: boolean;
  readonly isPaused: boolean;
  /** Simulated time at `sinceMs`, in seconds. */
  readonly seconds: number;
  readonly sinceMs: number;
  /** Local time of the day at the simulated time 0, in seconds. */
  readonly clockSeconds: number;
}

/** Advances a simulation, with the frames until then, of which the last one is of this moment. */
export function advance(simulation: Simulation, nowMs: number) {
  const {profile, seconds: from} = simulation;
  const to = simulation.isPaused ? from : secondsAfter(simulation, (nowMs - simulation.sinceMs) / 1000);
  const frames: FlightFrame[] = [];
  for (let at = nextTime(profile, from); at < to; at = nextTime(profile, at)) frames.push(frameAt(simulation, at));
  const now = {...simulation, seconds: to, sinceMs: nowMs};
  return {simulation: now, frames: [...frames, frameAt(now, to)]};
}

/** Returns the frame of a simulated time. */
export function frameAt({profile, speed, isPaused, clockSeconds}: Simulation, seconds: number): FlightFrame {
  return {
    ...figuresAt(profile, seconds),
    timeSeconds: seconds,
    isPaused,
    isSlewing: false,
    simulationRate: speed,
    clockSeconds: (clockSeconds + seconds) % SECONDS_OF_DAY,
  };
}

function secondsAfter({profile, seconds, speed}: Simulation, clockSeconds: number): number {
  let [at, left] = [seconds, clockSeconds];
  for (;;) {
    const {startSeconds, seconds: whole} = legAt(profile, at);
    const rest = startSeconds + whole - at;
    const pace = whole === 0 ? speed : Math.min(speed, Math.max(1, whole / LEG_SECONDS_MIN));
    if (whole === 0 || rest > pace * left) return at + pace * left;
    [at, left] = [startSeconds + whole, left - rest / pace];
  }
}

/** Returns the time of the next frame: after the arrival there is one more, when the arrival has held. */
function nextTime(profile: FlightProfile, seconds: number): number {
  const {startSeconds, seconds: whole} = legAt(profile, seconds);
  const arrivedSeconds = startSeconds + LAG_SECONDS;
  if (whole === 0) return seconds < arrivedSeconds ? arrivedSeconds : Number.POSITIVE_INFINITY;
  const step = Math.min(FRAMES.secondsMax, Math.max(FRAMES.secondsMin, whole / FRAMES.ofLeg));
  return Math.min(seconds + step, startSeconds + whole);
}

/** Returns the time of a restored flight: where it was in its phase, which the flight may have reached a moment later than its profile. */
export function restoredAt(
  profile: FlightProfile,
  {phase, elapsedSeconds}: Pick<FlightOptions, 'phase' | 'elapsedSeconds'>,
): number {
  const isWithin = (seconds: number): boolean =>
    phase === undefined || [0, LAG_SECONDS].some(lag => legAt(profile, seconds - lag).phase === phase);
  if (elapsedSeconds !== undefined && isWithin(elapsedSeconds)) return elapsedSeconds;
  return startOf(profile, phase ?? 'BOARDING');
}

/** Longest time for which a phase has to hold before it is that of a flight, in seconds. */
const LAG_SECONDS = 30;

/** Returns the time at which a phase begins. */
export function startOf({legs}: FlightProfile, phase: FlightPhase): number {
  return legs.find(leg => leg.phase === phase)?.startSeconds ?? 0;
}
