import {describe, expect, test} from 'vitest';
import {describeTracking} from '../src/core/protocol/plugin/flight-tracking.ts';
import {openFlightOnClock} from './support/flight-clock.ts';

describe('describeTracking()', () => {
  test('is disconnected without a flight', () => {
    expect(describeTracking(undefined, {code: 'CAV'})).toMatchObject({
      trackingState: {status: ''},
      providerState: {status: 'Disconnected'},
    });
  });

  test('has both shapes that plugins read', () => {
    const {flight} = openFlightOnClock();
    flight.start({bidId: '77'});
    flight.change({phase: 'CRUISE'});
    expect(describeTracking(flight.status(), {code: 'CAV'})).toMatchObject({
      bidID: '77',
      state: {status: 'TRACKING'},
      distanceToGo: expect.any(Number),
      distanceFlown: expect.any(Number),
      trackingState: {status: 'TRACKING', message: ''},
      providerState: {status: 'Connected', simulatorName: expect.any(String)},
      trackingData: {
        currentFlightPhase: 'CRUISE',
        simVersion: expect.any(String),
        simData: {latitude: expect.any(Number), longitude: expect.any(Number)},
        lastSimData: {vs: 0, altitude: 37_000, altitudeAgl: expect.any(Number), clockHour: 12},
      },
      flightPlanData: {
        bidID: '77',
        code: 'CAV',
        number: expect.stringMatching(/^\d{4}$/),
        departure: {code: 'EDDF', name: 'Frankfurt'},
        arrival: {code: 'LPMA'},
      },
      recoverableFlight: null,
    });
  });

  test('is no longer tracking when the simulator is disconnected, or the flight has arrived', () => {
    const {flight} = openFlightOnClock();
    flight.start();
    flight.change({isConnected: false});
    expect(describeTracking(flight.status(), {code: 'CAV'})).toMatchObject({
      trackingState: {status: ''},
      providerState: {status: 'Disconnected'},
      providerData: null,
    });
    expect(flight.change({isConnected: true})).toMatchObject({isConnected: true});
    flight.change({phase: 'ARRIVED'});
    expect(describeTracking(flight.status(), {code: 'CAV'})).toMatchObject({trackingState: {status: ''}});
  });
});
