import {type Airport, FLIGHT_PHASES, type FlightPhase, type FlightPosition} from '../domain/plugins/flight.ts';
import {type Coordinates, courseBetween, distanceBetween, placeAt, placeBetween} from './great-circle.ts';

/** Course of a flight over its whole time. Times are simulated seconds since the start. */
export interface FlightProfile {
  readonly from: Airport;
  readonly to: Airport;
  /** Turning point halfway between airports that are too near for the great circle, or the same. */
  readonly turn: Coordinates | undefined;
  readonly cruiseFeet: number;
  readonly legs: readonly Leg[];
}

/** One phase, in which altitude and distance change linearly. */
interface Leg {
  readonly phase: FlightPhase;
  readonly startSeconds: number;
  readonly seconds: number;
  readonly startFeet: number;
  readonly endFeet: number;
  readonly startMiles: number;
  readonly endMiles: number;
}

/** Shortest flight, in nautical miles: long enough for a climb to the altitude of the approach, and the approach. Hops and circuits make a detour. */
const SHORTEST_FLIGHT_MILES = 25;

const USUAL_CRUISE_FEET = 37_000;
const APPROACH_FEET = 3000;

/** Typical rates of a short-haul airliner: feet per minute, and knots over the ground. */
const CLIMB = {feetPerMinute: 2000, knots: 320};
const DESCENT = {feetPerMinute: 1800, knots: 330};
const APPROACH = {feetPerMinute: 750, knots: 150};
const CRUISE_KNOTS = 450;

const SECONDS_ON_THE_GROUND = {BOARDING: 300, PUSH_BACK: 120, TAXI: 480, TAKEOFF: 40, TAXI_TO_GATE: 300};

/** Ends of a flight, and what varies it. */
export interface FlightCourse {
  readonly from: Airport;
  readonly to: Airport;
  /** Planned altitude of the cruise. @default {37,000} */
  readonly cruiseFeet?: number | undefined;
  /** Returns numbers from 0 to 1, which vary the times on the ground and the speed of the cruise by up to a tenth. */
  readonly random: () => number;
}

/** Plans a flight along the great circle, or by a turning point between near airports. It cruises as high as planned, or as climb and descent fit into the distance. */
export function planFlight({from, to, cruiseFeet: planned = USUAL_CRUISE_FEET, random}: FlightCourse): FlightProfile {
  const vary = (value: number): number => value * (0.9 + random() * 0.2);
  const direct = distanceBetween(from, to);
  const miles = Math.max(direct, SHORTEST_FLIGHT_MILES);
  const turn = direct < miles ? findTurn(from, to, {direct, miles}) : undefined;
  const cruiseFeet = Math.max(APPROACH_FEET, Math.min(planned, highestCruise(miles)));
  const climbSeconds = (cruiseFeet / CLIMB.feetPerMinute) * 60;
  const descentSeconds = ((cruiseFeet - APPROACH_FEET) / DESCENT.feetPerMinute) * 60;
  const approachSeconds = (APPROACH_FEET / APPROACH.feetPerMinute) * 60;
  const climbMiles = milesIn(climbSeconds, CLIMB.knots);
  const descentMiles = milesIn(descentSeconds, DESCENT.knots);
  const approachMiles = milesIn(approachSeconds, APPROACH.knots);
  const cruiseMiles = miles - climbMiles - descentMiles - approachMiles;
  const onGround = (phase: keyof typeof SECONDS_ON_THE_GROUND): Part => ({
    phase,
    seconds: vary(SECONDS_ON_THE_GROUND[phase]),
    feet: 0,
    miles: 0,
  });
  const legs = joinParts([
    ...(['BOARDING', 'PUSH_BACK', 'TAXI', 'TAKEOFF'] as const).map(onGround),
    {phase: 'CLIMB', seconds: climbSeconds, feet: cruiseFeet, miles: climbMiles},
    {phase: 'CRUISE', seconds: (cruiseMiles / vary(CRUISE_KNOTS)) * 3600, feet: 0, miles: cruiseMiles},
    {phase: 'DESCENT', seconds: descentSeconds, feet: APPROACH_FEET - cruiseFeet, miles: descentMiles},
    {phase: 'APPROACH', seconds: approachSeconds, feet: -APPROACH_FEET, miles: approachMiles},
    onGround('TAXI_TO_GATE'),
    {phase: 'ARRIVED', seconds: 0, feet: 0, miles: 0},
  ]);
  return {from, to, turn, cruiseFeet, legs};
}

/** Returns the place beside the way from which both airports are half the miles away. */
function findTurn(
  from: Airport,
  to: Airport,
  {direct, miles}: {readonly direct: number; readonly miles: number},
): Coordinates {
  const besideMiles = Math.sqrt((miles / 2) ** 2 - (direct / 2) ** 2);
  return placeAt(placeBetween(from, to, 0.5), courseBetween(from, to) + 90, besideMiles);
}

/** Returns the time at which a phase begins. */
export function startOf({legs}: FlightProfile, phase: FlightPhase): number {
  return legs.find(leg => leg.phase === phase)?.startSeconds ?? 0;
}

/** Returns the time at which a flight that is restored goes on: where it was in its phase, or at the beginning of the phase. */
export function restoredAt(
  profile: FlightProfile,
  {phase, elapsedSeconds}: {readonly phase: FlightPhase | undefined; readonly elapsedSeconds: number | undefined},
): number {
  const isWithin = (seconds: number): boolean => phase === undefined || positionAt(profile, seconds).phase === phase;
  if (elapsedSeconds !== undefined && isWithin(elapsedSeconds)) return elapsedSeconds;
  return startOf(profile, phase ?? 'BOARDING');
}

/** Returns the position at a time: before the start the departure, after the arrival the destination. */
export function positionAt(profile: FlightProfile, elapsedSeconds: number): FlightPosition {
  const {legs} = profile;
  const leg = legs.findLast(({startSeconds}) => startSeconds <= elapsedSeconds) ?? firstOf(legs);
  const part = leg.seconds === 0 ? 0 : Math.min(1, Math.max(0, (elapsedSeconds - leg.startSeconds) / leg.seconds));
  const total = legs.at(-1)?.endMiles ?? 0;
  const miles = leg.startMiles + (leg.endMiles - leg.startMiles) * part;
  return {
    phase: leg.phase,
    ...placeAndHeading(profile, miles / total),
    altitudeFeet: leg.startFeet + (leg.endFeet - leg.startFeet) * part,
    verticalSpeedFeetPerMinute: leg.seconds === 0 ? 0 : ((leg.endFeet - leg.startFeet) / leg.seconds) * 60,
    groundSpeedKnots: leg.seconds === 0 ? 0 : groundSpeedOf(leg),
    flownNauticalMiles: miles,
    toGoNauticalMiles: total - miles,
  };
}

/** Returns the place at a fraction of the way, and the course from there; at its end, that of the last part. */
function placeAndHeading(
  {from, to, turn}: FlightProfile,
  fraction: number,
): Pick<FlightPosition, 'latitude' | 'longitude' | 'headingDegrees'> {
  const isBeforeTurn = turn !== undefined && fraction < 0.5;
  const [begin, end] = isBeforeTurn ? [from, turn] : [turn ?? from, to];
  const part = turn === undefined ? fraction : isBeforeTurn ? fraction * 2 : fraction * 2 - 1;
  const place = placeBetween(begin, end, part);
  return {...place, headingDegrees: courseBetween(part < 1 ? place : begin, end)};
}

/** Part of a flight: its changes of altitude and distance. */
interface Part {
  readonly phase: FlightPhase;
  readonly seconds: number;
  readonly feet: number;
  readonly miles: number;
}

function joinParts(parts: readonly Part[]): readonly Leg[] {
  let [startSeconds, startFeet, startMiles] = [0, 0, 0];
  return parts.map(({phase, seconds, feet, miles}) => {
    const [endFeet, endMiles] = [startFeet + feet, startMiles + miles];
    const leg = {phase, startSeconds, seconds, startFeet, endFeet, startMiles, endMiles};
    [startSeconds, startFeet, startMiles] = [startSeconds + seconds, endFeet, endMiles];
    return leg;
  });
}

/** Returns the highest whole thousand of feet at which climb, descent and approach fit into the distance. */
function highestCruise(miles: number): number {
  const climbPerFoot = milesIn(60 / CLIMB.feetPerMinute, CLIMB.knots);
  const descentPerFoot = milesIn(60 / DESCENT.feetPerMinute, DESCENT.knots);
  const approachMiles = milesIn((APPROACH_FEET / APPROACH.feetPerMinute) * 60, APPROACH.knots);
  const feet = (miles - approachMiles + APPROACH_FEET * descentPerFoot) / (climbPerFoot + descentPerFoot);
  return Math.floor(feet / 1000) * 1000;
}

function milesIn(seconds: number, knots: number): number {
  return (seconds / 3600) * knots;
}

/** Returns the ground speed. It is a constant while taxiing and at takeoff, which cover no distance of the route. */
function groundSpeedOf({phase, startMiles, endMiles, seconds}: Leg): number {
  if (phase === 'TAXI' || phase === 'TAXI_TO_GATE') return 15;
  if (phase === 'TAKEOFF') return 140;
  return ((endMiles - startMiles) / seconds) * 3600;
}

function firstOf(legs: readonly Leg[]): Leg {
  const [first] = legs;
  if (first === undefined) throw new Error(`a flight has ${FLIGHT_PHASES.length} phases`);
  return first;
}
