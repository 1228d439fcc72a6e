import {checkFlight, FLIGHT_OPTIONS} from '../../documents/flight.ts';
import {FLIGHT_PHASES, type FlightOptions, type FlightPhase} from '../../domain/plugins/flight.ts';
import {isObject, type JsonMembers} from '../../json/members.ts';

/**
 * Reads a booking as pages of published plugins send it to start a flight, or as a file has it. Members that are unknown, null or empty are ignored.
 *
 * @throws {AppError} `invalid-body`, whose paths are those of the members as they were sent.
 */
export function readBookedFlight(document: unknown): FlightOptions {
  const sent: JsonMembers = isObject(document) ? document : {};
  const options: Record<string, unknown> = {};
  const names = new Map<PropertyKey, string>();
  for (const [name, option] of Object.entries(NAMES_OF_BOOKINGS)) {
    const value = sent[name];
    if (isBlank(value) || names.has(option)) continue;
    options[option] = SOFTEN[option](value);
    names.set(option, name);
  }
  const checked = checkFlight(FLIGHT_OPTIONS, options, option => names.get(option) ?? option);
  // A flight that is restored goes on where it was. Published clients know other phases too, and do not document their times.
  const phase = findPhase(sent['phase']);
  const elapsedSeconds = findElapsed(sent['elapsedTime']);
  return {...checked, ...(phase !== undefined && {phase}), ...(elapsedSeconds !== undefined && {elapsedSeconds})};
}

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
} as const satisfies Readonly<Record<string, keyof FlightOptions>>;

/** Finds a phase by its name. */
function findPhase(given: unknown): FlightPhase | undefined {
  return FLIGHT_PHASES.find(each => each === given);
}

/** Returns the time since the start of a flight, in seconds; undefined for anything that cannot be one. */
function findElapsed(given: unknown): number | undefined {
  const seconds = toNumber(given);
  return typeof seconds === 'number' && seconds >= 0 && seconds <= ELAPSED_SECONDS_MAX ? seconds : undefined;
}

/** Longest time of a flight, in seconds: the longest real one takes 19 hours. */
const ELAPSED_SECONDS_MAX = 172_800;

/** Makes what the back ends of airlines write into what the readers expect: digits are texts, texts stand for lists. */
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
