import {expect, test} from 'vitest';
import type {FlightStatus} from '../../domain/plugins/flight.ts';
import {formatFlight, readFlight} from './flight-tracking.ts';

test('a flight is read as it was written, and that there is none', () => {
  const airport = {code: 'EDDF', name: 'Frankfurt', latitude: 50, longitude: 8.5};
  const flight: FlightStatus = {
    ...{phase: 'CRUISE', latitude: 1, longitude: 2, headingDegrees: 3, altitudeFeet: 4, groundSpeedKnots: 5},
    ...{verticalSpeedFeetPerMinute: 6, flownNauticalMiles: 7, toGoNauticalMiles: 8, from: airport, to: airport},
    ...{number: '1042', bidId: '1', speed: 60, seed: 1, isPaused: false, isConnected: true},
    ...{elapsedSeconds: 9, cruiseFeet: 10, simulator: 'Crewroom', frames: 3, notices: []},
  };
  expect(readFlight(formatFlight(flight))).toEqual(flight);
  expect(readFlight(formatFlight(undefined))).toBeUndefined();
});
