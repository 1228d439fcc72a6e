import {
  type Aircraft,
  type Airport,
  FLIGHT_PHASES,
  type FlightOptions,
  type FlightPhase,
} from '../../domain/plugins/flight.ts';
import {UNSEEN} from '../../domain/unseen.ts';
import {isObject, type JsonMembers} from '../../json/members.ts';

/**
 * Limits of what a flight is started with, in characters and in the units of its members. Every plugin reads it, from any caller; the numbers are far
 * above those of real flights: the largest airliner carries 853 passengers and 320,000 litres of fuel, and the longest flight takes 19 hours.
 */
export const FLIGHT_LIMITS = {
  numberLengthMax: 20,
  codeLengthMax: 10,
  nameLengthMax: 100,
  bidIdLengthMax: 100,
  routeItemsMax: 500,
  routeItemLengthMax: 50,
  levelMax: 60_000,
  fuelMax: 1_000_000,
  paxMax: 1000,
  elapsedSecondsMax: 172_800,
} as const;

/** The flight to start, or the first problem with it. */
export type FlightReading = FlightOptions | WrongMember;

/** A member that does not fit. */
export interface WrongMember {
  /** JSONPath of the member. */
  readonly path: string;
  readonly problem: string;
}

/** Reads the options of a flight by their own names; any other name is a problem. */
export function readFlightOptions(members: JsonMembers): FlightReading {
  return reading(() => {
    const options: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(members)) {
      if (!isOption(name)) throw new Wrong(`$.${name.slice(0, 40)}`, 'is not an option');
      options[name] = READERS[name](value, `$.${name}`);
    }
    return options;
  });
}

/**
 * Reads a booking as pages of published plugins send it to start a flight, or as a file has it. Members that are unknown, null or empty are ignored.
 *
 * @returns Its path in a problem is that of the member as it was sent.
 */
export function readBookedFlight(document: unknown): FlightReading {
  return reading(() => {
    const sent: JsonMembers = isObject(document) ? document : {};
    const options: Record<string, unknown> = {};
    for (const [name, option] of Object.entries(NAMES_OF_BOOKINGS)) {
      const value = sent[name];
      if (isBlank(value) || options[option] !== undefined) continue;
      options[option] = READERS[option](SOFTEN[option](value), `$.${name}`);
    }
    // A flight that is restored goes on where it was. Published clients know other phases too, and do not document their times.
    const phase = findPhase(sent['phase']);
    const elapsedSeconds = findElapsed(sent['elapsedTime']);
    return {...options, ...(phase !== undefined && {phase}), ...(elapsedSeconds !== undefined && {elapsedSeconds})};
  });
}

type Option = Exclude<keyof FlightOptions, 'startedBy' | 'elapsedSeconds'>;
type Reader = (value: unknown, path: string) => unknown;

/** Names in bookings of published pages, and the options for which they stand. */
const NAMES_OF_BOOKINGS = {
  bidID: 'bidId',
  bidId: 'bidId',
  number: 'number',
  code: 'code',
  departure: 'from',
  arrival: 'to',
  aircraft: 'aircraft',
  route: 'route',
  cruise: 'level',
  flightLevel: 'level',
  level: 'level',
  fuel: 'fuel',
  pax: 'pax',
  passengers: 'pax',
} as const satisfies Readonly<Record<string, Option>>;

class Wrong extends Error implements WrongMember {
  readonly path: string;
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(problem);
    this.path = path;
    this.problem = problem;
  }
}

function reading(read: () => FlightOptions): FlightReading {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return {path: error.path, problem: error.problem};
  }
}

const text =
  (lengthMax: number): Reader =>
  (value, path) =>
    readText(value, path, lengthMax);

const number =
  (max: number): Reader =>
  (value, path) => {
    if (typeof value !== 'number') throw new Wrong(path, 'is not a number');
    if (!(value >= 0 && value <= max)) throw new Wrong(path, `has to be a number from 0 to ${max}`);
    return value;
  };

/** Numbers whose range the simulator checks. */
const checkedLater: Reader = (value, path) => {
  if (typeof value !== 'number') throw new Wrong(path, 'is not a number');
  return value;
};

const READERS: Readonly<Record<Option, Reader>> = {
  from: readAirport,
  to: readAirport,
  number: text(FLIGHT_LIMITS.numberLengthMax),
  code: text(FLIGHT_LIMITS.codeLengthMax),
  aircraft: readAircraft,
  route: readRoute,
  level: number(FLIGHT_LIMITS.levelMax),
  fuel: number(FLIGHT_LIMITS.fuelMax),
  pax: number(FLIGHT_LIMITS.paxMax),
  bidId: (value, path) => (Number.isSafeInteger(value) ? value : readText(value, path, FLIGHT_LIMITS.bidIdLengthMax)),
  speed: checkedLater,
  seed: checkedLater,
  phase: (value, path) => {
    const phase = findPhase(value);
    if (phase === undefined) throw new Wrong(path, `is not one of ${FLIGHT_PHASES.join(', ')}`);
    return phase;
  },
};

/** Finds a phase by its name. */
export function findPhase(given: unknown): FlightPhase | undefined {
  return FLIGHT_PHASES.find(each => each === given);
}

/** Returns the time since the start of a flight, in seconds; undefined for anything that cannot be one. */
function findElapsed(given: unknown): number | undefined {
  const seconds = toNumber(given);
  return typeof seconds === 'number' && seconds >= 0 && seconds <= FLIGHT_LIMITS.elapsedSecondsMax
    ? seconds
    : undefined;
}

function isOption(name: string): name is Option {
  return Object.hasOwn(READERS, name);
}

const HIDDEN = new RegExp(`[${UNSEEN}]+`, 'g');

/** Reads a text, without characters that are not seen: other plugins show it. */
function readText(value: unknown, path: string, lengthMax: number): string {
  if (typeof value !== 'string') throw new Wrong(path, 'is not a string');
  if (value.length > lengthMax) throw new Wrong(path, `is longer than ${lengthMax} characters`);
  return value.replace(HIDDEN, ' ').trim().toWellFormed();
}

function readAirport(value: unknown, path: string): string | Airport {
  if (typeof value === 'string') return readText(value, path, FLIGHT_LIMITS.codeLengthMax);
  const {code, name, latitude, longitude} = membersOf(value, path, ['code', 'name', 'latitude', 'longitude']);
  const read = readText(code, `${path}.code`, FLIGHT_LIMITS.codeLengthMax);
  return {
    code: read,
    name: name === undefined ? read : readText(name, `${path}.name`, FLIGHT_LIMITS.nameLengthMax),
    latitude: readDegrees(latitude, `${path}.latitude`, 90),
    longitude: readDegrees(longitude, `${path}.longitude`, 180),
  };
}

function readDegrees(value: unknown, path: string, max: number): number {
  if (typeof value !== 'number') throw new Wrong(path, 'is not a number');
  if (Math.abs(value) > max) throw new Wrong(path, `has to be a number from -${max} to ${max}`);
  return value;
}

function readAircraft(value: unknown, path: string): Aircraft {
  const {code, name, registration} = membersOf(value, path, ['code', 'name', 'registration']);
  const read = (given: unknown, member: string, lengthMax: number): object =>
    given === undefined ? {} : {[member]: readText(given, `${path}.${member}`, lengthMax)};
  return {
    code: readText(code, `${path}.code`, FLIGHT_LIMITS.codeLengthMax),
    ...read(name, 'name', FLIGHT_LIMITS.nameLengthMax),
    ...read(registration, 'registration', FLIGHT_LIMITS.numberLengthMax),
  };
}

function readRoute(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) throw new Wrong(path, 'is not an array');
  if (value.length > FLIGHT_LIMITS.routeItemsMax)
    throw new Wrong(path, `has more than ${FLIGHT_LIMITS.routeItemsMax} parts`);
  return value.map((item, at) => readText(item, `${path}[${at}]`, FLIGHT_LIMITS.routeItemLengthMax));
}

function membersOf(value: unknown, path: string, known: readonly string[]): JsonMembers {
  if (!isObject(value)) throw new Wrong(path, 'is not an object');
  const unknown = Object.keys(value).find(name => !known.includes(name));
  if (unknown !== undefined) throw new Wrong(`${path}.${unknown.slice(0, 40)}`, 'is not an option');
  return value;
}

/** Makes what the back ends of airlines write into what the readers expect: digits are texts, and texts stand for lists. */
const SOFTEN: Readonly<
  Record<(typeof NAMES_OF_BOOKINGS)[keyof typeof NAMES_OF_BOOKINGS], (value: unknown) => unknown>
> = {
  bidId: value => value,
  number: toText,
  code: value => value,
  from: softenAirport,
  to: softenAirport,
  aircraft: value => {
    if (typeof value === 'string') return {code: value};
    return isObject(value)
      ? withoutBlanks({code: value['code'], name: value['name'], registration: value['registration']})
      : value;
  },
  route: value => (typeof value === 'string' ? value.trim().split(/\s+/) : value),
  level: toNumber,
  fuel: toNumber,
  pax: toNumber,
};

/** An airport without a place is its code. */
function softenAirport(value: unknown): unknown {
  if (!isObject(value)) return value;
  const {code, name} = value;
  const [latitude, longitude] = [toNumber(value['latitude']), toNumber(value['longitude'])];
  if (isBlank(latitude) || isBlank(longitude)) return code;
  return withoutBlanks({code, name, latitude, longitude});
}

function withoutBlanks(members: JsonMembers): JsonMembers {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isBlank(value)));
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function toText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^ *-?[0-9]{1,9}(?:\.[0-9]{1,20})? *$/.test(value) ? Number(value) : value;
}
