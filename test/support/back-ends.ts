import type {AirlineAccount} from '../../src/core/domain/identity/identity.ts';
import {
  type BackEndAnswer,
  type BackEndRequest,
  type BackEndServer,
  htmlAnswer,
  jsonAnswer,
  startBackEndServer,
} from './back-end-server.ts';
import {PILOTS, type TestPilot} from './pilots.ts';

/** Options of a back end. */
export interface BackEndOptions {
  /** The clock of the back end, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** True if the host removes the header `Authorization`, like Apache with PHP as CGI. Default: false. */
  readonly stripsAuthorization?: boolean;
  /** True if pages of other origins may call, as in the open-source back ends. Default: true. */
  readonly allowsOrigins?: boolean;
  /** True if a redirect removes the slash at the end of the address, as in the `.htaccess` of Laravel. Default: false. */
  readonly dropsSlash?: boolean;
}

/** A server that plays the back end of an airline. */
export interface TestBackEnd extends BackEndServer {
  /** Answers every request with this; `undefined` restores the normal answers. */
  failWith(answer: BackEndAnswer | undefined): void;
  /** Ends every session, like a change of the database. */
  endSessions(): void;
}

/** Answers of a failing back end. */
export const TROUBLE = {
  /** The answer of PHP after a fatal error, if its messages are turned off. */
  empty: {status: 500, body: ''},
  /** The page of a framework. */
  html: htmlAnswer(500, 'Server Error'),
  /** A failure of the back end itself. */
  json: jsonAnswer(500, {message: 'The rank for this pilot does not exist'}),
  /** The answer of a framework to clients that accept JSON. */
  maintenance: jsonAnswer(503, {message: 'Service Unavailable'}),
} as const satisfies Record<string, BackEndAnswer>;

/**
 * Starts a back end like that of phpVMS 5. The session looks like a JWT, is valid for 7 days and is the only one of its pilot;
 * resuming it returns a new one. A pilot signs in with the bare number or the e-mail address.
 */
export async function startPhpVms5(options: BackEndOptions): Promise<TestBackEnd> {
  return startTestBackEnd(new PhpVms5(options.nowMs), options);
}

/**
 * Starts a back end like that of phpVMS 7. The session is the permanent API key of the pilot. The framework answers all other
 * requests, in JSON only for clients that accept it.
 */
export async function startPhpVms7(options: BackEndOptions): Promise<TestBackEnd> {
  return startTestBackEnd(new PhpVms7(), options);
}

/** The differences between back ends. */
export interface BackEnd {
  readonly name: string;
  /** Returns a session for a pilot with the right password. */
  signIn(pilot: TestPilot): string | null;
  /** True if the back end checks the pilot before the password. */
  readonly findsPilotFirst: boolean;
  /** The answer to a sign-in to an incomplete account. */
  readonly breakdown: BackEndAnswer;
  /** Returns the pilot of a valid session, or the refusal. */
  findPilot(session: string): TestPilot | BackEndAnswer;
  /** Returns the session that replaces a valid one. */
  renew(pilot: TestPilot, session: string): string;
  endSessions(): void;
  refuseMethod(request: BackEndRequest): BackEndAnswer;
  refusePath(request: BackEndRequest): BackEndAnswer;
}

const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** Returns the behaviour of phpVMS 5, for hostile back ends. */
export function createPhpVms5(nowMs: () => number): BackEnd {
  return new PhpVms5(nowMs);
}

class PhpVms5 implements BackEnd {
  readonly name = 'phpvms5';
  readonly findsPilotFirst = false;
  readonly breakdown = TROUBLE.empty;
  readonly #nowMs: () => number;
  readonly #sessions = new Map<TestPilot, {readonly session: string; readonly expirySeconds: number}>();
  #count = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  signIn(pilot: TestPilot): string {
    const expirySeconds = Math.floor(this.#nowMs() / 1000) + SESSION_SECONDS;
    const parts = [{typ: 'JWT', alg: 'HS256'}, {sub: pilot.number, exp: expirySeconds}, {signature: this.#count++}];
    const session = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    this.#sessions.set(pilot, {session, expirySeconds});
    return session;
  }

  findPilot(session: string): TestPilot | BackEndAnswer {
    if (session.split('.').length !== 3) return failure(400, 'The session is malformed');
    for (const [pilot, live] of this.#sessions)
      if (live.session === session && live.expirySeconds * 1000 > this.#nowMs()) return pilot;
    return failure(401, 'The session given was not valid');
  }

  renew(pilot: TestPilot): string {
    return this.signIn(pilot);
  }

  endSessions(): void {
    this.#sessions.clear();
  }

  refuseMethod({method}: BackEndRequest): BackEndAnswer {
    return failure(405, `POST request method expected, received a ${method} request instead`);
  }

  refusePath(): BackEndAnswer {
    return htmlAnswer(404, 'Not Found');
  }
}

class PhpVms7 implements BackEnd {
  readonly name = 'phpvms7';
  readonly findsPilotFirst = true;
  readonly breakdown = phpVms7Failure(503, 'Trying to access array offset on value of type null');
  #generation = 0;

  signIn(pilot: TestPilot): string | null {
    return pilot.state === 'keyless' ? null : this.#apiKeyOf(pilot);
  }

  findPilot(session: string): TestPilot | BackEndAnswer {
    const pilot = PILOTS.find(each => this.#apiKeyOf(each) === session);
    return pilot ?? phpVms7Failure(404, 'No query results for model [App\\Models\\User].');
  }

  renew(_pilot: TestPilot, session: string): string {
    return session;
  }

  endSessions(): void {
    this.#generation++;
  }

  refuseMethod({method, path, headers}: BackEndRequest): BackEndAnswer {
    const message = `The ${method} method is not supported for route api/smartcars/${path}. Supported methods: POST.`;
    return acceptsJson(headers) ? phpVms7Failure(405, message) : htmlAnswer(405, 'Method Not Allowed');
  }

  refusePath({path, headers}: BackEndRequest): BackEndAnswer {
    const message = `The route api/smartcars/${path} could not be found.`;
    return acceptsJson(headers) ? phpVms7Failure(404, message) : htmlAnswer(404, 'Not Found');
  }

  #apiKeyOf({number}: TestPilot): string {
    return `apikey${this.#generation}${number}`.padEnd(20, 'x');
  }
}

async function startTestBackEnd(
  backEnd: BackEnd,
  {stripsAuthorization = false, allowsOrigins = true, dropsSlash = false}: BackEndOptions,
): Promise<TestBackEnd> {
  let trouble: BackEndAnswer | undefined;
  const server = await startBackEndServer(
    request => {
      const {authorization, ...others} = request.headers;
      const seen = stripsAuthorization ? {...request, headers: others} : request;
      const answer = trouble ?? respond(seen, backEnd);
      return allowsOrigins ? allowAnyOrigin(answer) : answer;
    },
    {dropsSlash},
  );
  return Object.assign(server, {
    failWith: (answer: BackEndAnswer | undefined) => {
      trouble = answer;
    },
    endSessions: () => backEnd.endSessions(),
  });
}

/** Adds the headers that let pages of any origin read an answer. */
export function allowAnyOrigin(answer: BackEndAnswer): BackEndAnswer {
  return {...answer, headers: {...answer.headers, ...ANY_ORIGIN}};
}

const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS, HEAD',
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, X-Requested-With',
};

/** Answers a request; only the differences of {@link BackEnd} vary between back ends. */
export function respond(request: BackEndRequest, backEnd: BackEnd): BackEndAnswer {
  const {method, path} = request;
  if (method === 'OPTIONS') return jsonAnswer(200, null);
  switch (path) {
    case '':
      return jsonAnswer(200, {apiVersion: '1.0.3', handler: backEnd.name});
    case 'pilot/login':
      return method === 'POST' ? login(request, backEnd) : backEnd.refuseMethod(request);
    case 'pilot/resume':
    case 'pilot/verify':
      return method === 'POST' ? goOn(request, backEnd) : backEnd.refuseMethod(request);
    case 'data/airports':
      return listAirports(request, backEnd);
    default:
      return backEnd.refusePath(request);
  }
}

function login({query, json}: BackEndRequest, backEnd: BackEnd): BackEndAnswer {
  const username = query.get('username');
  const password = memberOf(json, 'password');
  if (username === null) return failure(400, 'Username is a required parameter (type `string`)');
  const pilot = PILOTS.find(({number, email}) => username === (username.includes('@') ? email : String(number)));
  if (pilot === undefined && backEnd.findsPilotFirst) return failure(401, 'The username or password is incorrect');
  if (typeof password !== 'string') return failure(400, 'Password is a required field (type `string`)');
  if (pilot?.state === 'unconfirmed') return failure(409, 'The pilot has not been confirmed with this airline yet');
  if (pilot?.password !== password) return failure(401, 'The username or password was not correct');
  return pilot.state === 'broken' ? backEnd.breakdown : jsonAnswer(200, accountOf(pilot, backEnd.signIn(pilot)));
}

function goOn({path, json}: BackEndRequest, backEnd: BackEnd): BackEndAnswer {
  const session = memberOf(json, 'session');
  if (typeof session !== 'string') return failure(400, 'Session is a required field (type `string`)');
  const pilot = backEnd.findPilot(session);
  if ('status' in pilot) return pilot;
  return jsonAnswer(200, accountOf(pilot, path === 'pilot/resume' ? backEnd.renew(pilot, session) : session));
}

/** An airport, in the form of every back end. */
export const AIRPORT = {id: 1, code: 'EGLL', name: 'London Heathrow', latitude: 51.4706, longitude: -0.4619};

function listAirports({headers}: BackEndRequest, backEnd: BackEnd): BackEndAnswer {
  const session = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (session === undefined || 'status' in backEnd.findPilot(session)) return failure(401, 'Invalid Token');
  return jsonAnswer(200, [AIRPORT]);
}

/** Returns the pilot in the form of every back end. */
function accountOf(
  {number, pilotID, email, firstName, lastName}: TestPilot,
  session: string | null,
): Omit<AirlineAccount, 'session'> & {readonly session: string | null} {
  return {
    dbID: number,
    pilotID,
    firstName,
    lastName,
    email,
    rank: 'Captain',
    rankImage: null,
    rankLevel: 4,
    avatar: null,
    session,
  };
}

function failure(status: number, message: string): BackEndAnswer {
  return jsonAnswer(status, {message});
}

/** Returns the answer of phpVMS 7 after an exception. */
function phpVms7Failure(status: number, message: string): BackEndAnswer {
  const type = `https://phpvms.example/errors/${status}`;
  return jsonAnswer(status, {type, title: message, details: message, status, error: {status, message}});
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function acceptsJson({accept = ''}: BackEndRequest['headers']): boolean {
  return accept.includes('application/json');
}
