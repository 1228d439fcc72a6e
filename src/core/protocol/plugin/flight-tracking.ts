import {FLIGHT_PHASES, type FlightStatus} from '../../domain/plugins/flight.ts';
import {parseDocument} from '../text/read-document.ts';

const METRES_PER_NAUTICAL_MILE = 1852;

/**
 * Describes a flight, beside one that can be restored, as the flight tracking of published clients does, for their plugins. Published plugins read one of two
 * shapes: an older flat one, whose distances are in metres, or a newer one with nested members. This document has both.
 *
 * @param facts `code` is that of the airline, for a flight without one.
 */
export function describeTracking(
  flight: FlightStatus | undefined,
  {code, recoverable}: {readonly code: string; readonly recoverable?: FlightStatus | undefined},
): Readonly<Record<string, unknown>> {
  const recoverableFlight = recoverable === undefined ? null : describeRecoverable(recoverable, code);
  if (flight === undefined) return {...NO_FLIGHT, recoverableFlight};
  const {isConnected, phase, toGoNauticalMiles, flownNauticalMiles, bidId = null, number, simulator} = flight;
  const frame = describeFrame(flight);
  // Without a plan nothing is tracked: plugins read its airports then.
  const isTracked = isConnected && phase !== 'ARRIVED' && number !== undefined;
  const tracking = {status: isTracked ? 'TRACKING' : '', message: ''};
  return {
    bidID: bidId,
    state: tracking,
    distanceToGo: metresIn(toGoNauticalMiles),
    distanceFlown: metresIn(flownNauticalMiles),
    trackingState: tracking,
    providerState: isConnected
      ? {status: 'Connected', simulatorName: simulator}
      : {status: 'Disconnected', simulatorName: null},
    providerData: isConnected ? frame : null,
    trackingData: {currentFlightPhase: phase, simVersion: simulator, simData: frame, lastSimData: frame},
    flightPlanData: describePlan(flight, code),
    recoverableFlight,
  };
}

/** Answer without a simulator. */
const NO_FLIGHT = {
  bidID: null,
  state: {status: ''},
  trackingState: {status: '', message: ''},
  providerState: {status: 'Disconnected', simulatorName: null},
  providerData: null,
};

function describeRecoverable(flight: FlightStatus, airline: string): Readonly<Record<string, unknown>> {
  const {phase, elapsedSeconds, latitude = null, longitude = null} = flight;
  const position = {latitude, longitude};
  return {...describePlan(flight, airline), phase, elapsedTime: elapsedSeconds, ...position, position};
}

function describePlan(flight: FlightStatus, airline: string): Readonly<Record<string, unknown>> {
  const {bidId = null, code = airline, number, from, to, aircraft, route = [], fuel, pax} = flight;
  const {level, cruiseFeet, flownNauticalMiles, toGoNauticalMiles} = flight;
  return {
    bidID: bidId,
    code,
    number: number ?? null,
    departure: from ?? null,
    arrival: to ?? null,
    currentAircraft: aircraft
      ? {code: aircraft.code, name: aircraft.name ?? aircraft.code, registration: aircraft.registration ?? null}
      : null,
    cruise: level || (cruiseFeet ?? null),
    route,
    distance: toGoNauticalMiles === undefined ? null : Math.round(flownNauticalMiles + toGoNauticalMiles),
    fuel,
    pax,
  };
}

/** Describes the last frame, with the names and units of published clients. What its source does not have is null. */
function describeFrame(flight: FlightStatus): Readonly<Record<string, unknown>> {
  const {enginesFiring = [], gearDown, clockSeconds, touchdown} = flight;
  const figures = {
    latitude: flight.latitude,
    longitude: flight.longitude,
    heading: flight.headingDegrees,
    altitude: flight.altitudeFeet,
    altitudeAgl: flight.heightFeet,
    vs: flight.verticalSpeedFeetPerMinute,
    gs: flight.groundSpeedKnots,
    ias: flight.indicatedAirspeedKnots,
    tas: flight.trueAirspeedKnots,
    gForce: flight.gForce,
    landingRate: touchdown?.verticalSpeedFeetPerMinute,
    initialLandingRate: touchdown?.initialVerticalSpeedFeetPerMinute,
    gForceTouchDown: touchdown?.gForce,
    fuelTotalQuantityWeight: flight.fuelPounds,
    planeOnground: flight.onGround,
    gearControl: gearDown === undefined ? undefined : Number(gearDown),
    flapsControl: flight.flapsRatio,
    pauseFlag: flight.isPaused,
    slewMode: flight.isSlewing,
    simulationRate: flight.simulationRate,
    clockHour: clockSeconds === undefined ? undefined : Math.floor(clockSeconds / 3600) % 24,
  };
  const engines = [1, 2, 3, 4].map(number => [`engine${number}Firing`, enginesFiring[number - 1] ?? null]);
  return {
    ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value ?? null])),
    ...Object.fromEntries(engines),
  };
}

function metresIn(miles: number | undefined): number | null {
  return miles === undefined ? null : Math.round(miles * METRES_PER_NAUTICAL_MILE);
}

/** Formats the flight, if there is one, the one that can be restored, and the phases that a flight can jump to. Ids of bookings are texts here. */
export function formatFlight(flight: FlightStatus | undefined, recoverable?: FlightStatus): string {
  return JSON.stringify({
    flight: describeTexts(flight),
    recoverable: describeTexts(recoverable),
    phases: FLIGHT_PHASES,
  });
}

function describeTexts(flight: FlightStatus | undefined): FlightStatus | undefined {
  return flight?.bidId === undefined ? flight : {...flight, bidId: String(flight.bidId)};
}

/** Reads the flight from what {@link formatFlight} writes; undefined if there is none. */
export function readFlight(json: string): FlightStatus | undefined {
  return parseDocument<{readonly flight?: FlightStatus}>(json).flight;
}
