import {Listeners} from '../domain/listeners.ts';
import {
  type Airport,
  FLIGHT_LEVEL_MAX,
  FLIGHT_SPEED_MAX,
  type Flight,
  type FlightOptions,
  type FlightPhase,
  type FlightPlan,
  type FlightPosition,
  type FlightStatus,
} from '../domain/plugins/flight.ts';
import {AppError} from '../failures/app-error.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {type FlightProfile, planFlight, positionAt, restoredAt, startOf} from './flight-profile.ts';

export interface FlightDeps {
  /** Returns a monotonic time, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** Creates the simulator of flights. No flight is running at first. */
export function openFlight(deps: FlightDeps): Flight {
  return new SimulatedFlight(deps);
}

interface Started {
  readonly profile: FlightProfile;
  readonly facts: FlightPlan & Pick<FlightStatus, 'number' | 'startedBy' | 'speed' | 'seed'>;
  readonly isConnected: boolean;
  /** Simulated time at `sinceMs`, in seconds. */
  readonly baseSeconds: number;
  /** Undefined while the flight is paused. */
  readonly sinceMs: number | undefined;
}

class SimulatedFlight implements Flight {
  readonly #elapsedMs: () => number;
  readonly #listeners = new Listeners();
  #started: Started | undefined;

  constructor({elapsedMs}: FlightDeps) {
    this.#elapsedMs = elapsedMs;
  }

  status(): FlightStatus | undefined {
    return this.#started && this.#describe(this.#started);
  }

  start(options: FlightOptions = {}): FlightStatus {
    const {from = 'EDDF', to = 'LPMA', number, speed = 1, seed = 1, phase, elapsedSeconds, ...plan} = options;
    const problems: DocumentProblem[] = [];
    const ends = [findAirport('from', from, problems), findAirport('to', to, problems)] as const;
    checkSpeed(speed, problems);
    if (!Number.isSafeInteger(seed) || seed < 0)
      problems.push({path: '$.seed', problem: 'has to be a whole number, 0 or more'});
    const [departure, arrival] = ends;
    if (departure === undefined || arrival === undefined || problems.length > 0)
      throw new AppError({code: 'invalid-flight', problems});
    const random = createRandom(seed);
    const drawn = String(1000 + Math.floor(random() * 9000));
    const profile = planFlight({from: departure, to: arrival, cruiseFeet: feetOf(plan.level), random});
    const started = this.#become({
      profile,
      facts: {...plan, number: number ?? drawn, speed, seed},
      isConnected: true,
      baseSeconds: restoredAt(profile, {phase, elapsedSeconds}),
      sinceMs: this.#elapsedMs(),
    });
    this.#listeners.call();
    return started;
  }

  pause(): FlightStatus {
    const started = this.#require();
    const sinceMs = started.sinceMs === undefined ? this.#elapsedMs() : undefined;
    return this.#become({...started, baseSeconds: this.#secondsOf(started), sinceMs});
  }

  jump(phase: FlightPhase): FlightStatus {
    const started = this.#require();
    const sinceMs = started.sinceMs === undefined ? undefined : this.#elapsedMs();
    return this.#become({...started, baseSeconds: startOf(started.profile, phase), sinceMs});
  }

  disconnect(): FlightStatus {
    const started = this.#require();
    return this.#become({...started, isConnected: !started.isConnected});
  }

  changeSpeed(speed: number): FlightStatus {
    const started = this.#require();
    const problems: DocumentProblem[] = [];
    checkSpeed(speed, problems);
    if (problems.length > 0) throw new AppError({code: 'invalid-flight', problems});
    const sinceMs = started.sinceMs === undefined ? undefined : this.#elapsedMs();
    const facts = {...started.facts, speed};
    return this.#become({...started, facts, baseSeconds: this.#secondsOf(started), sinceMs});
  }

  stop(): void {
    if (this.#started === undefined) return;
    this.#started = undefined;
    this.#listeners.call();
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  #require(): Started {
    if (this.#started === undefined) throw new AppError({code: 'no-flight'});
    return this.#started;
  }

  #become(started: Started): FlightStatus {
    this.#started = started;
    return this.#describe(started);
  }

  #secondsOf({baseSeconds, sinceMs, facts}: Started): number {
    return sinceMs === undefined ? baseSeconds : baseSeconds + ((this.#elapsedMs() - sinceMs) / 1000) * facts.speed;
  }

  #describe(started: Started): FlightStatus {
    const {profile, facts, isConnected, sinceMs} = started;
    const {from, to, cruiseFeet} = profile;
    const seconds = this.#secondsOf(started);
    const state = {isPaused: sinceMs === undefined, isConnected, elapsedSeconds: round(seconds, 1)};
    return {...roundPosition(positionAt(profile, seconds)), ...facts, from, to, ...state, cruiseFeet};
  }
}

/** Returns the planned altitude of the cruise. Without one, 0 is sent. */
function feetOf(level = 0): number | undefined {
  if (level === 0) return undefined;
  return level <= FLIGHT_LEVEL_MAX ? level * 100 : level;
}

function roundPosition(position: FlightPosition): FlightPosition {
  return {
    phase: position.phase,
    latitude: round(position.latitude, 6),
    longitude: round(position.longitude, 6),
    headingDegrees: round(position.headingDegrees) % 360,
    altitudeFeet: round(position.altitudeFeet),
    verticalSpeedFeetPerMinute: round(position.verticalSpeedFeetPerMinute),
    groundSpeedKnots: round(position.groundSpeedKnots),
    flownNauticalMiles: round(position.flownNauticalMiles, 1),
    toGoNauticalMiles: round(position.toGoNauticalMiles, 1),
  };
}

/** Rounds a number, without the sign of a zero. */
function round(value: number, digits = 0): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor + 0;
}

function checkSpeed(speed: number, problems: DocumentProblem[]): void {
  if (!(speed >= 1 && speed <= FLIGHT_SPEED_MAX))
    problems.push({path: '$.speed', problem: `has to be a number from 1 to ${FLIGHT_SPEED_MAX}`});
}

function findAirport(name: string, given: string | Airport, problems: DocumentProblem[]): Airport | undefined {
  if (typeof given !== 'string') return given;
  const airport = AIRPORTS.get(given.toUpperCase());
  if (airport === undefined)
    problems.push({path: `$.${name}`, problem: `has no place and is not one of ${[...AIRPORTS.keys()].join(', ')}`});
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

/** Airports that a simulated flight can connect, by their codes. */
export const AIRPORTS: ReadonlyMap<string, Airport> = new Map(
  [
    airport('CYYZ', 'Toronto Pearson', 43.677, -79.631),
    airport('EBBR', 'Brussels', 50.901, 4.484),
    airport('EDDB', 'Berlin Brandenburg', 52.362, 13.501),
    airport('EDDF', 'Frankfurt', 50.033, 8.571),
    airport('EDDM', 'Munich', 48.354, 11.786),
    airport('EGLL', 'London Heathrow', 51.471, -0.462),
    airport('EHAM', 'Amsterdam Schiphol', 52.308, 4.764),
    airport('EIDW', 'Dublin', 53.421, -6.27),
    airport('EKCH', 'Copenhagen', 55.618, 12.656),
    airport('ENGM', 'Oslo Gardermoen', 60.194, 11.1),
    airport('FACT', 'Cape Town', -33.965, 18.602),
    airport('GCLP', 'Gran Canaria', 27.932, -15.387),
    airport('HECA', 'Cairo', 30.122, 31.406),
    airport('KJFK', 'New York John F. Kennedy', 40.64, -73.779),
    airport('KLAX', 'Los Angeles', 33.943, -118.408),
    airport('KORD', 'Chicago O’Hare', 41.979, -87.905),
    airport('LEBL', 'Barcelona', 41.297, 2.078),
    airport('LEMD', 'Madrid Barajas', 40.472, -3.561),
    airport('LFPG', 'Paris Charles de Gaulle', 49.013, 2.55),
    airport('LGAV', 'Athens', 37.936, 23.944),
    airport('LIRF', 'Rome Fiumicino', 41.8, 12.239),
    airport('LOWW', 'Vienna', 48.11, 16.57),
    airport('LPMA', 'Madeira', 32.698, -16.774),
    airport('LPPT', 'Lisbon', 38.774, -9.134),
    airport('LSZH', 'Zurich', 47.465, 8.549),
    airport('LTFM', 'Istanbul', 41.262, 28.742),
    airport('NZAA', 'Auckland', -37.008, 174.792),
    airport('OMDB', 'Dubai', 25.253, 55.364),
    airport('RJTT', 'Tokyo Haneda', 35.552, 139.78),
    airport('SBGR', 'São Paulo Guarulhos', -23.432, -46.47),
    airport('VHHH', 'Hong Kong', 22.309, 113.915),
    airport('WSSS', 'Singapore Changi', 1.35, 103.994),
    airport('YSSY', 'Sydney', -33.946, 151.177),
  ].map(each => [each.code, each]),
);

function airport(code: string, name: string, latitude: number, longitude: number): Airport {
  return {code, name, latitude, longitude};
}
