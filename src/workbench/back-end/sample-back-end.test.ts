import {describe, expect, test} from 'vitest';
import type {BackEndReply} from './back-end-request.ts';
import {openSampleBackEnd, type SampleBackEnd} from './sample-back-end.ts';

const QUERY_NAMES = {departureAirport: 'EG', minimumDistance: '2000'};

let names = 0;

function open(): Promise<SampleBackEnd> {
  return openSampleBackEnd({randomName: () => `${String(++names).padStart(8, '0')}`, nowMs: () => 0});
}

function ask(
  backEnd: SampleBackEnd,
  route: string,
  given: {query?: object; body?: unknown; session?: string} = {},
): BackEndReply {
  const [method = '', path = ''] = route.split(' ');
  const {query = {}, body, session = backEnd.session()} = given;
  return backEnd.answer({method, path, query: {...query}, headers: {authorization: `Bearer ${session}`}, body});
}

function bodyOf(reply: BackEndReply): readonly Record<string, unknown>[] {
  return reply.body as readonly Record<string, unknown>[];
}

describe('the sample back end', () => {
  test('signs pilots in by their number or address, with the password of this run only', async () => {
    const backEnd = await open();
    const [{password} = {password: ''}] = backEnd.pilots;
    for (const username of ['42', 'ada.quill@example.com']) {
      const reply = ask(backEnd, 'POST pilot/login', {query: {username}, body: {password}});
      expect(reply.body).toMatchObject({dbID: 42, pilotID: 'CRW0042', session: expect.any(String)});
    }
    expect(ask(backEnd, 'POST pilot/login', {query: {username: '42'}, body: {password: 'x'}}).status).toBe(401);
    expect(ask(backEnd, 'POST pilot/login', {query: {username: '42'}, body: {}}).status).toBe(400);
    expect(ask(backEnd, 'POST pilot/login', {body: {password}}).status).toBe(400);
    expect((await open()).pilots[0]?.password).not.toBe(password);
  });

  test('verifies a session, and resumes it once', async () => {
    const backEnd = await open();
    const session = backEnd.session();
    expect(ask(backEnd, 'POST pilot/verify', {body: {session}}).body).toMatchObject({session});
    const resumed = ask(backEnd, 'POST pilot/resume', {body: {session}}).body as {readonly session: string};
    expect(resumed.session).not.toBe(session);
    expect(ask(backEnd, 'POST pilot/verify', {body: {session}}).status).toBe(401);
    expect(ask(backEnd, 'POST pilot/verify', {body: {}}).status).toBe(400);
  });

  test('ends all sessions on demand', async () => {
    const backEnd = await open();
    const session = backEnd.session();
    expect(ask(backEnd, 'GET data/airports', {session}).status).toBeUndefined();
    ask(backEnd, 'POST sessions/expire', {session: ''});
    expect(ask(backEnd, 'GET data/airports', {session}).status).toBe(401);
    expect(backEnd.session()).not.toBe(session);
  });

  test('has airports, aircraft, and flights that can be searched', async () => {
    const backEnd = await open();
    expect(bodyOf(ask(backEnd, 'GET data/airports')).length).toBeGreaterThan(3);
    expect(bodyOf(ask(backEnd, 'GET data/aircraft'))[0]).toMatchObject({id: 1, name: 'Airbus A320'});
    const found = (query: object): unknown => bodyOf(ask(backEnd, 'GET flights/search', {query})).map(({id}) => id);
    expect(found({})).toEqual([101, 102, 103, 104]);
    expect(found(QUERY_NAMES)).toEqual([103]);
    expect(found({arrivalAirport: 'egll', maximumFlightTime: '3'})).toEqual([104]);
    expect(found({callsign: 'crw10', aircraft: '2'})).toEqual([101, 102]);
  });

  test('books, unbooks and charters flights for the pilot of the session', async () => {
    const backEnd = await open();
    const bookings = (): unknown =>
      bodyOf(ask(backEnd, 'GET flights/bookings')).map(({bidID, number}) => [bidID, number]);
    expect(bookings()).toEqual([[1, '101']]);
    expect(ask(backEnd, 'POST flights/book', {body: {flightID: '103'}}).body).toEqual({bidID: 2});
    expect(ask(backEnd, 'POST flights/book', {body: {flightID: 103}}).body).toEqual({bidID: 2});
    expect(ask(backEnd, 'POST flights/book', {body: {flightID: 'schedule-103-3'}}).body).toEqual({bidID: 2});
    expect(ask(backEnd, 'POST flights/book', {body: {flightID: 1}}).status).toBe(404);
    const charter = {number: '77', departure: 'EDDF', arrival: 'KJFK', route: ['A'], aircraft: 3, cruise: 36000};
    expect(ask(backEnd, 'POST flights/charter', {body: charter}).body).toEqual({bidID: 3});
    expect(ask(backEnd, 'POST flights/charter', {body: {number: '77'}}).status).toBe(400);
    expect(ask(backEnd, 'POST flights/unbook', {body: {bidID: 1}}).body).toEqual({});
    expect(ask(backEnd, 'POST flights/unbook', {body: {bidID: 1}}).status).toBe(404);
    expect(bookings()).toEqual([
      [2, '301'],
      [3, '77'],
    ]);
  });

  test('keeps one aircraft with a booking: the chosen one, or the first', async () => {
    const backEnd = await open();
    const aircraft = (): unknown =>
      bodyOf(ask(backEnd, 'GET flights/bookings')).map(({id, aircraft: one}) => [id, one]);
    ask(backEnd, 'POST flights/book', {body: {flightID: 'schedule-102-2'}});
    ask(backEnd, 'POST flights/book', {body: {flightID: 'schedule-104-undefined'}});
    expect(aircraft()).toEqual([
      [101, 1],
      [102, 2],
      [104, 2],
    ]);
    // An aircraft is no flight.
    expect(ask(backEnd, 'POST flights/book', {body: {flightID: 'schedule-7-103'}}).status).toBe(404);
  });

  test('books the flights of tours and events', async () => {
    const backEnd = await open();
    for (const [source, route] of [
      ['tour', 'GET flights/searchTours'],
      ['event', 'GET flights/searchEvents'],
    ] as const) {
      const [flight] = bodyOf(ask(backEnd, route));
      const flightID = `${source}-${String(flight?.['id'])}-${String(flight?.['aircraft'])}`;
      expect(ask(backEnd, 'POST flights/book', {body: {flightID}}).body).toEqual({bidID: expect.any(Number)});
      expect(bodyOf(ask(backEnd, 'GET flights/bookings')).at(-1)).toMatchObject({id: flight?.['id']});
    }
  });

  test('keeps the messages that pilots send, as forms or as JSON', async () => {
    const backEnd = await open();
    const before = bodyOf(ask(backEnd, 'GET flights/chatMessages')).length;
    ask(backEnd, 'POST flights/sendMessage', {body: 'message=Good+morning%21'});
    ask(backEnd, 'POST flights/sendMessage', {body: {message: 'Hello'}});
    expect(ask(backEnd, 'POST flights/sendMessage', {body: {}}).status).toBe(400);
    expect(bodyOf(ask(backEnd, 'GET flights/chatMessages')).slice(before)).toMatchObject([
      {pilotId: 42, pilot: 'Ada Quill', message: 'Good morning!', timestamp: '1970-01-01T00:00:00.000Z'},
      {message: 'Hello'},
    ]);
  });

  test('numbers messages on after those that it no longer keeps', async () => {
    const backEnd = await open();
    for (let count = 0; count < 110; count++) ask(backEnd, 'POST flights/sendMessage', {body: {message: 'Hello'}});
    const ids = bodyOf(ask(backEnd, 'GET flights/chatMessages')).map(({messageId}) => messageId);
    expect(new Set(ids).size).toBe(100);
  });

  test('answers live flights and other routes from its data, to pilots only', async () => {
    const backEnd = await open();
    expect(bodyOf(ask(backEnd, 'GET flights/liveFlights'))[0]).toMatchObject({depicao: 'EGLL'});
    expect(ask(backEnd, 'GET flights/liveFlights', {session: 'none'}).status).toBe(401);
    expect(ask(backEnd, 'GET constructor').status).toBe(404);
    expect(ask(backEnd, 'GET ').body).toEqual({apiVersion: '1.0.3', handler: 'sample'});
  });
});
