import type {Aircraft, Airport, FlightStatus} from '../../domain/plugins/flight.ts';

/** Name of the simulator of a simulated flight. */
const SIMULATOR = 'Crewroom';

const METRES_PER_NAUTICAL_MILE = 1852;

/** Moment at which a flight is described. */
export interface TrackingMoment {
  /** Local hour of the day, 0 to 23. */
  readonly hour: number;
  /** Code of the airline, for a flight without one. */
  readonly code: string;
}

/**
 * Describes a flight as the flight tracking of published clients does, for their plugins. Published plugins read one of two
 * shapes: an older flat one, whose distances are in metres, or a newer one with nested members. This document has both.
 */
export function describeTracking(
  flight: FlightStatus | undefined,
  {hour, code}: TrackingMoment,
): Readonly<Record<string, unknown>> {
  if (flight === undefined) return NO_FLIGHT;
  const {isConnected, phase, toGoNauticalMiles, flownNauticalMiles, bidId = null} = flight;
  const frame = describeFrame(flight, hour);
  const tracking = {status: isConnected && phase !== 'ARRIVED' ? 'TRACKING' : '', message: ''};
  return {
    bidID: bidId,
    state: tracking,
    distanceToGo: metresIn(toGoNauticalMiles),
    distanceFlown: metresIn(flownNauticalMiles),
    trackingState: tracking,
    providerState: isConnected
      ? {status: 'Connected', simulatorName: SIMULATOR}
      : {status: 'Disconnected', simulatorName: null},
    providerData: isConnected ? frame : null,
    trackingData: {currentFlightPhase: phase, simVersion: SIMULATOR, simData: frame, lastSimData: frame},
    flightPlanData: describePlan(flight, code),
    recoverableFlight: null,
  };
}

/** Answer without a simulator. */
const NO_FLIGHT = {
  bidID: null,
  state: {status: ''},
  trackingState: {status: '', message: ''},
  providerState: {status: 'Disconnected', simulatorName: null},
  providerData: null,
  recoverableFlight: null,
};

function describePlan(flight: FlightStatus, airline: string): Readonly<Record<string, unknown>> {
  const {bidId = null, code = airline, number, from, to, aircraft, route = [], fuel, pax} = flight;
  const {level, cruiseFeet, flownNauticalMiles, toGoNauticalMiles} = flight;
  return {
    bidID: bidId,
    code,
    number,
    departure: describeAirport(from),
    arrival: describeAirport(to),
    currentAircraft: aircraft === undefined ? null : describeAircraft(aircraft),
    cruise: level || cruiseFeet,
    route,
    distance: Math.round(flownNauticalMiles + toGoNauticalMiles),
    fuel,
    pax,
  };
}

function describeFrame(flight: FlightStatus, hour: number): Readonly<Record<string, unknown>> {
  const {latitude, longitude, headingDegrees, altitudeFeet, groundSpeedKnots, phase} = flight;
  return {
    latitude,
    longitude,
    heading: headingDegrees,
    altitude: altitudeFeet,
    altitudeAgl: altitudeFeet,
    vs: flight.verticalSpeedFeetPerMinute,
    gs: groundSpeedKnots,
    planeOnground: altitudeFeet === 0,
    engine1Firing: phase !== 'BOARDING' && phase !== 'ARRIVED',
    pauseFlag: flight.isPaused,
    clockHour: hour,
  };
}

function metresIn(miles: number): number {
  return Math.round(miles * METRES_PER_NAUTICAL_MILE);
}

function describeAircraft({code, name = code, registration}: Aircraft): Readonly<Record<string, unknown>> {
  return {code, name, registration: registration ?? null};
}

function describeAirport({code, name, latitude, longitude}: Airport): Readonly<Record<string, unknown>> {
  return {code, name, latitude, longitude};
}
