import type {JsonMembers} from '../json/members.ts';
import type {PilotData} from './back-end-data.ts';
import {Refusal} from './back-end-request.ts';

/** A pilot with the password of this run. */
export interface SignedPilot {
  readonly number: string;
  readonly password: string;
}

/** Pilots of a back end and their sessions, which are opaque and end on demand. */
export class SampleSessions {
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
