import {checkFlight, FLIGHT_OPTIONS, invalidFlight} from '../../core/documents/flight.ts';
import type {Problem} from '../../core/documents/problems.ts';
import {
  type Airport,
  FLIGHT_LEVEL_MAX,
  type FlightOptions,
  type FlightStatus,
} from '../../core/domain/plugins/flight.ts';
import {AIRPORTS} from './airports.ts';
import type {FlightCourse} from './flight-profile.ts';

/** Names of the plan of a flight. */
const PLAN_NAMES = [
  ...(['from', 'to', 'number', 'code', 'aircraft', 'route'] as const),
  ...(['level', 'fuel', 'pax', 'bidId', 'startedBy'] as const),
] as const;

/** Names of the options of a simulation. */
const SIMULATION_NAMES = ['speed', 'seed', 'landingRateFeetPerMinute', 'phase', 'elapsedSeconds'] as const;

/** Returns whether options ask for a simulation, and do not only describe a flight. */
export function isSimulation(options: FlightOptions): boolean {
  return SIMULATION_NAMES.some(name => options[name] !== undefined);
}

/** The plan of a flight, and the options of its simulation. */
export type FlightFacts = Partial<
  Pick<FlightStatus, (typeof PLAN_NAMES)[number] | 'speed' | 'seed' | 'landingRateFeetPerMinute' | 'cruiseFeet'>
>;

/** Options with their defaults. */
interface ReadOptions extends Pick<FlightOptions, 'phase' | 'elapsedSeconds'> {
  readonly facts: FlightFacts;
  readonly course: FlightCourse;
  readonly speed: number;
}

/**
 * Reads the options of a flight. What a simulation lacks is made up; the plan of a reported flight stays as it is.
 *
 * @throws {AppError} `invalid-body` with each problem.
 */
export function readFlightOptions(options: FlightOptions, {isSimulated}: {readonly isSimulated: boolean}): ReadOptions {
  const {startedBy: _caller, ...sent} = options;
  checkFlight(FLIGHT_OPTIONS, sent);
  const {speed = 1, seed = 1, landingRateFeetPerMinute: landingRate, phase, elapsedSeconds, ...plan} = options;
  const problems: Problem[] = [];
  const ends = {from: findAirport('from', plan.from, problems), to: findAirport('to', plan.to, problems)};
  if (problems.length > 0) throw invalidFlight('flight', problems);
  const random = createRandom(seed);
  const drawn = String(1000 + Math.floor(random() * 9000));
  const course = {
    from: ends.from ?? airportOf('EDDF'),
    to: ends.to ?? airportOf('LPMA'),
    cruiseFeet: feetOf(plan.level),
    landingRate,
    random,
  };
  const simulated = {number: plan.number ?? drawn, from: course.from, to: course.to, speed, seed};
  const rate = landingRate === undefined ? {} : {landingRateFeetPerMinute: landingRate};
  const facts = isSimulated ? {...plan, ...simulated, ...rate} : {...plan, ...ends};
  return {facts, course, speed, phase, elapsedSeconds};
}

/** Returns the options with which a flight was started. */
export function planOf(flight: FlightStatus): FlightOptions {
  const names = [...PLAN_NAMES, 'speed', 'seed', 'landingRateFeetPerMinute'] as const;
  return Object.fromEntries(names.flatMap(name => (flight[name] === undefined ? [] : [[name, flight[name]]])));
}

/** Returns the planned altitude of the cruise. Without one, 0 is sent. */
function feetOf(level = 0): number | undefined {
  if (level === 0) return undefined;
  return level <= FLIGHT_LEVEL_MAX ? level * 100 : level;
}

function findAirport(name: string, given: string | Airport | undefined, problems: Problem[]): Airport | undefined {
  if (typeof given !== 'string') return given;
  const airport = AIRPORTS.get(given.toUpperCase());
  if (airport === undefined)
    problems.push({keys: [name], problem: `has no place and is not one of ${[...AIRPORTS.keys()].join(', ')}`});
  return airport;
}

function airportOf(code: string): Airport {
  const airport = AIRPORTS.get(code);
  if (airport === undefined) throw new Error(`there is no airport ${code}`);
  return airport;
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
