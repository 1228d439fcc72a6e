import type {FlightFigures, FlightFrame, FlightPhase, FlightStatus} from '../../core/domain/plugins/flight.ts';
import {type Coordinates, distanceBetween} from './great-circle.ts';

/** A flight as far as its frames tell. */
export interface FlightTrack {
  readonly phase: FlightPhase;
  /** The last frame. */
  readonly frame: FlightFrame;
  readonly frames: number;
  readonly elapsedSeconds: number;
  readonly flownNauticalMiles: number;
  /** Time since it left the ground; 0 on the ground. */
  readonly airborneSeconds: number;
  readonly touchdown: FlightStatus['touchdown'];
  readonly notices: FlightStatus['notices'];
  readonly isPaused: boolean;
  /** The phase that has to hold before it is that of the flight. */
  readonly next: {readonly phase: FlightPhase; readonly seconds: number} | undefined;
  readonly sinceTouchdownSeconds: number;
  /** Time of our clock since the time of the simulator last moved. */
  readonly stoodSeconds: number;
  /** Times of the simulator and of our clock since its rate was last looked at. */
  readonly pace: {readonly seconds: number; readonly clockSeconds: number};
}

/** Height above the ground below which a descent is an approach. */
export const APPROACH_HEIGHT_FEET = 3000;

/** Ground speeds: an aircraft that stands, one that is pushed, and one that does not taxi but takes off or has landed. */
const KNOTS = {still: 0.5, pushed: 5, taxiing: 40} as const;

/** Vertical speed of a climb and a descent, in feet per minute: cruising aircraft stay below it, also in turbulence. */
const LEVEL_FEET_PER_MINUTE = 300;

/** Height of the reference point of an airliner that stands. */
const LANDED_FEET = 20;

/** Height below which a slow aircraft that has not flown stands: simulators drop it onto the ground at the start. */
const DROPPED_FEET = 50;

/** Times for which a phase has to hold, in seconds of the flight: short levels of a climb are no cruise. */
const HELD_SECONDS: Readonly<Record<FlightPhase, number>> = {
  BOARDING: 5,
  PUSH_BACK: 2,
  TAXI: 3,
  TAKEOFF: 2,
  CLIMB: 10,
  CRUISE: 20,
  DESCENT: 10,
  APPROACH: 5,
  TAXI_TO_GATE: 3,
  ARRIVED: 5,
};

/** Shortest flight that ends with a landing: below it the aircraft bounced, or its gear sank in at the start. */
const AIRBORNE_SECONDS_MIN = 5;

/** Time after a contact in which its load factor shows. */
const CONTACT_SECONDS = 2;

/**
 * Ground speed if it is not known, and what comes on top, in knots; distance that no simulator is exact about, in nautical miles. What moves farther is a
 * teleport.
 */
const TELEPORT = {knots: {unknown: 700, more: 200}, miles: 0.5} as const;

/** Time of the same frame after which the simulator is paused, in seconds. */
const PAUSED_SECONDS = 2;

/** Time over which the rate of a simulator is looked at, in seconds, and the rate from which it is accelerated: frames arrive unevenly. */
const PACE = {clockSeconds: 5, fast: 1.5} as const;

/**
 * Follows a flight by one frame: its phase, its landing, and what else is noticed. A frame after a teleport is judged at once.
 *
 * @param sinceSeconds Time since the frame before, by our clock.
 */
export function followFlight(track: FlightTrack, frame: FlightFrame, sinceSeconds: number): FlightTrack {
  const seconds = frame.timeSeconds - track.frame.timeSeconds;
  const miles = milesBetween(track.frame, frame) ?? 0;
  const isTeleport = frame.isSlewing === true || miles > milesIn(seconds, track.frame, frame);
  const stoodSeconds = seconds > 0 ? 0 : track.stoodSeconds + sinceSeconds;
  const isPaused = frame.isPaused ?? stoodSeconds >= PAUSED_SECONDS;
  const pace = {seconds: track.pace.seconds + seconds, clockSeconds: track.pace.clockSeconds + sinceSeconds};
  const isPaced = pace.clockSeconds >= PACE.clockSeconds;
  const isFast = (frame.simulationRate ?? 1) > 1 || (isPaced && pace.seconds / pace.clockSeconds > PACE.fast);
  const noticed = {pause: isPaused, teleport: isTeleport, acceleration: isFast};
  const begun = isTeleport ? beginTrack(frame, {touchdown: track.touchdown}) : undefined;
  const onGround = isOnGround(frame, track.phase);
  return {
    ...(begun ?? {...judged(track, frame, {seconds, onGround}), ...landed(track, frame, {seconds, onGround})}),
    frame,
    frames: track.frames + 1,
    elapsedSeconds: track.elapsedSeconds + seconds,
    flownNauticalMiles: frame.flownNauticalMiles ?? track.flownNauticalMiles + (isTeleport ? 0 : miles),
    notices: NOTICES.filter(notice => noticed[notice] || track.notices.includes(notice)),
    isPaused,
    stoodSeconds,
    pace: isPaced ? NO_PACE : pace,
  };
}

/** Facts that are known before the first frame: the flight jumps, or is restored. */
export type KnownFlight = Partial<Pick<FlightTrack, 'phase' | 'elapsedSeconds' | 'touchdown' | 'notices' | 'frames'>>;

/** Begins with a frame, which is judged at once unless the phase is known. */
export function beginTrack(frame: FlightFrame, known: KnownFlight = {}): FlightTrack {
  const onGround = isOnGround(frame, known.phase);
  return {
    phase: judge(undefined, frame, onGround),
    frames: 1,
    elapsedSeconds: 0,
    touchdown: undefined,
    notices: [],
    ...known,
    frame,
    flownNauticalMiles: frame.flownNauticalMiles ?? 0,
    // One that joins in the air has flown for long enough to land.
    airborneSeconds: onGround ? 0 : AIRBORNE_SECONDS_MIN,
    isPaused: frame.isPaused ?? false,
    next: undefined,
    sinceTouchdownSeconds: CONTACT_SECONDS,
    stoodSeconds: 0,
    pace: NO_PACE,
  };
}

const NO_PACE = {seconds: 0, clockSeconds: 0};

const NOTICES = ['pause', 'teleport', 'acceleration'] as const;

interface Step {
  readonly seconds: number;
  readonly onGround: boolean;
}

/** Returns the phase, once it has held. */
function judged(track: FlightTrack, frame: FlightFrame, {seconds, onGround}: Step): FlightTrack {
  const phase = judge(track.phase, frame, onGround);
  if (phase === track.phase) return {...track, next: undefined};
  const held = track.next?.phase === phase ? track.next.seconds + seconds : 0;
  // A source that does not know its engines may stand and wait.
  const needed = phase === 'ARRIVED' && frame.enginesFiring === undefined ? 60 : HELD_SECONDS[phase];
  if (held < needed) return {...track, next: {phase, seconds: held}};
  const isNew = track.phase === 'ARRIVED';
  return {...track, phase, next: undefined, touchdown: isNew ? undefined : track.touchdown};
}

/** Returns the landing, if this frame is the first on the ground or within the time in which its load factor shows. */
function landed(
  track: FlightTrack,
  {gForce, verticalSpeedFeetPerMinute: after}: FlightFrame,
  {seconds, onGround}: Step,
): Pick<FlightTrack, 'airborneSeconds' | 'sinceTouchdownSeconds'> & Partial<FlightTrack> {
  const {touchdown: before, frame, airborneSeconds} = track;
  const sinceTouchdownSeconds = track.sinceTouchdownSeconds + seconds;
  if (!onGround) return {airborneSeconds: airborneSeconds + seconds, sinceTouchdownSeconds};
  const isLanding = airborneSeconds >= AIRBORNE_SECONDS_MIN;
  const isContact = isLanding || (airborneSeconds > 0 && before !== undefined);
  if (!isContact && (before === undefined || sinceTouchdownSeconds > CONTACT_SECONDS))
    return {airborneSeconds: 0, sinceTouchdownSeconds};
  // A bounce belongs to the landing before it.
  const bounced = isLanding ? undefined : before;
  const speed = isContact ? (frame.verticalSpeedFeetPerMinute ?? after) : undefined;
  const touchdown = {
    verticalSpeedFeetPerMinute: extreme(Math.min, speed, bounced?.verticalSpeedFeetPerMinute),
    initialVerticalSpeedFeetPerMinute: bounced?.initialVerticalSpeedFeetPerMinute ?? speed,
    gForce: extreme(Math.max, gForce, bounced?.gForce),
  };
  return {airborneSeconds: 0, sinceTouchdownSeconds: isContact ? 0 : sinceTouchdownSeconds, touchdown};
}

function extreme(choose: typeof Math.min, one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : choose(one, other);
}

/** Returns the phase that one frame shows, for a flight in a phase. */
function judge(phase: FlightPhase | undefined, frame: FlightFrame, onGround: boolean): FlightPhase {
  return onGround ? judgeOnGround(phase, frame) : judgeInTheAir(phase, frame);
}

function judgeOnGround(phase: FlightPhase | undefined, figures: FlightFigures): FlightPhase {
  const {groundSpeedKnots: knots = 0, enginesFiring} = figures;
  const departs = phase === undefined || ['BOARDING', 'PUSH_BACK', 'TAXI', 'TAKEOFF'].includes(phase);
  const isNext = phase === 'ARRIVED' && knots > KNOTS.pushed;
  if (departs || isNext) {
    if (knots >= KNOTS.taxiing) return 'TAKEOFF';
    if (knots > KNOTS.pushed || phase === 'TAKEOFF') return 'TAXI';
    if (phase === 'BOARDING' && knots > KNOTS.still) return 'PUSH_BACK';
    return phase ?? (knots > KNOTS.still ? 'TAXI' : 'BOARDING');
  }
  if (knots >= KNOTS.taxiing) return phase === 'TAXI_TO_GATE' ? 'TAKEOFF' : 'APPROACH';
  if (phase === 'ARRIVED') return phase;
  return knots > KNOTS.still || enginesFiring?.includes(true) ? 'TAXI_TO_GATE' : 'ARRIVED';
}

function judgeInTheAir(phase: FlightPhase | undefined, figures: FlightFigures): FlightPhase {
  const {verticalSpeedFeetPerMinute: climb = 0, heightFeet, altitudeFeet = Number.POSITIVE_INFINITY} = figures;
  if (climb >= LEVEL_FEET_PER_MINUTE) return 'CLIMB';
  const isLow = (heightFeet ?? altitudeFeet) < APPROACH_HEIGHT_FEET;
  if (phase === 'APPROACH') return phase;
  if (climb <= -LEVEL_FEET_PER_MINUTE || phase === 'DESCENT') return isLow ? 'APPROACH' : 'DESCENT';
  return phase === undefined || phase === 'CLIMB' ? 'CRUISE' : phase;
}

function isOnGround(figures: FlightFigures, phase: FlightPhase | undefined): boolean {
  const {onGround, heightFeet, groundSpeedKnots = 0} = figures;
  const isSlow = groundSpeedKnots < KNOTS.taxiing;
  if (onGround === undefined) return heightFeet === undefined ? isSlow : heightFeet < LANDED_FEET;
  const hasNotFlown = phase === undefined || phase === 'BOARDING';
  return onGround || (hasNotFlown && isSlow && (heightFeet ?? 0) < DROPPED_FEET);
}

/** Returns the distance between two places, in nautical miles; undefined if one is not known. */
export function milesBetween(one: FlightFigures, other: FlightFigures): number | undefined {
  return isPlace(one) && isPlace(other) ? distanceBetween(one, other) : undefined;
}

function isPlace(figures: FlightFigures): figures is FlightFigures & Coordinates {
  return figures.latitude !== undefined && figures.longitude !== undefined;
}

/** Returns the longest distance that an aircraft flies in a time. */
function milesIn(seconds: number, one: FlightFigures, other: FlightFigures): number {
  const {knots, miles} = TELEPORT;
  const fastest = Math.max(one.groundSpeedKnots ?? knots.unknown, other.groundSpeedKnots ?? knots.unknown);
  return miles + ((fastest + knots.more) * seconds) / 3600;
}
