import {type JsonMembers, membersOf} from '../../core/json/members.ts';
import {type BackEndData, type PilotData, readBackEndData, SAMPLE_DATA_FILE} from './back-end-data.ts';
import {type BackEndReply, type BackEndRequest, failure, Refusal} from './back-end-request.ts';
import {SampleFlights} from './sample-flights.ts';

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
    try {
      return {body: this.#run(request)};
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return failure(error.status, error.message);
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

/** Maximum number of messages that are kept. */
const MESSAGES_MAX = 100;

/** Messages that pilots send each other, in memory. */
class SampleMessages {
  readonly #nowMs: () => number;
  #messages: readonly JsonMembers[];
  /** Number of messages ever, also of those that are no longer kept. */
  #count: number;

  constructor(first: unknown, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#messages = Array.isArray(first) ? first.map(membersOf) : [];
    this.#count = this.#messages.length;
  }

  /** Returns the messages, oldest first. */
  list(): readonly JsonMembers[] {
    return this.#messages;
  }

  /**
   * Keeps a message of a pilot.
   *
   * @param body The parsed body, or the text of a form, as a published plugin sends it.
   * @throws {Refusal}
   */
  send(account: JsonMembers, body: unknown): JsonMembers {
    const message = typeof body === 'string' ? new URLSearchParams(body).get('message') : membersOf(body)['message'];
    if (typeof message !== 'string' || message === '') throw new Refusal(400, 'The member "message" is missing');
    const {dbID, firstName, lastName} = account;
    const sent = {
      messageId: ++this.#count,
      pilotId: dbID,
      pilot: `${String(firstName)} ${String(lastName)}`,
      message,
    };
    this.#messages = [...this.#messages, {...sent, timestamp: new Date(this.#nowMs()).toISOString()}].slice(
      -MESSAGES_MAX,
    );
    return {};
  }
}

/** A pilot with the password of this run. */
interface SignedPilot {
  readonly number: string;
  readonly password: string;
}

/** Pilots of a back end and their sessions, which are opaque and end on demand. */
class SampleSessions {
  readonly #pilots: ReadonlyMap<string, PilotData & SignedPilot>;
  /** Pilots by their sessions. */
  readonly #sessions = new Map<string, string>();

  readonly #randomName: () => string;

  constructor(pilots: readonly PilotData[], randomName: () => string) {
    this.#randomName = randomName;
    const named = pilots.map(pilot => ({...pilot, password: pilot.password ?? `crew-${randomName().slice(0, 8)}`}));
    this.#pilots = new Map(named.map(pilot => [pilot.number, pilot]));
  }

  /** The pilots with their passwords, for the developer who started the back end. */
  get pilots(): readonly SignedPilot[] {
    return [...this.#pilots.values()].map(({number, password}) => ({number, password}));
  }

  /** Answers a sign-in. @throws {Refusal} */
  signIn(username: string, password: unknown): object {
    if (username === '') throw new Refusal(400, 'The parameter "username" is missing');
    if (typeof password !== 'string') throw new Refusal(400, 'The member "password" must be a string');
    const isNamed = ({number, account}: PilotData): boolean =>
      username === (username.includes('@') ? account['email'] : number);
    const pilot = [...this.#pilots.values()].find(isNamed);
    // The same message for both, so that an answer does not reveal which pilots exist.
    if (pilot === undefined || pilot.password !== password)
      throw new Refusal(401, 'The username or password is not correct');
    return this.#accountOf(pilot.number, this.open(pilot.number));
  }

  /** Answers a session with a new one, which replaces it. @throws {Refusal} */
  resume(session: unknown): object {
    const number = this.pilotOf(session);
    this.#sessions.delete(String(session));
    return this.#accountOf(number, this.open(number));
  }

  /** Answers a session that has not ended. @throws {Refusal} */
  verify(session: unknown): object {
    return this.#accountOf(this.pilotOf(session), String(session));
  }

  /** Opens a session of a pilot, the first one by default. */
  open(number = this.pilots[0]?.number ?? ''): string {
    const session = `${this.#randomName()}${this.#randomName()}`;
    this.#sessions.set(session, number);
    return session;
  }

  /** Returns whether a session has not ended. */
  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  /** Ends all sessions. */
  expire(): void {
    this.#sessions.clear();
  }

  /** Returns the number of the pilot of a session. @throws {Refusal} */
  pilotOf(session: unknown): string {
    if (typeof session !== 'string') throw new Refusal(400, 'The member "session" must be a string');
    const number = this.#sessions.get(session);
    if (number === undefined) throw new Refusal(401, 'The session has expired');
    return number;
  }

  /** Returns the account of a pilot. */
  account(number: string): JsonMembers {
    return this.#pilots.get(number)?.account ?? {};
  }

  #accountOf(number: string, session: string): object {
    return {...this.account(number), session};
  }
}
