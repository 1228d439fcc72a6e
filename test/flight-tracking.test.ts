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

  test('has the names and units of published clients, of the landing null before it', () => {
    const {flight, later} = openFlightOnClock();
    flight.start({speed: 60, landingRateFeetPerMinute: 250});
    const read = () => Object(describeTracking(later(1), {code: 'CAV'})['trackingData']).lastSimData;
    const landing = {landingRate: null, initialLandingRate: null, gForceTouchDown: null};
    flight.change({phase: 'CRUISE'});
    expect(read()).toMatchObject({
      ...{...landing, heading: expect.any(Number), gs: 438, tas: 438, ias: 235, gForce: 1},
      ...{planeOnground: false, gearControl: 0, flapsControl: 0, fuelTotalQuantityWeight: expect.any(Number)},
      ...{engine1Firing: true, engine2Firing: true, engine3Firing: null, engine4Firing: null},
      ...{pauseFlag: false, slewMode: false, simulationRate: 60},
    });
    flight.change({phase: 'APPROACH'});
    expect(read()).toMatchObject({...landing, gearControl: 0, flapsControl: 1});
    for (let second = 0; second < 20; second++) later(1);
    const landed = {landingRate: -250, initialLandingRate: -250, gForceTouchDown: expect.closeTo(1.5, 0)};
    expect(read()).toMatchObject({...landed, planeOnground: true, gearControl: 1, engine1Firing: false});
  });

  test('names an aircraft by its code, without a registration by null, and none by null', () => {
    const {flight} = openFlightOnClock();
    const read = () => Object(describeTracking(flight.status(), {code: 'CAV'})['flightPlanData']).currentAircraft;
    flight.start();
    expect(read()).toBeNull();
    flight.start({aircraft: {code: 'A320'}});
    expect(read()).toEqual({code: 'A320', name: 'A320', registration: null});
    flight.start({aircraft: {code: 'A320', name: undefined, registration: undefined}});
    expect(read()).toEqual({code: 'A320', name: 'A320', registration: null});
    flight.start({aircraft: {code: 'A320', name: 'Airbus A320', registration: 'D-AIZC'}});
    expect(read()).toEqual({code: 'A320', name: 'Airbus A320', registration: 'D-AIZC'});
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
