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
import {AIRPORTS} from './airports.ts';
import {type FlightProfile, planFlight, positionAt, SHORTEST_FLIGHT_MILES, startOf} from './flight-profile.ts';
import {distanceBetween} from './great-circle.ts';

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
    const {from = 'EDDF', to = 'LPMA', number, speed = 1, seed = 1, phase = 'BOARDING', ...plan} = options;
    const problems: DocumentProblem[] = [];
    const ends = [findAirport('from', from, problems), findAirport('to', to, problems)] as const;
    checkSpeed(speed, problems);
    if (!Number.isSafeInteger(seed) || seed < 0)
      problems.push({path: '$.seed', problem: 'has to be a whole number, 0 or more'});
    const [departure, arrival] = ends;
    if (departure === undefined || arrival === undefined || problems.length > 0)
      throw new AppError({code: 'invalid-flight', problems});
    assertDistance(departure, arrival);
    const random = createRandom(seed);
    const drawn = String(1000 + Math.floor(random() * 9000));
    const profile = planFlight({from: departure, to: arrival, cruiseFeet: feetOf(plan.level), random});
    const started = this.#become({
      profile,
      facts: {...plan, number: number ?? drawn, speed, seed},
      isConnected: true,
      baseSeconds: startOf(profile, phase),
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

function assertDistance(from: Airport, to: Airport): void {
  if (distanceBetween(from, to) >= SHORTEST_FLIGHT_MILES) return;
  const problem = `is less than ${SHORTEST_FLIGHT_MILES} nautical miles from ${from.code}`;
  throw new AppError({code: 'invalid-flight', problems: [{path: '$.to', problem}]});
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
