import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {SignIn} from '../../../src/core/domain/identity/identity.ts';

/** A pilot of the back end. */
export interface ContractPilot {
  readonly username: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Two pilots who can sign in. */
export const ADA: ContractPilot = {username: '1', password: 'the word of Ada', firstName: 'Ada', lastName: 'Quill'};
export const BEN: ContractPilot = {username: '2', password: 'the word of Ben', firstName: 'Ben', lastName: 'Moor'};

/** Part of every session that the back end gives to a pilot. */
export const SESSION_SECRET = 'secret-session';

/** End of every session, in milliseconds since the Unix epoch. */
export const SESSION_EXPIRY_MS = Date.UTC(2100, 0, 1);

/** Messages of the back end. */
export const MESSAGES = {
  wrongPassword: 'The username or password was not correct',
  unknownSession: 'The session given was not valid',
  failure: 'The database is not there',
} as const;

/** A small back end of an airline, on a free port of 127.0.0.1. */
export interface ContractBackEnd extends AsyncDisposable {
  readonly scriptURL: string;
  /** The path of each request that arrived, in order: `pilot/login` or `pilot/verify`; empty for the description. */
  readonly paths: readonly string[];
  /** Returns the sign-in of a pilot at this back end. */
  signInOf(pilot: ContractPilot): SignIn;
  /** Changes the rank of every pilot. */
  promote(rank: string): void;
  /** Ends every session. */
  endSessions(): void;
  /** Fails every request from now on. */
  fail(): void;
  /** Leaves the next sign-in without an answer. Resolves when it has arrived. */
  holdNextSignIn(): Promise<void>;
}

/** Starts a back end. */
export async function startContractBackEnd(): Promise<ContractBackEnd> {
  const backEnd = new SmallBackEnd();
  await backEnd.listen();
  return backEnd;
}

interface Answer {
  readonly status: number;
  readonly document: unknown;
}

const ROOT = '/back-end/';

class SmallBackEnd implements ContractBackEnd {
  readonly #server: Server;
  readonly #paths: string[] = [];
  readonly #pilots = new Map<string, ContractPilot>();
  #count = 0;
  #rank = 'Captain';
  #isFailing = false;
  #onHeld: (() => void) | undefined;

  constructor() {
    this.#server = createServer((request, response) => {
      // The service may disconnect in the middle of a request.
      void this.#exchange(request, response).catch(() => response.destroy());
    });
  }

  get scriptURL(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${ROOT}`;
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  signInOf({username, password}: ContractPilot): SignIn {
    return {scriptURL: this.scriptURL, username, password};
  }

  promote(rank: string): void {
    this.#rank = rank;
  }

  endSessions(): void {
    this.#pilots.clear();
  }

  fail(): void {
    this.#isFailing = true;
  }

  holdNextSignIn(): Promise<void> {
    return new Promise(resolve => {
      this.#onHeld = resolve;
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {pathname, searchParams} = new URL(request.url ?? '', this.scriptURL);
    const path = pathname.slice(ROOT.length);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    this.#paths.push(path);
    const onHeld = path === 'pilot/login' ? this.#onHeld : undefined;
    if (onHeld !== undefined) {
      this.#onHeld = undefined;
      return onHeld();
    }
    const members = body === '' ? {} : (JSON.parse(body) as Readonly<Record<string, unknown>>);
    const {status, document} = this.#answer(path, searchParams.get('username'), members);
    response.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(document));
  }

  #answer(path: string, username: string | null, {password, session}: Readonly<Record<string, unknown>>): Answer {
    if (this.#isFailing) return failure(500, MESSAGES.failure);
    switch (path) {
      case '':
        return {status: 200, document: {apiVersion: '1.0.3', handler: 'contract'}};
      case 'pilot/login': {
        const pilot = [ADA, BEN].find(each => each.username === username && each.password === password);
        return pilot === undefined ? failure(401, MESSAGES.wrongPassword) : this.#open(pilot);
      }
      case 'pilot/verify': {
        const pilot = this.#pilots.get(String(session));
        return pilot === undefined ? failure(401, MESSAGES.unknownSession) : this.#describe(pilot, String(session));
      }
      default:
        return failure(404, 'Not found');
    }
  }

  #open(pilot: ContractPilot): Answer {
    const session = `${SESSION_SECRET}-${++this.#count}`;
    this.#pilots.set(session, pilot);
    return this.#describe(pilot, session);
  }

  #describe({username, firstName, lastName}: ContractPilot, session: string): Answer {
    const document = {
      dbID: Number(username),
      pilotID: `VMS000${username}`,
      firstName,
      lastName,
      email: `${username}@example.com`,
      rank: this.#rank,
      rankImage: null,
      rankLevel: 1,
      avatar: null,
      session,
      expiry: SESSION_EXPIRY_MS / 1000,
    };
    return {status: 200, document};
  }
}

function failure(status: number, message: string): Answer {
  return {status, document: {message}};
}
