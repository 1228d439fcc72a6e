import {checkFlight, FLIGHT_OPTIONS, invalidFlight} from '../../core/documents/flight.ts';
import type {Problem} from '../../core/documents/problems.ts';
import {
  type Airport,
  FLIGHT_LEVEL_MAX,
  type FlightFigures,
  type FlightOptions,
  type FlightStatus,
} from '../../core/domain/plugins/flight.ts';
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

/** Airports that a simulated flight can connect, by their codes. */
export const AIRPORTS: ReadonlyMap<string, Airport> = new Map(
  (
    [
      ['CYYZ', 'Toronto Pearson', 43.677, -79.631, 569],
      ['EBBR', 'Brussels', 50.901, 4.484, 184],
      ['EDDB', 'Berlin Brandenburg', 52.362, 13.501, 157],
      ['EDDF', 'Frankfurt', 50.033, 8.571, 364],
      ['EDDM', 'Munich', 48.354, 11.786, 1487],
      ['EGLL', 'London Heathrow', 51.471, -0.462, 83],
      ['EHAM', 'Amsterdam Schiphol', 52.308, 4.764, -11],
      ['EIDW', 'Dublin', 53.421, -6.27, 242],
      ['EKCH', 'Copenhagen', 55.618, 12.656, 17],
      ['ENGM', 'Oslo Gardermoen', 60.194, 11.1, 681],
      ['FACT', 'Cape Town', -33.965, 18.602, 151],
      ['GCLP', 'Gran Canaria', 27.932, -15.387, 78],
      ['HECA', 'Cairo', 30.122, 31.406, 382],
      ['KJFK', 'New York John F. Kennedy', 40.64, -73.779, 13],
      ['KLAX', 'Los Angeles', 33.943, -118.408, 128],
      ['KORD', 'Chicago O’Hare', 41.979, -87.905, 680],
      ['LEBL', 'Barcelona', 41.297, 2.078, 12],
      ['LEMD', 'Madrid Barajas', 40.472, -3.561, 1998],
      ['LFPG', 'Paris Charles de Gaulle', 49.013, 2.55, 392],
      ['LGAV', 'Athens', 37.936, 23.944, 308],
      ['LIRF', 'Rome Fiumicino', 41.8, 12.239, 13],
      ['LOWW', 'Vienna', 48.11, 16.57, 600],
      ['LPMA', 'Madeira', 32.698, -16.774, 192],
      ['LPPT', 'Lisbon', 38.774, -9.134, 374],
      ['LSZH', 'Zurich', 47.465, 8.549, 1416],
      ['LTFM', 'Istanbul', 41.262, 28.742, 325],
      ['NZAA', 'Auckland', -37.008, 174.792, 23],
      ['OMDB', 'Dubai', 25.253, 55.364, 62],
      ['RJTT', 'Tokyo Haneda', 35.552, 139.78, 35],
      ['SBGR', 'São Paulo Guarulhos', -23.432, -46.47, 2461],
      ['VHHH', 'Hong Kong', 22.309, 113.915, 28],
      ['WSSS', 'Singapore Changi', 1.35, 103.994, 22],
      ['YSSY', 'Sydney', -33.946, 151.177, 21],
    ] as const
  ).map(([code, name, latitude, longitude, elevationFeet]) => [code, {code, name, latitude, longitude, elevationFeet}]),
);
