import {checkFlight, FLIGHT_OPTIONS, invalidFlight} from '../../core/documents/flight.ts';
import type {Problem} from '../../core/documents/problems.ts';
import {
  type Airport,
  FLIGHT_LEVEL_MAX,
  type FlightFigures,
  type FlightOptions,
  type FlightStatus,
} from '../../core/domain/plugins/flight.ts';
import {AIRPORTS} from './airports.ts';
import type {FlightTrack} from './flight-track.ts';

/** Names of the options of a simulation. */
const SIMULATION_NAMES = ['speed', 'seed', 'landingRateFeetPerMinute', 'phase', 'elapsedSeconds'] as const;

/** Returns whether options ask for a simulation, and do not only describe a flight. */
export function isSimulation(options: FlightOptions): boolean {
  return SIMULATION_NAMES.some(name => options[name] !== undefined);
}

/** The plan of a flight, and the options of its simulation. */
export type FlightFacts = Partial<
  Omit<FlightStatus, keyof FlightTrack | keyof FlightFigures | 'isConnected' | 'simulator'>
>;

/**
 * Reads the options of a flight. What a simulation lacks is made up; the plan of a reported flight stays as it is.
 *
 * @throws {AppError} `invalid-body` with each problem.
 */
export function readFlightOptions(options: FlightOptions, {isSimulated}: {readonly isSimulated: boolean}) {
  const {startedBy: _caller, ...sent} = options;
  checkFlight(FLIGHT_OPTIONS, sent);
  const {speed = 1, seed = 1, landingRateFeetPerMinute: landingRate, phase, elapsedSeconds, ...plan} = options;
  const problems: Problem[] = [];
  const from = findAirport('from', plan.from ?? 'EDDF', problems);
  const to = findAirport('to', plan.to ?? 'LPMA', problems);
  if (problems.length > 0) throw invalidFlight('flight', problems);
  const random = createRandom(seed);
  const drawn = String(1000 + Math.floor(random() * 9000));
  // Without a planned cruise, 0 is sent.
  const cruiseFeet = (plan.level ?? 0) * ((plan.level ?? 0) <= FLIGHT_LEVEL_MAX ? 100 : 1) || undefined;
  const course = {from, to, cruiseFeet, landingRate, random};
  const simulated = {number: plan.number ?? drawn, from, to, speed, seed};
  const rate = landingRate === undefined ? {} : {landingRateFeetPerMinute: landingRate};
  const ends = {from: plan.from === undefined ? undefined : from, to: plan.to === undefined ? undefined : to};
  const facts: FlightFacts = isSimulated ? {...plan, ...simulated, ...rate} : {...plan, ...ends};
  return {facts, course, speed, phase, elapsedSeconds};
}

/** Returns the options with which a flight was started. */
export function planOf(flight: FlightStatus): FlightOptions {
  const {from, to, number, code, aircraft, route, level, fuel, pax, bidId, startedBy} = flight;
  const {speed, seed, landingRateFeetPerMinute} = flight;
  const plan = {from, to, number, code, aircraft, route, level, fuel, pax, bidId, startedBy};
  return {...plan, speed, seed, landingRateFeetPerMinute};
}

/** Returns an airport; one without a place if there is a problem. */
function findAirport(name: string, given: string | Airport, problems: Problem[]): Airport {
  if (typeof given !== 'string') return given;
  const airport = AIRPORTS.get(given.toUpperCase());
  if (airport !== undefined) return airport;
  problems.push({keys: [name], problem: `has no place and is not one of ${[...AIRPORTS.keys()].join(', ')}`});
  return {code: given, name: given, latitude: NaN, longitude: NaN};
}

/**
 * Creates a generator of numbers from 0 to below 1, the same for the same seed: a linear congruential generator modulo 2^32
 * (constants of Numerical Recipes, section 7.1).
 */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
