import {membersOf} from '../json/members.ts';
import {type BackEndData, readBackEndData, SAMPLE_DATA_FILE} from './back-end-data.ts';
import {type BackEndReply, type BackEndRequest, Refusal} from './back-end-request.ts';
import {SampleFlights} from './sample-flights.ts';
import {SampleMessages} from './sample-messages.ts';
import {SampleSessions, type SignedPilot} from './sample-sessions.ts';

export interface SampleBackEndOptions {
  /** File with its data. @default {the sample} */
  readonly file?: string | undefined;
  /** Returns an unguessable name, for passwords and sessions. */
  readonly randomName: () => string;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/**
 * Opens the back end.
 *
 * @throws {AppError} `invalid-airline` with the problems of the file.
 */
export async function openSampleBackEnd(options: SampleBackEndOptions): Promise<SampleBackEnd> {
  return new SampleBackEnd(await readBackEndData(options.file ?? SAMPLE_DATA_FILE), options);
}

/** Answers by route to pilots who are signed in. */
type Routes = Readonly<Record<string, (pilot: string, request: BackEndRequest) => unknown>>;

/** The back end of a sample airline, in memory: pilots, sessions, airports, aircraft, flights and bookings. */
export class SampleBackEnd {
  readonly data: BackEndData;
  readonly #sessions: SampleSessions;
  readonly #routes: Routes;
  #session = '';

  constructor(data: BackEndData, {randomName, nowMs}: SampleBackEndOptions) {
    this.data = data;
    this.#sessions = new SampleSessions(data.pilots, randomName);
    const flights = new SampleFlights(data);
    const messages = new SampleMessages(data.answers['GET flights/chatMessages'], nowMs);
    this.#routes = {
      'GET data/airports': () => data.airports,
      'GET data/aircraft': () => data.aircraft,
      'GET flights/search': (_, {query}) => flights.search(query),
      'GET flights/bookings': pilot => flights.bookings(pilot),
      'POST flights/book': (pilot, {body}) => flights.book(pilot, membersOf(body)['flightID']),
      'POST flights/unbook': (pilot, {body}) => flights.unbook(pilot, membersOf(body)['bidID']),
      'POST flights/charter': (pilot, {body}) => flights.charter(pilot, membersOf(body)),
      'GET flights/chatMessages': () => messages.list(),
      'POST flights/sendMessage': (pilot, {body}) => messages.send(this.#sessions.account(pilot), body),
    };
  }

  /** Pilots with their passwords. */
  get pilots(): readonly SignedPilot[] {
    return this.#sessions.pilots;
  }

  /** Returns a session of the first pilot that has not ended. */
  session(): string {
    if (!this.#sessions.has(this.#session)) this.#session = this.#sessions.open();
    return this.#session;
  }

  /** Ends all sessions. */
  expireSessions(): void {
    this.#sessions.expire();
  }

  /** Answers a request. */
  answer(request: BackEndRequest): BackEndReply {
    if (request.method === 'OPTIONS') return {status: 204, headers: PAGES_MAY_CALL};
    try {
      return {headers: PAGES_MAY_CALL, body: this.#run(request)};
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return {status: error.status, headers: PAGES_MAY_CALL, body: {message: error.message}};
    }
  }

  #run(request: BackEndRequest): unknown {
    const {method, path, query, body, headers} = request;
    switch (`${method} ${path}`) {
      case 'GET ':
        return {apiVersion: '1.0.3', handler: 'sample'};
      case 'POST pilot/login':
        return this.#sessions.signIn(query['username'] ?? '', membersOf(body)['password']);
      case 'POST pilot/resume':
        return this.#sessions.resume(membersOf(body)['session']);
      case 'POST pilot/verify':
        return this.#sessions.verify(membersOf(body)['session']);
      case 'POST sessions/expire':
        this.#sessions.expire();
        return {};
    }
    const route = `${method} ${path}`;
    const {answers} = this.data;
    const run = Object.hasOwn(this.#routes, route) ? this.#routes[route] : undefined;
    if (run === undefined && !Object.hasOwn(answers, route)) throw new Refusal(404, `There is no ${route}`);
    const [, session] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
    if (session === undefined) throw new Refusal(401, 'The header "Authorization: Bearer <session>" is missing');
    const pilot = this.#sessions.pilotOf(session);
    return run === undefined ? answers[route] : run(pilot, request);
  }
}

/** Pages of plugins call from another origin. Sessions are not in cookies, so this exposes nothing. */
const PAGES_MAY_CALL = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
};
