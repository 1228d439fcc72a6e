import {describe, expect, test} from 'vitest';
import {callAs, startCallers} from '../support/access-callers.ts';
import {bearer} from '../support/access-tokens.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';

const TRACKING = '/api/com.tfdidesign.flight-tracking';

/** The body that the pages of published flight centers send: names, types and nulls are theirs, the values are made up. */
const BOOKING = {
  number: 'CAV100',
  departure: {id: 11, code: 'EGLL', name: 'London Heathrow', latitude: 51.4706, longitude: -0.461941},
  arrival: {id: 12, code: 'ZZJF', name: 'An airfield', latitude: '40.639801', longitude: '-73.7789'},
  aircraft: {
    id: 3,
    code: 'A320',
    name: 'Airbus A320-251N',
    serviceCeiling: '39000',
    maximumPassengers: 180,
    maximumCargo: 16_000,
    minimumRank: null,
    registration: 'G-CAVA',
  },
  flightTime: 7.5,
  departureTime: '10:00',
  arrivalTime: '17:30',
  network: 'offline',
  cruise: '350',
  route: ['CPT', 'UL9', 'STU'],
  distance: 2999,
  bidId: 77,
  weightUnits: 'KGS',
  altitudeUnits: 'ft',
  landingDistanceUnits: 'm',
  type: 'P',
};

async function post(service: TestService, name: string, body: unknown): Promise<{status: number; json: unknown}> {
  return callService(service, `POST ${TRACKING}/${name}`, {body: JSON.stringify(body)});
}

async function track(service: TestService): Promise<Readonly<Record<string, unknown>>> {
  return (await callService(service, `GET ${TRACKING}/data`)).json;
}

describe('startflight', () => {
  test('flies the flight that a published page sends', async () => {
    const service = await startInTest({ephemeral: true});
    expect(await post(service, 'startflight', BOOKING)).toMatchObject({status: 200, json: {}});
    expect(await track(service)).toMatchObject({
      bidID: 77,
      flightPlanData: {
        bidID: 77,
        number: 'CAV100',
        // That of the airline of the pilot: the page sends none.
        code: 'CRW',
        departure: {code: 'EGLL', name: 'London Heathrow', latitude: 51.4706, longitude: -0.461941},
        arrival: {code: 'ZZJF', name: 'An airfield', latitude: 40.639801, longitude: -73.7789},
        currentAircraft: {code: 'A320', name: 'Airbus A320-251N', registration: 'G-CAVA'},
        cruise: 350,
        route: ['CPT', 'UL9', 'STU'],
      },
    });
    const {json} = await callService(service, 'GET /api/flight');
    expect(json['flight']).toMatchObject({number: 'CAV100', to: {code: 'ZZJF'}, cruiseFeet: 35_000, bidId: '77'});
  });

  test('takes codes alone, its own code, fuel and passengers', async () => {
    const service = await startInTest({ephemeral: true});
    const body = {bidID: 'b-1', number: 42, code: 'CAX', departure: 'LPPT', arrival: {code: 'lpma'}, aircraft: 'B738'};
    await post(service, 'startflight', {...body, route: 'ROSTA UN873', flightLevel: 33_000, fuel: 8200.5, pax: '151'});
    expect(await track(service)).toMatchObject({
      bidID: 'b-1',
      flightPlanData: {
        number: '42',
        code: 'CAX',
        departure: {code: 'LPPT', name: 'Lisbon'},
        arrival: {code: 'LPMA', name: 'Madeira'},
        currentAircraft: {code: 'B738', name: 'B738', registration: null},
        route: ['ROSTA', 'UN873'],
        fuel: 8200.5,
        pax: 151,
      },
    });
  });

  for (const body of [{bidID: 7}, {departure: null, arrival: '', aircraft: null, route: [], cruise: 0, number: ''}])
    test(`flies as before without them: ${JSON.stringify(body)}`, async () => {
      const service = await startInTest({ephemeral: true});
      await post(service, 'startflight', body);
      expect(await track(service)).toMatchObject({
        flightPlanData: {
          number: expect.stringMatching(/^\d{4}$/),
          departure: {code: 'EDDF'},
          arrival: {code: 'LPMA'},
          cruise: 37_000,
        },
      });
    });

  test('goes on where a flight that is restored was', async () => {
    const service = await startInTest({ephemeral: true});
    const body = {
      ...BOOKING,
      phase: 'CRUISE',
      profilerData: [{latitude: 1}],
      flightLog: [],
      guid: 'x',
      elapsedTime: 60,
    };
    await post(service, 'restoreflight', body);
    expect(await track(service)).toMatchObject({
      bidID: 77,
      trackingData: {currentFlightPhase: 'CRUISE'},
      flightPlanData: {number: 'CAV100'},
    });
  });

  const restored = [
    {sent: {phase: 'CRUISE', elapsedTime: 6000.5}, at: 6000.5, phase: 'CRUISE', name: 'where it was in its phase'},
    {
      sent: {phase: 'CLIMB', elapsedTime: '6000'},
      at: undefined,
      phase: 'CLIMB',
      name: 'in its phase if the time is of another',
    },
    {sent: {phase: 'CLIMB', elapsedTime: -1}, at: undefined, phase: 'CLIMB', name: 'in its phase if the time is none'},
    {sent: {elapsedTime: '6000'}, at: 6000, phase: 'CRUISE', name: 'at its time if the phase is not known'},
  ];
  for (const {sent, at, phase, name} of restored)
    test(`goes on ${name}`, async () => {
      const service = await startInTest({ephemeral: true});
      await post(service, 'restoreflight', {...BOOKING, ...sent});
      service.crewroom.flight.change({isPaused: true});
      const status = service.crewroom.flight.status();
      expect(status).toMatchObject({phase, number: 'CAV100'});
      expect(status?.elapsedSeconds).toBeGreaterThanOrEqual(at ?? 0);
      expect(status?.elapsedSeconds).toBeLessThan((at ?? Infinity) + 60);
    });

  test('flies hops and circuits', async () => {
    const service = await startInTest({ephemeral: true});
    for (const arrival of [BOOKING.departure, {...BOOKING.departure, code: 'EGLM', latitude: 51.55}]) {
      expect(await post(service, 'startflight', {...BOOKING, arrival})).toMatchObject({status: 200});
      expect(await track(service)).toMatchObject({flightPlanData: {arrival: {code: arrival.code}, distance: 25}});
    }
  });

  const refused = [
    {name: 'an airport that it does not know', body: {departure: 'ZZZZ'}, path: '$.from'},
    {
      name: 'a place that is not on the earth',
      body: {arrival: {code: 'X', latitude: 91, longitude: 0}},
      path: '$.arrival',
    },
    {name: 'a long number', body: {number: 'C'.repeat(21)}, path: '$.number'},
    {name: 'a long name', body: {aircraft: {code: 'A320', name: 'x'.repeat(101)}}, path: '$.aircraft.name'},
    {name: 'a long route', body: {route: Array(501).fill('X')}, path: '$.route'},
    {name: 'a route of other things', body: {route: [{}]}, path: '$.route[0]'},
    {name: 'a height in space', body: {cruise: 1e9}, path: '$.cruise'},
    {name: 'fewer passengers than none', body: {pax: -1}, path: '$.pax'},
    {name: 'an id of a booking that is a text without end', body: {bidID: 'x'.repeat(1000)}, path: '$.bidID'},
    {name: 'a code that is a list', body: {code: []}, path: '$.code'},
  ];
  for (const {name, body, path} of refused)
    test(`refuses ${name}, and keeps the flight before`, async () => {
      const service = await startInTest({ephemeral: true});
      await post(service, 'startflight', BOOKING);
      expect(await post(service, 'startflight', body)).toMatchObject({
        status: 422,
        json: {code: 'invalid-body', what: 'flight', problems: [{path}]},
      });
      expect(await track(service)).toMatchObject({flightPlanData: {number: 'CAV100'}});
    });

  test('keeps no characters that are not seen', async () => {
    const service = await startInTest({ephemeral: true});
    await post(service, 'startflight', {...BOOKING, number: '\u202eCAV\u001b[2J1\n', aircraft: 'A\u0000'});
    expect(await track(service)).toMatchObject({flightPlanData: {number: 'CAV [2J1', currentAircraft: {code: 'A'}}});
  });
});

describe('the figures of a flight', () => {
  test('are rounded as instruments are, and distances for published pages are in metres', async () => {
    const service = await startInTest({ephemeral: true});
    await post(service, 'startflight', BOOKING);
    service.crewroom.flight.change({phase: 'CLIMB'});
    const data = await track(service);
    const {altitude, heading, gs, vs} = Object(data['trackingData']).simData;
    for (const figure of [altitude, heading, gs, vs, data['distanceToGo'], data['distanceFlown']])
      expect(Number.isInteger(figure)).toBe(true);
    // Published pages divide by 1852 and show the result as nautical miles.
    const miles = Object(data['flightPlanData']).distance;
    expect((Number(data['distanceToGo']) + Number(data['distanceFlown'])) / 1852).toBeCloseTo(miles, 0);
    expect(miles).toBeGreaterThan(2900);
  });
});

/** Routes that start a flight. */
const STARTERS = ['startflight', 'restoreflight'] as const;

describe.each(['attributed', 'strict'] as const)('in the mode %s', access => {
  const sent = (name: string) => ({line: `POST ${TRACKING}/${name}`, body: JSON.stringify(BOOKING)});
  const kind = access === 'strict' ? 'page in the console' : 'page';

  test.each(STARTERS)('a plugin calls %s and replaces its own flight, without any grant', async name => {
    const service = await startCallers(access);
    const flight = sent(name);
    for (const caller of [kind, 'background'] as const) {
      expect(await callAs(service, caller, flight)).toMatchObject({status: 200});
      expect(await callAs(service, caller, {line: `GET ${TRACKING}/data`})).toMatchObject({status: 200});
      expect(await callAs(service, caller, {line: 'GET /api/flight'})).toMatchObject({status: 403});
    }
  });

  test.each(STARTERS)(
    '%s replaces no flight of another caller before it has arrived, without plugins:manage',
    async name => {
      const service = await startCallers(access);
      const flight = sent(name);
      const headers = [bearer(await readOwnerToken(service))];
      await callService(service, 'POST /api/flight', {headers, body: '{}'});
      const answer = await callAs(service, kind, flight);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        409,
        expect.objectContaining({code: 'flight-of-another', advice: expect.stringContaining('plugins:manage')}),
      ]);
      service.crewroom.flight.change({phase: 'ARRIVED'});
      expect(await callAs(service, kind, flight)).toMatchObject({status: 200});
      expect(service.crewroom.flight.status()).toMatchObject({startedBy: 'plugin:com.a'});

      await callService(service, 'POST /api/flight', {headers, body: '{}'});
      const grant = JSON.stringify({plugin: 'com.a', permissions: ['plugins:manage']});
      await callService(service, 'POST /api/access/grants', {headers, body: grant});
      expect(await callAs(service, kind, flight)).toMatchObject({status: 200});
    },
  );
});
