// The back end of an airline in one file: one pilot, no database, nothing to install.
// Run it with: node examples/back-end/main.js [port]
//
//   GET  /                            who this is
//   POST /pilot/login?username=…      {"password": "…"} -> the pilot, with a session
//   POST /pilot/resume                {"session": "…"}  -> the pilot, with a new session
//   POST /pilot/verify                {"session": "…"}  -> the pilot, with the same session
//   GET  /data/airports               Authorization: Bearer <session>
import {createHmac, timingSafeEqual} from 'node:crypto';
import {createServer} from 'node:http';

/** The only pilot. A real back end stores a hash of the password, made by scrypt or argon2. */
const PILOT = {number: '42', email: 'ada.quill@example.com', password: 'cabin crew'};

/** The airline's answer about the pilot: all of these members, with these types. */
const ACCOUNT = {
  dbID: 42,
  pilotID: 'CRW0042',
  firstName: 'Ada',
  lastName: 'Quill',
  email: PILOT.email,
  rank: 'Captain',
  rankImage: null,
  rankLevel: 4,
  avatar: null,
};

const AIRPORTS = [
  {id: 1, code: 'EGLL', name: 'London Heathrow', latitude: 51.4706, longitude: -0.4619},
  {id: 2, code: 'LPPT', name: 'Lisbon', latitude: 38.7813, longitude: -9.1359},
];

/** Signs the sessions. A real back end keeps a long random secret; with it anyone can sign a session for any pilot. */
const SECRET = process.env.BACK_END_SECRET ?? 'for this example only';

const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** Largest request body, in bytes. No sign-in is larger. */
const BODY_BYTES_MAX = 16 * 1024;

/** By path: the method and its function, whose result is the answer, with status 200. */
const ROUTES = {
  '/': {method: 'GET', run: () => ({apiVersion: '1.0.3', handler: 'example'})},
  '/pilot/login': {method: 'POST', run: login},
  '/pilot/resume': {method: 'POST', run: ({body}) => signedIn(createSession(readSession(textOf(body, 'session'))))},
  '/pilot/verify': {method: 'POST', run: ({body}) => verify(textOf(body, 'session'))},
  '/data/airports': {method: 'GET', run: listAirports},
};

/** Answered as `{"message": "…"}` with a status. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function login({query, body}) {
  const username = query.get('username');
  if (username === null) throw new Refusal(400, 'The parameter "username" is missing');
  const password = textOf(body, 'password');
  // A text with an @ is an e-mail address; without one it is a pilot number.
  const isPilot = username === (username.includes('@') ? PILOT.email : PILOT.number);
  // The same message for both, so that an answer does not reveal which pilots exist.
  if (!isPilot || !isSame(password, PILOT.password)) throw new Refusal(401, 'The username or password is not correct');
  return signedIn(createSession(PILOT.number));
}

function verify(session) {
  readSession(session);
  return signedIn(session);
}

function listAirports({headers}) {
  // Many hosts hide this header from PHP; then every request is refused.
  const session = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (session === undefined) throw new Refusal(401, 'The header "Authorization: Bearer <session>" is missing');
  readSession(session);
  return AIRPORTS;
}

function signedIn(session) {
  return {...ACCOUNT, session};
}

/** Creates a session: a JWT, which contains its expiry, so that a client knows when to resume it. */
function createSession(number) {
  const claims = {sub: number, exp: Math.floor(Date.now() / 1000) + SESSION_SECONDS};
  const unsigned = [{alg: 'HS256', typ: 'JWT'}, claims].map(encode).join('.');
  return `${unsigned}.${sign(unsigned)}`;
}

/** Returns the number of the pilot whose session this is. */
function readSession(session) {
  const [head, claims, signature, ...others] = session.split('.');
  if (signature === undefined || others.length > 0) throw new Refusal(400, 'The session is malformed');
  if (!isSame(signature, sign(`${head}.${claims}`))) throw new Refusal(401, 'The session is not valid');
  const {sub, exp} = JSON.parse(Buffer.from(claims, 'base64url').toString());
  if (exp * 1000 <= Date.now()) throw new Refusal(401, 'The session has expired');
  return sub;
}

function encode(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(text) {
  return createHmac('sha256', SECRET).update(text).digest('base64url');
}

/** Compares in constant time, so that the duration does not reveal how much is right. */
function isSame(given, right) {
  const hash = text => createHmac('sha256', SECRET).update(text).digest();
  return timingSafeEqual(hash(given), hash(right));
}

function textOf(body, name) {
  if (typeof body?.[name] !== 'string') throw new Refusal(400, `The member "${name}" must be a string`);
  return body[name];
}

async function readBody(request) {
  const chunks = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) throw new Refusal(413, `The body is larger than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
}

async function answer(request) {
  const {pathname, searchParams: query} = new URL(request.url, 'http://localhost');
  const route = Object.hasOwn(ROUTES, pathname) ? ROUTES[pathname] : undefined;
  if (route === undefined) throw new Refusal(404, `There is no ${pathname}`);
  if (request.method === 'OPTIONS') return null;
  if (request.method !== route.method)
    throw new Refusal(405, `${pathname} takes ${route.method}, not ${request.method}`);
  const body = route.method === 'POST' ? await readBody(request) : undefined;
  return route.run({query, headers: request.headers, body});
}

const server = createServer(async (request, response) => {
  let status = 200;
  const value = await answer(request).catch(error => {
    if (!(error instanceof Refusal)) console.error(error);
    status = error.status ?? 500;
    return {message: error instanceof Refusal ? error.message : 'Something went wrong here'};
  });
  console.log(`${request.method} ${request.url} ${status}`);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    // Pages of plugins call from another origin. Sessions are not in cookies, so this exposes nothing.
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  });
  response.end(JSON.stringify(value));
});

server.listen(Number(process.argv[2] ?? 8080), 'localhost', () => {
  console.log(`The back end is at http://localhost:${server.address().port}/`);
  console.log(`Sign in as ${PILOT.number} or ${PILOT.email} with the password "${PILOT.password}"`);
});
