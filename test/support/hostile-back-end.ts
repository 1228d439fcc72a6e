import type {ServerResponse} from 'node:http';
import {
  type BackEndAnswer,
  type BackEndRequest,
  type BackEndServer,
  htmlAnswer,
  jsonAnswer,
  redirectTo,
  startBackEndServer,
} from './back-end-server.ts';
import {AIRPORT, allowAnyOrigin, type BackEnd, type BackEndOptions, createPhpVms5, respond} from './back-ends.ts';

/** The name of a way to be hostile. */
export type Hostility = keyof typeof HOSTILITIES;

/** A back end as phpVMS 5 has it that does harm when it is told to. */
export interface HostileBackEnd extends BackEndServer {
  /** Turns hostile to requests of these paths, or of all; every other request is answered well. */
  turn(hostility: Hostility, paths?: readonly string[]): void;
  /** Redirects requests of these paths, or of all, to what is made of their address. */
  redirect(locate: (url: string) => string, paths?: readonly string[]): void;
  /** Answers everything about the pilot with what is made of it. */
  changePilot(change: (pilot: Readonly<Record<string, unknown>>) => unknown): void;
  /** Is well again. */
  relent(): void;
}

/** Starts a back end that is well until it is told otherwise. */
export async function startHostileBackEnd({nowMs}: BackEndOptions): Promise<HostileBackEnd> {
  const backEnd = createPhpVms5(nowMs);
  let spoil: Spoil | undefined;
  let affects: (path: string) => boolean = () => true;
  const server = await startBackEndServer((request, response) => {
    const answer = (): BackEndAnswer => allowAnyOrigin(respond(request, backEnd));
    if (spoil === undefined || !affects(request.path)) return answer();
    const spoiled = {request, response, backEnd, url: `${server.scriptURL}${request.path}`};
    // Whoever does not use the answer has not done what was asked either.
    return spoil({
      ...spoiled,
      get answer() {
        return answer();
      },
    });
  });
  const turnTo = (next: Spoil | undefined, paths?: readonly string[]): void => {
    spoil = next;
    affects = path => paths?.includes(path) ?? true;
  };
  return Object.assign(server, {
    turn: (hostility: Hostility, paths?: readonly string[]) => turnTo(HOSTILITIES[hostility], paths),
    redirect: (locate: (url: string) => string, paths?: readonly string[]) =>
      turnTo(({url}) => redirectTo(locate(url)), paths),
    changePilot: (change: (pilot: Readonly<Record<string, unknown>>) => unknown) =>
      turnTo(({answer}) => withPilot(answer, change)),
    relent: () => turnTo(undefined),
  });
}

interface Spoiled {
  /** What a back end that is well would answer. */
  readonly answer: BackEndAnswer;
  readonly request: BackEndRequest;
  readonly response: ServerResponse;
  readonly backEnd: BackEnd;
  /** The address that was asked. */
  readonly url: string;
}

type Spoil = (spoiled: Spoiled) => BackEndAnswer | undefined;

const SIZE_BYTES = 2 * 1024 * 1024;

/** A byte each so many milliseconds is too little to end a request within any patience. */
const DRIP_MS = 50;

const HOSTILITIES = {
  /** Takes the request and says nothing. */
  hanging: () => undefined,
  /** Sends a byte now and then, and never comes to the end. */
  slow: ({response}) => {
    response.writeHead(200, {'Content-Type': 'application/json'});
    const timer = setInterval(() => response.write(' '), DRIP_MS);
    response.once('close', () => clearInterval(timer));
    return undefined;
  },
  /** Ends the connection without an answer. */
  silent: ({response}) => {
    response.destroy();
    return undefined;
  },
  /** Ends the connection in the middle of the body. */
  'cut off': ({answer, response}) => {
    const body = Buffer.from(answer.body);
    response.writeHead(answer.status, {...answer.headers, 'Content-Length': body.length});
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
    return undefined;
  },
  /** The right answer, with 2 MiB of white space before it. */
  huge: ({answer}) => ({...answer, body: `${' '.repeat(SIZE_BYTES)}${answer.body}`}),
  /** All airports of the world, as stock phpVMS 7 has them. */
  'large table': ({answer, request}) =>
    request.path === 'data/airports' && request.method === 'GET' && answer.status === 200
      ? {...answer, body: JSON.stringify(Array(40_000).fill(AIRPORT))}
      : answer,
  /** Goes on for as long as somebody reads. */
  endless: ({response}) => {
    const fill = (): void => {
      while (!response.destroyed && response.write('['.repeat(65_536)));
    };
    response.writeHead(200, {'Content-Type': 'application/json'});
    response.on('drain', fill);
    fill();
    return undefined;
  },
  /** The page of somebody else, with status 200. */
  html: () => htmlAnswer(200, 'Welcome to our airline'),
  /** JSON of somebody else. */
  'other JSON': () => jsonAnswer(200, {hello: 'world'}),
  /** JSON that is no object. */
  'JSON null': () => jsonAnswer(200, null),
  /** What comes before the JSON when PHP shows its warnings; the status stays 200, as the headers are out by then. */
  'PHP warning': ({answer}) => ({
    status: 200,
    headers: {'Content-Type': 'text/html'},
    body: `<br />\n<b>Warning</b>:  Undefined array key "rank" in <b>/home/air/core/common/PilotData.class.php</b> on line <b>104</b><br />\n${answer.body}`,
  }),
  /** The same with `html_errors` off. */
  'PHP warning in plain text': ({answer}) => ({
    status: 200,
    headers: {'Content-Type': 'text/html'},
    body: `\nDeprecated: Creation of dynamic property Codon::$x is deprecated in /home/air/core/classes/Codon.php on line 7\n${answer.body}`,
  }),
  /** What a retired pilot is to phpVMS 5 on a current PHP: the end of the program, with status 200. */
  'PHP fatal error': () => ({
    status: 200,
    headers: {'Content-Type': 'text/html'},
    body: '<br />\n<b>Fatal error</b>:  Uncaught TypeError: count(): Argument #1 ($value) must be of type Countable|array, null given in /home/air/back-end/login.php:31\nStack trace:\n#0 {main}\n  thrown in <b>/home/air/back-end/login.php</b> on line <b>31</b><br />\n',
  }),
  /** A line that somebody left in a file that is included. */
  'text before JSON': ({answer}) => ({...answer, body: `debug: here\n${answer.body}`}),
  /** What ModSecurity answers by itself. */
  firewall: () => ({
    ...htmlAnswer(403, 'Forbidden'),
    body: '<html><head><title>Not Acceptable!</title></head><body><h1>Not Acceptable!</h1><p>An appropriate representation of the requested resource could not be found on this server. This error was generated by Mod_Security.</p></body></html>',
  }),
  /** The page that makes a browser show that it is one. */
  challenge: () => {
    const page = htmlAnswer(403, 'Just a moment...');
    return {...page, headers: {...page.headers, 'cf-mitigated': 'challenge', Server: 'cloudflare'}};
  },
  /** What a site for members does to strangers. */
  'login page': ({url}) => redirectTo(new URL('/login', url).href, 302),
  /** What frameworks answer to whoever asks often. */
  'too many requests': () => {
    const answer = jsonAnswer(429, {message: 'Too Many Attempts.'});
    return {...answer, headers: {...answer.headers, 'Retry-After': '30'}};
  },
  /** A site that is closed for a while. */
  maintenance: () => htmlAnswer(503, 'Service Unavailable'),
  /** What the common back ends answer to a name that they do not know, down to its case. */
  'empty 500': () => ({status: 500, body: ''}),
  /** What nginx answers to plain HTTP on its port for https. */
  'https port': () => htmlAnswer(400, 'The plain HTTP request was sent to HTTPS port'),
  /** An answer without a body. */
  empty: () => ({status: 200, body: ''}),
  /** The right answer under a name that is not its own. */
  'wrong content type': ({answer}) => ({
    ...answer,
    headers: {...answer.headers, 'Content-Type': 'text/html; charset=UTF-8'},
  }),
  /** Bytes that are no text. */
  'invalid UTF-8': ({answer}) => ({
    ...answer,
    body: Buffer.concat([Buffer.from('{"firstName":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]),
  }),
  /** The right answer after a byte order mark, as some editors leave it before "<?php". */
  'byte order mark': ({answer}) => ({...answer, body: `\ufeff${answer.body}`}),
  /** A message that would clear the screen, turn the text around, and never end. */
  'control characters': () =>
    jsonAnswer(401, {message: `\u001b[2J\u202eNo\r\nway\u0000\u0007${' and never again'.repeat(1000)}`}),
  /** To the same over https. */
  'redirect to https': ({url}) => redirectTo(url.replace('http:', 'https:')),
  /** To the same with a slash at the end, or a second one. */
  'redirect to a slash': ({url}) => redirectTo(`${url}/`),
  /** To itself. */
  'redirect loop': ({url}) => redirectTo(url),
  /** A redirect that keeps the method and the body (308). */
  'permanent redirect': ({url}) => redirectTo(url.replace('127.0.0.1', 'localhost'), 308),
  /** A redirect that names no target. */
  'redirect to nowhere': () => ({...htmlAnswer(302, 'Found')}),
  /** Gives another session each time, also to verify. */
  'changing session': ({request, backEnd, answer}) =>
    request.path === 'pilot/verify' ? respond({...request, path: 'pilot/resume'}, backEnd) : answer,
  /** Every session is dead before it is used. */
  'dying session': ({backEnd, answer}) => {
    backEnd.endSessions();
    return answer;
  },
} as const satisfies Record<string, Spoil>;

/** All ways to be hostile, for tests that walk them. */
export const HOSTILITY_NAMES = Object.keys(HOSTILITIES) as readonly Hostility[];

function withPilot(
  answer: BackEndAnswer,
  change: (pilot: Readonly<Record<string, unknown>>) => unknown,
): BackEndAnswer {
  const value: unknown = JSON.parse(answer.body.toString());
  if (typeof value !== 'object' || value === null || !('pilotID' in value)) return answer;
  return jsonAnswer(answer.status, change({...value}));
}
