import {FLIGHT_PHASES, type FlightOptions, type FlightPhase, type FlightStatus} from '../../domain/plugins/flight.ts';
import type {ShapeOf} from '../../domain/shape.ts';
import {isObject, type JsonMembers} from '../../json/members.ts';
import {readDocument} from '../text/read-document.ts';
import {readBody} from './client-request.ts';
import {findPhase, readFlightOptions, type WrongMember} from './flight-plan.ts';

/** Formats the simulated flight, if there is one, and the phases that a flight can jump to. The id of a booking is a text here. */
export function formatFlight(flight: FlightStatus | undefined): string {
  const bidId = flight?.bidId === undefined ? undefined : String(flight.bidId);
  return JSON.stringify({flight: flight && {...flight, bidId}, phases: FLIGHT_PHASES});
}

/** Reads the flight from what {@link formatFlight} writes; undefined if there is none. @throws {UnexpectedDocument} */
export function readFlight(json: string): FlightStatus | undefined {
  const {flight} = readDocument<FlightDocument>(json, {'flight?': FLIGHT});
  // A newer service may have more phases: they are only shown.
  return flight && {...flight, phase: flight.phase as FlightPhase};
}

interface FlightDocument {
  readonly flight?: Omit<FlightStatus, 'phase' | 'bidId'> & {readonly phase: string; readonly bidId?: string};
}

/** Change of the simulated flight. */
export type FlightCommand =
  | ({readonly action: 'start'} & FlightOptions)
  | {readonly action: 'jump'; readonly phase: FlightPhase}
  | {readonly action: 'speed'; readonly speed: number}
  | {readonly action: 'pause' | 'disconnect'};

/**
 * Reads a change of the flight.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`.
 * @returns The change, or the problem with it.
 */
export function readFlightCommand(body: Uint8Array): FlightCommand | WrongMember {
  const document = readBody(body);
  if (!isObject(document)) return {path: '$', problem: 'is not an object'};
  const {action, ...options} = document;
  switch (action) {
    case 'start':
      return readStart(options);
    case 'jump':
      return readJump(options['phase']);
    case 'speed': {
      const {speed} = options;
      return typeof speed === 'number' ? {action, speed} : {path: '$.speed', problem: 'is not a number'};
    }
    case 'pause':
    case 'disconnect':
      return {action};
    default:
      return {path: '$.action', problem: 'is not one of start, jump, speed, pause, disconnect'};
  }
}

function readStart(options: JsonMembers): ReturnType<typeof readFlightCommand> {
  const read = readFlightOptions(options);
  return 'problem' in read ? read : {action: 'start', ...read};
}

function readJump(given: unknown): ReturnType<typeof readFlightCommand> {
  const phase = findPhase(given);
  if (phase !== undefined) return {action: 'jump', phase};
  return {path: '$.phase', problem: `is not one of ${FLIGHT_PHASES.join(', ')}`};
}

const AIRPORT: ShapeOf<FlightStatus['from']> = {
  code: 'string',
  name: 'string',
  latitude: 'number',
  longitude: 'number',
};

const FLIGHT: ShapeOf<NonNullable<FlightDocument['flight']>> = {
  phase: 'string',
  latitude: 'number',
  longitude: 'number',
  headingDegrees: 'number',
  altitudeFeet: 'number',
  verticalSpeedFeetPerMinute: 'number',
  groundSpeedKnots: 'number',
  flownNauticalMiles: 'number',
  toGoNauticalMiles: 'number',
  from: AIRPORT,
  to: AIRPORT,
  number: 'string',
  'startedBy?': 'string',
  'code?': 'string',
  'aircraft?': {code: 'string', 'name?': 'string', 'registration?': 'string'},
  'route?': ['string'],
  'level?': 'number',
  'fuel?': 'number',
  'pax?': 'number',
  'bidId?': 'string',
  speed: 'number',
  seed: 'number',
  isPaused: 'boolean',
  isConnected: 'boolean',
  elapsedSeconds: 'number',
  cruiseFeet: 'number',
};
