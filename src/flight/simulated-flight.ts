import type {Airport, Flight, FlightOptions, FlightPhase, FlightStatus} from '../domain/plugins/flight.ts';
import {AppError} from '../failures/app-error.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {AIRPORTS} from './airports.ts';
import {type FlightProfile, planFlight, positionAt, SHORTEST_FLIGHT_MILES, startOf} from './flight-profile.ts';
import {distanceBetween} from './great-circle.ts';

export interface FlightDeps {
  /** Returns a monotonic time, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** Maximum speed, in simulated seconds per second: a long flight then takes a minute. */
const SPEED_MAX = 1000;

/** Creates the simulator of flights. No flight is running at first. */
export function openFlight(deps: FlightDeps): Flight {
  return new SimulatedFlight(deps);
}

interface Started {
  readonly profile: FlightProfile;
  readonly number: string;
  readonly bidId: string | number | undefined;
  readonly speed: number;
  readonly seed: number;
  readonly isConnected: boolean;
  /** Simulated time at `sinceMs`, in seconds. */
  readonly baseSeconds: number;
  /** Undefined while the flight is paused. */
  readonly sinceMs: number | undefined;
}

class SimulatedFlight implements Flight {
  readonly #elapsedMs: () => number;
  #started: Started | undefined;

  constructor({elapsedMs}: FlightDeps) {
    this.#elapsedMs = elapsedMs;
  }

  status(): FlightStatus | undefined {
    return this.#started && this.#describe(this.#started);
  }

  start({from = 'EDDF', to = 'LPMA', speed = 1, seed = 1, bidId}: FlightOptions = {}): FlightStatus {
    const problems: DocumentProblem[] = [];
    const ends = [findAirport('from', from, problems), findAirport('to', to, problems)] as const;
    if (!(speed >= 1 && speed <= SPEED_MAX))
      problems.push({path: '$.speed', problem: `has to be a number from 1 to ${SPEED_MAX}`});
    if (!Number.isSafeInteger(seed) || seed < 0)
      problems.push({path: '$.seed', problem: 'has to be a whole number, 0 or more'});
    const [departure, arrival] = ends;
    if (departure === undefined || arrival === undefined || problems.length > 0)
      throw new AppError({code: 'invalid-flight', problems});
    assertDistance(departure, arrival);
    const random = createRandom(seed);
    const number = String(1000 + Math.floor(random() * 9000));
    const profile = planFlight(departure, arrival, random);
    return this.#become({
      profile,
      number,
      bidId,
      speed,
      seed,
      isConnected: true,
      baseSeconds: 0,
      sinceMs: this.#elapsedMs(),
    });
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

  stop(): void {
    this.#started = undefined;
  }

  #require(): Started {
    if (this.#started === undefined) throw new AppError({code: 'no-flight'});
    return this.#started;
  }

  #become(started: Started): FlightStatus {
    this.#started = started;
    return this.#describe(started);
  }

  #secondsOf({baseSeconds, sinceMs, speed}: Started): number {
    return sinceMs === undefined ? baseSeconds : baseSeconds + ((this.#elapsedMs() - sinceMs) / 1000) * speed;
  }

  #describe(started: Started): FlightStatus {
    const {profile, number, bidId, speed, seed, isConnected, sinceMs} = started;
    const {from, to, cruiseFeet} = profile;
    const elapsedSeconds = this.#secondsOf(started);
    const isPaused = sinceMs === undefined;
    const position = positionAt(profile, elapsedSeconds);
    return {...position, from, to, number, bidId, speed, seed, isPaused, isConnected, elapsedSeconds, cruiseFeet};
  }
}

function findAirport(name: string, code: string, problems: DocumentProblem[]): Airport | undefined {
  const airport = AIRPORTS.get(code.toUpperCase());
  if (airport === undefined)
    problems.push({path: `$.${name}`, problem: `is not one of ${[...AIRPORTS.keys()].join(', ')}`});
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
