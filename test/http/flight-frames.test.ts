import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {FlightFrame} from '../../src/core/domain/plugins/flight.ts';
import {callAs, startCallers} from '../support/access-callers.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';

const TRACKING = '/api/com.tfdidesign.flight-tracking';
const FRAMES = 'POST /api/flight/frames';
const CRUISING = {latitude: 50, longitude: 8, altitudeFeet: 35_000, groundSpeedKnots: 450, onGround: false};

type Document = Readonly<Record<string, unknown>>;

const report = (service: TestService, frame: object, headers: readonly string[] = []) =>
  callService(service, FRAMES, {body: JSON.stringify(frame), headers});
const track = async (service: TestService): Promise<Document> =>
  (await callService(service, `GET ${TRACKING}/data`)).json;

describe('frames over HTTP', () => {
  test.each(['', 'null', '[]', '7'])('are refused if they are no object: %j', async body => {
    const service = await startInTest({ephemeral: true});
    const {status, json} = await callService(service, FRAMES, {body});
    expect([status, json['code']]).toEqual([422, 'invalid-body']);
  });

  test('make a flight, which plugins read, with null for what the simulator does not have', async () => {
    const service = await startInTest({ephemeral: true});
    const first = await report(service, {...CRUISING, timeSeconds: 1, simulator: 'FlightGear'});
    expect([first.status, first.json]).toEqual([
      200,
      {reporterId: expect.stringMatching(/^[0-9a-f]{32}$/), phase: 'CRUISE'},
    ]);
    const {reporterId} = first.json;
    const more = {
      fuelPounds: 900,
      enginesFiring: [true, false],
      gearDown: false,
      clockSeconds: 13 * 3600,
      gForce: 1.02,
    };
    expect((await report(service, {...CRUISING, ...more, timeSeconds: 2, reporterId})).status).toBe(200);
    const data = await track(service);
    const simData = {latitude: 50, altitude: 35_000, altitudeAgl: null, gs: 450, ias: null, tas: null, vs: null};
    const state = {
      planeOnground: false,
      landingRate: null,
      gForceTouchDown: null,
      initialLandingRate: null,
      pauseFlag: false,
    };
    const engines = {engine1Firing: true, engine2Firing: false, engine3Firing: null, engine4Firing: null};
    const systems = {
      fuelTotalQuantityWeight: 900,
      gearControl: 0,
      flapsControl: null,
      slewMode: null,
      simulationRate: null,
    };
    expect(data).toMatchObject({
      bidID: null,
      distanceToGo: null,
      providerState: {status: 'Connected', simulatorName: 'FlightGear'},
      trackingState: {status: ''},
      trackingData: {
        currentFlightPhase: 'CRUISE',
        lastSimData: {...simData, ...state, ...engines, ...systems, clockHour: 13},
      },
      flightPlanData: {code: 'CRW', number: null, departure: null},
    });
    await callService(service, `POST ${TRACKING}/startflight`, {
      body: '{"number": "CAV1", "arrival": "LPMA", "bidID": 7}',
    });
    expect(await track(service)).toMatchObject({
      bidID: 7,
      distanceToGo: expect.any(Number),
      trackingState: {status: 'TRACKING'},
      flightPlanData: {number: 'CAV1', departure: null, arrival: {code: 'LPMA'}},
    });
  });

  test('are refused by names, sizes and rates, and show their sender only where they are asked for', async () => {
    const service = await startInTest({ephemeral: true});
    const {json} = await report(service, {...CRUISING, timeSeconds: 1, simulator: '<b>Sim'});
    const next = {...CRUISING, timeSeconds: 2, reporterId: json['reporterId']};
    expect(await report(service, {...next, latitude: 91, pitch: 1})).toMatchObject({
      status: 422,
      json: {code: 'invalid-body', what: 'frame', problems: [{path: '$.latitude'}, {path: '$.pitch'}]},
    });
    expect(await callService(service, FRAMES, {body: '{"timeSeconds": NaN}'})).toMatchObject({status: 400});
    expect((await report(service, {...next, simulator: 'x'.repeat(5000)})).status).toBe(413);
    expect(await report(service, {timeSeconds: 1})).toMatchObject({
      status: 409,
      json: {code: 'flight-reported', simulator: '<b>Sim', detail: expect.stringContaining('"<b>Sim" reports it')},
    });
    expect(await callService(service, 'POST /api/flight', {body: '{"speed": 2}'})).toMatchObject({status: 409});
    const fill = (): void => {
      try {
        for (let count = 0; count <= 60; count++) service.crewroom.flight.report(next as unknown as FlightFrame);
      } catch {
        // It is full.
      }
    };
    // Another try if the second is over before the request arrives.
    const sendAbove = async () => {
      fill();
      const {status, headers, json} = await report(service, next);
      return [status, headers.get('retry-after'), json['code']];
    };
    await expect.poll(sendAbove, {timeout: 20_000}).toEqual([429, '1', 'too-many-frames']);
    const {requests} = (await callService(service, 'GET /api/requests')).json as {requests: readonly {path: string}[]};
    expect(requests.filter(({path}) => path.includes('frames'))).toEqual([]);
    expect(Object((await callService(service, 'GET /api/flight')).json['flight']).frames).toBeGreaterThan(40);
    await callService(service, 'DELETE /api/flight');
    expect(await report(service, next)).toMatchObject({status: 404, json: {code: 'no-reporter'}});
  });

  test('need a permission of their own', async () => {
    for (const access of ['attributed', 'strict'] as const) {
      const service = await startCallers(access);
      const sent = {line: FRAMES, body: JSON.stringify({timeSeconds: 1})};
      expect((await callAs(service, 'background', sent)).status).toBe(403);
      const [other, own] = await Promise.all([
        createToken(service, ['plugins:manage']),
        createToken(service, ['flight:report']),
      ]);
      expect((await report(service, {timeSeconds: 1}, [bearer(other)])).json).toMatchObject({
        permission: 'flight:report',
      });
      expect((await report(service, {timeSeconds: 1}, [bearer(own)])).status).toBe(200);
      expect((await callService(service, 'GET /api/flight', {headers: [bearer(own)]})).status).toBe(403);
    }
  });
});

/** Uses of the answer in the three published plugins that read a flight. */
const PUBLISHED = {
  announcements: ({trackingData, flightPlanData}: Document) => {
    const {currentFlightPhase, lastSimData} = Object(trackingData);
    const {clockHour, vs, altitudeAgl} = lastSimData;
    return {
      phase: currentFlightPhase,
      isMorning: clockHour < 12,
      isLow: altitudeAgl < 10_000,
      sinks: vs < 0,
      code: Object(flightPlanData).code,
    };
  },
  screenshots: ({trackingState, providerState, trackingData, flightPlanData}: Document) => {
    const {simData, simVersion, currentFlightPhase} = Object(trackingData);
    const {code, number, bidID, departure, arrival} = Object(flightPlanData);
    return {
      takes: Object(trackingState).status === 'TRACKING' && Object(providerState).status === 'Connected',
      text: `${code}${number} (${bidID}) ${departure.code}-${arrival.code} ${currentFlightPhase} ${simVersion}`,
      place: [simData.latitude, simData.longitude].map(Math.round),
    };
  },
  center: ({bidID, distanceToGo, distanceFlown, flightPlanData, recoverableFlight}: Document) => ({
    ...{bidID, number: Object(flightPlanData).number, recoverable: recoverableFlight},
    miles: (Number(distanceToGo) + Number(distanceFlown)) / 1852,
  }),
};

describe('published plugins', () => {
  for (const access of ['open', 'attributed', 'strict'] as const)
    test(`read a flight by their calls in the mode ${access}`, async () => {
      const service = await startCallers(access);
      const body = JSON.stringify({number: '9', bidID: 7, departure: 'EDDF', arrival: 'EDDM'});
      const call = (line: string, sent?: string) => callAs(service, 'background', {line, body: sent});
      await call(`POST ${TRACKING}/startflight`, body);
      service.crewroom.flight.change({phase: 'APPROACH', isPaused: true});
      const data = JSON.parse((await call(`GET ${TRACKING}/data`)).text);
      expect(PUBLISHED.announcements(data)).toEqual({
        phase: 'APPROACH',
        isMorning: expect.any(Boolean),
        isLow: true,
        sinks: true,
        code: 'CRW',
      });
      expect(PUBLISHED.screenshots(data)).toEqual({
        takes: true,
        text: 'CRW9 (7) EDDF-EDDM APPROACH Crewroom',
        place: [48, 12],
      });
      const {miles, ...center} = PUBLISHED.center(data);
      expect(center).toEqual({bidID: 7, number: '9', recoverable: null});
      expect(miles).toBeGreaterThan(150);
    });

  test('restore the flight of a service that was started again, which tells its phase and its place', async () => {
    const first = await startInTest();
    const {dataDir} = first;
    const sent = '{"number": "9", "bidID": 7, "departure": "EDDF", "arrival": "EDDM"}';
    await callService(first, `POST ${TRACKING}/startflight`, {body: sent});
    first.crewroom.flight.change({phase: 'CRUISE', isPaused: true});
    await expect.poll(() => readFile(join(dataDir, 'flight.json'), 'utf8'), {timeout: 5000}).toContain('"CRUISE"');
    await first.crewroom[Symbol.asyncDispose]();
    const second = await startInTest({dataDir});
    // The Restore button sends what it was shown.
    const {recoverableFlight} = await track(second);
    const {number, departure, arrival, bidID, phase, elapsedTime, position} = Object(recoverableFlight);
    expect(recoverableFlight).toMatchObject({
      ...{phase: 'CRUISE', bidID: 7, number: '9', elapsedTime: expect.any(Number)},
      position: {latitude: expect.any(Number), longitude: expect.any(Number)},
    });
    expect((await callService(second, 'GET /api/flight')).json).toMatchObject({
      recoverable: {phase: 'CRUISE', bidId: '7'},
    });
    const restored = JSON.stringify({number, departure, arrival, bidID, phase, elapsedTime});
    await callService(second, `POST ${TRACKING}/restoreflight`, {body: restored});
    const data = await track(second);
    expect(data).toMatchObject({
      ...{bidID: 7, trackingState: {status: 'TRACKING'}, recoverableFlight: null},
      ...{trackingData: {currentFlightPhase: 'CRUISE'}, flightPlanData: {number: '9', arrival: {code: 'EDDM'}}},
    });
    const {latitude, longitude} = Object(data['trackingData']).simData;
    const near = [expect.closeTo(position.latitude, 1), expect.closeTo(position.longitude, 1)];
    expect([latitude, longitude]).toEqual(near);
    await callService(second, 'DELETE /api/flight');
    expect(existsSync(join(dataDir, 'flight.json'))).toBe(false);
    expect(await track(second)).toMatchObject({recoverableFlight: null});
  });

  test('of a service in memory leave no file', async () => {
    const service = await startInTest({ephemeral: true});
    await callService(service, 'POST /api/flight', {body: '{}'});
    await service.crewroom[Symbol.asyncDispose]();
    expect(existsSync(service.dataDir)).toBe(false);
  });
});
