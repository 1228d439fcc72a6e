import {describe, expect, test} from 'vitest';
import {openFlight} from '../src/flight/simulated-flight.ts';
import {describeTracking} from '../src/protocol/plugin/flight-tracking.ts';

describe('describeTracking()', () => {
  test('is disconnected without a flight', () => {
    expect(describeTracking(undefined, {hour: 12, code: 'CAV'})).toMatchObject({
      trackingState: {status: ''},
      providerState: {status: 'Disconnected'},
    });
  });

  test('has both shapes that plugins read', () => {
    const flight = openFlight({elapsedMs: () => 0});
    flight.start({bidId: '77'});
    flight.jump('CRUISE');
    expect(describeTracking(flight.status(), {hour: 13, code: 'CAV'})).toMatchObject({
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
        lastSimData: {vs: 0, altitudeAgl: 37_000, clockHour: 13},
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
    const flight = openFlight({elapsedMs: () => 0});
    flight.start();
    flight.disconnect();
    expect(describeTracking(flight.status(), {hour: 0, code: 'CAV'})).toMatchObject({
      trackingState: {status: ''},
      providerState: {status: 'Disconnected'},
      providerData: null,
    });
    expect(flight.disconnect()).toMatchObject({isConnected: true});
    flight.jump('ARRIVED');
    expect(describeTracking(flight.status(), {hour: 0, code: 'CAV'})).toMatchObject({trackingState: {status: ''}});
  });
});
