import {type Airport, FLIGHT_PHASES, type FlightFigures, type FlightPhase} from '../../core/domain/plugins/flight.ts';
import {APPROACH_HEIGHT_FEET} from './flight-track.ts';
import {type Coordinates, courseBetween, distanceBetween, placeAt, placeBetween} from './great-circle.ts';

/** Course of a flight over its whole time. Times are simulated seconds since the start. */
export interface FlightProfile {
  readonly from: Airport;
  readonly to: Airport;
  /** Turning point halfway between airports that are too near for the great circle, or the same. */
  readonly turn: Coordinates | undefined;
  readonly cruiseFeet: number;
  readonly touchdown: {readonly feetPerMinute: number; readonly gForce: number};
  readonly legs: readonly Leg[];
}

/** Part of a phase, in which altitude, distance and ground speed change linearly. */
interface Leg extends Part {
  readonly startSeconds: number;
  readonly startFeet: number;
  readonly startMiles: number;
}

/** Shortest flight, in nautical miles: long enough for a climb to the altitude of the approach, and the approach. Hops and circuits make a detour. */
const SHORTEST_FLIGHT_MILES = 25;

const USUAL_CRUISE_FEET = 37_000;

/** Typical rates of a short-haul airliner: feet per minute, and knots over the ground. */
const CLIMB = {feetPerMinute: 2000, knots: 320};
const DESCENT = {feetPerMinute: 1800, knots: 330};
const APPROACH = {feetPerMinute: 750, knots: 150};
const CRUISE_KNOTS = 450;

/** Times on the ground, in seconds, and ground speeds at their beginnings and ends, in knots. */
const ON_THE_GROUND = {
  BOARDING: {seconds: 300, knots: [0, 0]},
  PUSH_BACK: {seconds: 120, knots: [2, 2]},
  TAXI: {seconds: 480, knots: [15, 15]},
  TAKEOFF: {seconds: 40, knots: [0, 150]},
  APPROACH: {seconds: 30, knots: [135, 15]},
  TAXI_TO_GATE: {seconds: 300, knots: [15, 15]},
} as const;

/** Time of the flare, in seconds, in which the aircraft sinks at its landing rate. */
const FLARE_SECONDS = 6;

/** Shortest cruise, in nautical miles: hops have one too. */
const SHORTEST_CRUISE_MILES = 4;

/** Usual landing rates, in feet per minute: from a soft landing to one that passengers talk about. */
const LANDING_RATES = {min: 90, max: 420} as const;

/** Ends of a flight, and what varies it. */
export interface FlightCourse {
  readonly from: Airport;
  readonly to: Airport;
  /** Planned altitude of the cruise. @default {37,000} */
  readonly cruiseFeet?: number | undefined;
  /** Rate of descent at touchdown, in feet per minute. @default {drawn} */
  readonly landingRate?: number | undefined;
  /** Returns numbers from 0 to 1, which vary the times on the ground and the speed of the cruise by up to a tenth. */
  readonly random: () => number;
}

/** Plans a flight along the great circle, or by a turning point between near airports. It cruises as high as planned, or as climb and descent fit into the distance. */
export function planFlight(course: FlightCourse): FlightProfile {
  const {from, to, cruiseFeet: planned = USUAL_CRUISE_FEET, landingRate, random} = course;
  const vary = (value: number): number => value * (0.9 + random() * 0.2);
  const miles = Math.max(distanceBetween(from, to), SHORTEST_FLIGHT_MILES);
  const turn = distanceBetween(from, to) < miles ? findTurn(from, to, miles) : undefined;
  const [startFeet, endFeet] = [from.elevationFeet ?? 0, to.elevationFeet ?? 0];
  const approachFeet = endFeet + APPROACH_HEIGHT_FEET;
  const highest = highestCruise(miles - SHORTEST_CRUISE_MILES, startFeet, approachFeet);
  const cruiseFeet = Math.max(approachFeet, startFeet + APPROACH_HEIGHT_FEET, Math.min(planned, highest));
  const climb = partOf('CLIMB', cruiseFeet - startFeet, CLIMB);
  const descent = partOf('DESCENT', approachFeet - cruiseFeet, DESCENT);
  const approach = partOf('APPROACH', -APPROACH_HEIGHT_FEET, APPROACH);
  const cruiseMiles = miles - climb.miles - descent.miles - approach.miles;
  const onGround = (phase: keyof typeof ON_THE_GROUND): Part => {
    const {seconds, knots} = ON_THE_GROUND[phase];
    return {phase, seconds: vary(seconds), feet: 0, miles: 0, knots, onGround: true};
  };
  const departure = (['BOARDING', 'PUSH_BACK', 'TAXI', 'TAKEOFF'] as const).map(onGround);
  const cruiseKnots = vary(CRUISE_KNOTS);
  const cruiseSeconds = (cruiseMiles / cruiseKnots) * 3600;
  const gate = onGround('TAXI_TO_GATE');
  const touchdown = drawTouchdown(landingRate, random);
  const flareFeet = (touchdown.feetPerMinute * FLARE_SECONDS) / 60;
  const legs = joinParts(startFeet, [
    ...departure,
    climb,
    {...climb, phase: 'CRUISE', seconds: cruiseSeconds, feet: 0, miles: cruiseMiles, knots: [cruiseKnots, cruiseKnots]},
    descent,
    {...approach, feet: approach.feet + flareFeet},
    {...approach, seconds: FLARE_SECONDS, feet: -flareFeet, miles: 0},
    onGround('APPROACH'),
    gate,
    {...gate, phase: 'ARRIVED', seconds: 0, knots: [0, 0]},
  ]);
  return {from, to, turn, cruiseFeet, touchdown, legs};
}

/** Returns a part in which the aircraft climbs or descends. */
function partOf(phase: FlightPhase, feet: number, {feetPerMinute, knots}: typeof CLIMB): Part {
  const seconds = (Math.abs(feet) / feetPerMinute) * 60;
  return {phase, seconds, feet, miles: milesIn(seconds, knots), knots: [knots, knots], onGround: false};
}

/** Draws a landing. Its load factor grows with its rate. */
function drawTouchdown(given: number | undefined, random: () => number): FlightProfile['touchdown'] {
  const {min, max} = LANDING_RATES;
  const feetPerMinute = given ?? Math.round(min + random() * (max - min));
  return {feetPerMinute, gForce: 1.05 + (feetPerMinute / 600) * (0.9 + random() * 0.2)};
}

/** Returns the place beside the way from which both airports are half the miles away. */
function findTurn(from: Airport, to: Airport, miles: number): Coordinates {
  const direct = distanceBetween(from, to);
  const besideMiles = Math.sqrt((miles / 2) ** 2 - (direct / 2) ** 2);
  return placeAt(placeBetween(from, to, 0.5), courseBetween(from, to) + 90, besideMiles);
}

/** Returns the leg at a time: before the start the first, after the arrival the last. */
export function legAt({legs}: FlightProfile, elapsedSeconds: number): Leg {
  const leg = legs.findLast(({startSeconds}) => startSeconds <= elapsedSeconds) ?? legs[0];
  if (leg === undefined) throw new Error(`a flight has ${FLIGHT_PHASES.length} phases`);
  return leg;
}

/** Returns the figures at a time. */
export function figuresAt(profile: FlightProfile, elapsedSeconds: number): FlightFigures {
  const {legs, from, to, touchdown} = profile;
  const leg = legAt(profile, elapsedSeconds);
  const inLeg = Math.max(0, elapsedSeconds - leg.startSeconds);
  const part = leg.seconds === 0 ? 0 : Math.min(1, inLeg / leg.seconds);
  const total = legs.at(-1)?.startMiles ?? 0;
  const miles = leg.startMiles + leg.miles * part;
  const altitudeFeet = leg.startFeet + leg.feet * part;
  const heightFeet = altitudeFeet - between([from.elevationFeet ?? 0, to.elevationFeet ?? 0], miles / total);
  const groundSpeedKnots = between(leg.knots, part);
  const isContact = leg.phase === 'APPROACH' && leg.onGround && inLeg < 1;
  const isFiring = leg.phase !== 'BOARDING' && leg.phase !== 'ARRIVED';
  return {
    ...placeAndHeading(profile, miles / total),
    altitudeFeet,
    heightFeet,
    verticalSpeedFeetPerMinute: leg.seconds === 0 ? 0 : (leg.feet / leg.seconds) * 60,
    groundSpeedKnots,
    trueAirspeedKnots: groundSpeedKnots,
    indicatedAirspeedKnots: groundSpeedKnots * Math.sqrt(densityAt(altitudeFeet)),
    gForce: isContact ? touchdown.gForce : 1,
    onGround: leg.onGround,
    enginesFiring: [isFiring, isFiring],
    gearDown: heightFeet < GEAR_FEET,
    flapsRatio: leg.phase === 'APPROACH' ? 1 : leg.phase === 'TAKEOFF' ? 0.25 : 0,
    fuelPounds: FUEL_POUNDS.left + (total - miles) * FUEL_POUNDS.perMile,
    flownNauticalMiles: miles,
    toGoNauticalMiles: total - miles,
  };
}

/** Height below which the gear is down, in feet. */
const GEAR_FEET = 1500;

/** Fuel of a narrow-body airliner: what is left at the end, and what a nautical mile takes. */
const FUEL_POUNDS = {left: 5000, perMile: 12} as const;

/** Returns the density of the air in proportion to that at sea level (ICAO Doc 7488, the troposphere). */
function densityAt(altitudeFeet: number): number {
  return (1 - 6.8756e-6 * altitudeFeet) ** 4.2559;
}

function between([start, end]: readonly [number, number], part: number): number {
  return start + (end - start) * part;
}

/** Returns the place at a fraction of the way, and the course from there; at its end, that of the last part. */
function placeAndHeading({from, to, turn}: FlightProfile, fraction: number) {
  const isBeforeTurn = turn !== undefined && fraction < 0.5;
  const [begin, end] = isBeforeTurn ? [from, turn] : [turn ?? from, to];
  const part = turn === undefined ? fraction : isBeforeTurn ? fraction * 2 : fraction * 2 - 1;
  const place = placeBetween(begin, end, part);
  return {...place, headingDegrees: courseBetween(part < 1 ? place : begin, end)};
}

/** Part of a flight: its time, its changes of altitude and distance, and the speeds at its ends. */
interface Part {
  readonly phase: FlightPhase;
  readonly seconds: number;
  readonly feet: number;
  readonly miles: number;
  readonly knots: readonly [number, number];
  readonly onGround: boolean;
}

function joinParts(feet: number, parts: readonly Part[]): readonly Leg[] {
  let at = {startSeconds: 0, startFeet: feet, startMiles: 0};
  return parts.map(part => {
    const {startSeconds: seconds, startFeet, startMiles: miles} = at;
    at = {startSeconds: seconds + part.seconds, startFeet: startFeet + part.feet, startMiles: miles + part.miles};
    return {...part, startSeconds: seconds, startFeet, startMiles: miles};
  });
}

/** Returns the highest multiple of 500 feet at which climb, descent and approach fit into the distance. */
function highestCruise(miles: number, startFeet: number, approachFeet: number): number {
  const climbPerFoot = milesIn(60 / CLIMB.feetPerMinute, CLIMB.knots);
  const descentPerFoot = milesIn(60 / DESCENT.feetPerMinute, DESCENT.knots);
  const approachMiles = milesIn((APPROACH_HEIGHT_FEET / APPROACH.feetPerMinute) * 60, APPROACH.knots);
  const spare = miles - approachMiles + startFeet * climbPerFoot + approachFeet * descentPerFoot;
  return Math.floor(spare / (climbPerFoot + descentPerFoot) / 500) * 500;
}

function milesIn(seconds: number, knots: number): number {
  return (seconds / 3600) * knots;
}
