import {checkFlight, FLIGHT_OPTIONS} from '../../documents/flight.ts';
import {FLIGHT_PHASES, type FlightOptions} from '../../domain/plugins/flight.ts';
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
  for (const [name, [option, soften]] of Object.entries(MEMBERS_OF_BOOKINGS)) {
    const value = sent[name];
    if (isBlank(value) || names.has(option)) continue;
    options[option] = soften(value);
    names.set(option, name);
  }
  const checked = checkFlight(FLIGHT_OPTIONS, options, option => names.get(option) ?? option);
  // A flight that is restored goes on where it was. Published clients know other phases too, and do not document their times.
  const phase = FLIGHT_PHASES.find(each => each === sent['phase']);
  const elapsed = toNumber(sent['elapsedTime']);
  const isTime = typeof elapsed === 'number' && elapsed >= 0 && elapsed <= ELAPSED_SECONDS_MAX;
  return {...checked, ...(phase !== undefined && {phase}), ...(isTime && {elapsedSeconds: elapsed})};
}

/** Longest time of a flight, in seconds: the longest real one takes 19 hours. */
const ELAPSED_SECONDS_MAX = 172_800;

type Soften = (value: unknown) => unknown;
const asSent: Soften = value => value;
const softenAircraft: Soften = value => {
  if (!isObject(value)) return typeof value === 'string' ? {code: value} : value;
  return withoutBlanks({code: value['code'], name: value['name'], registration: value['registration']});
};
const softenRoute: Soften = value => (typeof value === 'string' ? value.trim().split(/\s+/) : value);

/** Names in bookings of published pages, the options for which they stand, and how to read the values of back ends: digits are texts, texts stand for lists. */
const MEMBERS_OF_BOOKINGS: Readonly<Record<string, readonly [keyof FlightOptions, Soften]>> = {
  bidID: ['bidId', asSent],
  bidId: ['bidId', asSent],
  number: ['number', value => (typeof value === 'number' ? String(value) : value)],
  code: ['code', asSent],
  departure: ['from', softenAirport],
  arrival: ['to', softenAirport],
  aircraft: ['aircraft', softenAircraft],
  route: ['route', softenRoute],
  cruise: ['level', toNumber],
  flightLevel: ['level', toNumber],
  level: ['level', toNumber],
  fuel: ['fuel', toNumber],
  pax: ['pax', toNumber],
  passengers: ['pax', toNumber],
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

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^ *-?[0-9]{1,9}(?:\.[0-9]{1,20})? *$/.test(value) ? Number(value) : value;
}
