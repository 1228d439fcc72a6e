import type {Airport, FlightStatus} from '../../domain/plugins/flight.ts';

/** Name of the simulator of a simulated flight. */
const SIMULATOR = 'Crewroom';

/**
 * Describes a flight as the flight tracking of published clients does, for their plugins. Published plugins read one of two
 * shapes: an older flat one, or a newer one with nested members. This document has both.
 *
 * @param hour Local hour of the day, 0 to 23.
 */
export function describeTracking(flight: FlightStatus | undefined, hour: number): Readonly<Record<string, unknown>> {
  if (flight === undefined) return NO_FLIGHT;
  const {isConnected, phase, toGoNauticalMiles, flownNauticalMiles, number, from, to, bidId = null} = flight;
  const frame = describeFrame(flight, hour);
  const tracking = {status: isConnected && phase !== 'ARRIVED' ? 'TRACKING' : '', message: ''};
  return {
    bidID: bidId,
    state: tracking,
    distanceToGo: toGoNauticalMiles,
    distanceFlown: flownNauticalMiles,
    trackingState: tracking,
    providerState: isConnected
      ? {status: 'Connected', simulatorName: SIMULATOR}
      : {status: 'Disconnected', simulatorName: null},
    providerData: isConnected ? frame : null,
    trackingData: {currentFlightPhase: phase, simVersion: SIMULATOR, simData: frame, lastSimData: frame},
    flightPlanData: {
      bidID: bidId,
      code: 'CRW',
      number,
      departure: describeAirport(from),
      arrival: describeAirport(to),
      cruise: flight.cruiseFeet,
      distance: flownNauticalMiles + toGoNauticalMiles,
    },
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

function describeAirport({code, name, latitude, longitude}: Airport): Readonly<Record<string, unknown>> {
  return {code, name, latitude, longitude};
}
