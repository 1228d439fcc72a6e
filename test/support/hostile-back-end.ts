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

/** The name of a hostile behaviour. */
export type Hostility = keyof typeof HOSTILITIES;

/** A back end like that of phpVMS 5, with hostile behaviour on request. */
export interface HostileBackEnd extends BackEndServer {
  /** Answers requests to these paths, or to all, with hostile behaviour; other requests are answered normally. */
  misbehave(hostility: Hostility, paths?: readonly string[]): void;
  /** Redirects requests to these paths, or to all, to an address that is derived from theirs. */
  redirect(locate: (url: string) => string, paths?: readonly string[]): void;
  /** Changes the pilot in every answer. */
  changePilot(change: (pilot: Readonly<Record<string, unknown>>) => unknown): void;
  /** Ends the hostile behaviour. */
  behave(): void;
}

/** Starts a back end that behaves normally at first. */
export async function startHostileBackEnd({nowMs}: BackEndOptions): Promise<HostileBackEnd> {
  const backEnd = createPhpVms5(nowMs);
  let spoil: Spoil | undefined;
  let affects: (path: string) => boolean = () => true;
  const server = await startBackEndServer((request, response) => {
    const answer = (): BackEndAnswer => allowAnyOrigin(respond(request, backEnd));
    if (spoil === undefined || !affects(request.path)) return answer();
    const spoiled = {request, response, backEnd, url: `${server.scriptURL}${request.path}`};
    // Only a behaviour that uses the answer executes the request.
    return spoil({
      ...spoiled,
      get answer() {
        return answer();
      },
    });
  });
  const switchTo = (next: Spoil | undefined, paths?: readonly string[]): void => {
    spoil = next;
    affects = path => paths?.includes(path) ?? true;
  };
  return Object.assign(server, {
    misbehave: (hostility: Hostility, paths?: readonly string[]) => switchTo(HOSTILITIES[hostility], paths),
    redirect: (locate: (url: string) => string, paths?: readonly string[]) =>
      switchTo(({url}) => redirectTo(locate(url)), paths),
    changePilot: (change: (pilot: Readonly<Record<string, unknown>>) => unknown) =>
      switchTo(({answer}) => withPilot(answer, change)),
    behave: () => switchTo(undefined),
  });
}

interface Spoiled {
  /** Returns the normal answer. */
  readonly answer: BackEndAnswer;
  readonly request: BackEndRequest;
  readonly response: ServerResponse;
  readonly backEnd: BackEnd;
  /** The address of the request. */
  readonly url: string;
}

type Spoil = (spoiled: Spoiled) => BackEndAnswer | undefined;

const SIZE_BYTES = 2 * 1024 * 1024;

/** Interval between the bytes of a slow answer, in milliseconds: it exceeds every timeout. */
const DRIP_MS = 50;

const HOSTILITIES = {
  /** Reads the request and never answers. */
  hanging: () => undefined,
  /** Sends a byte now and then, and never ends. */
  slow: ({response}) => {
    response.writeHead(200, {'Content-Type': 'application/json'});
    const timer = setInterval(() => response.write(' '), DRIP_MS);
    response.once('close', () => clearInterval(timer));
    return undefined;
  },
  /** Closes the connection without an answer. */
  silent: ({response}) => {
    response.destroy();
    return undefined;
  },
  /** Closes the connection in the middle of the body. */
  'cut off': ({answer, response}) => {
    const body = Buffer.from(answer.body);
    response.writeHead(answer.status, {...answer.headers, 'Content-Length': body.length});
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
    return undefined;
  },
  /** The right answer, with 2 MiB of white space before it. */
  huge: ({answer}) => ({...answer, body: `${' '.repeat(SIZE_BYTES)}${answer.body}`}),
  /** All airports of the world, as in stock phpVMS 7. */
  'large table': ({answer, request}) =>
    request.path === 'data/airports' && request.method === 'GET' && answer.status === 200
      ? {...answer, body: JSON.stringify(Array(40_000).fill(AIRPORT))}
      : answer,
  /** Sends data without end. */
  endless: ({response}) => {
    const fill = (): void => {
      while (!response.destroyed && response.write('['.repeat(65_536)));
    };
    response.writeHead(200, {'Content-Type': 'application/json'});
    response.on('drain', fill);
    fill();
    return undefined;
  },
  /** A page of another site, with status 200. */
  html: () => htmlAnswer(200, 'Welcome to our airline'),
  /** JSON of another program. */
  'other JSON': () => jsonAnswer(200, {hello: 'world'}),
  /** JSON that is not an object. */
  'JSON null': () => jsonAnswer(200, null),
  /** A warning of PHP before the JSON; the status stays 200, since the headers were sent before. */
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
  /** The failure of phpVMS 5 on a current PHP for a retired pilot, with status 200. */
  'PHP fatal error': () => ({
    status: 200,
    headers: {'Content-Type': 'text/html'},
    body: '<br />\n<b>Fatal error</b>:  Uncaught TypeError: count(): Argument #1 ($value) must be of type Countable|array, null given in /home/air/back-end/login.php:31\nStack trace:\n#0 {main}\n  thrown in <b>/home/air/back-end/login.php</b> on line <b>31</b><br />\n',
  }),
  /** Debug output of an included file. */
  'text before JSON': ({answer}) => ({...answer, body: `debug: here\n${answer.body}`}),
  /** The page of ModSecurity. */
  firewall: () => ({
    ...htmlAnswer(403, 'Forbidden'),
    body: '<html><head><title>Not Acceptable!</title></head><body><h1>Not Acceptable!</h1><p>An appropriate representation of the requested resource could not be found on this server. This error was generated by Mod_Security.</p></body></html>',
  }),
  /** The challenge page of Cloudflare. */
  challenge: () => {
    const page = htmlAnswer(403, 'Just a moment...');
    return {...page, headers: {...page.headers, 'cf-mitigated': 'challenge', Server: 'cloudflare'}};
  },
  /** The redirect of a site for members. */
  'login page': ({url}) => redirectTo(new URL('/login', url).href, 302),
  /** The rate limit of a framework. */
  'too many requests': () => {
    const answer = jsonAnswer(429, {message: 'Too Many Attempts.'});
    return {...answer, headers: {...answer.headers, 'Retry-After': '30'}};
  },
  /** A site in maintenance mode. */
  maintenance: () => htmlAnswer(503, 'Service Unavailable'),
  /** The answer of the common back ends for an unknown name, which is case-sensitive. */
  'empty 500': () => ({status: 500, body: ''}),
  /** The answer of nginx to plain HTTP on its port for https. */
  'https port': () => htmlAnswer(400, 'The plain HTTP request was sent to HTTPS port'),
  /** An answer without a body. */
  empty: () => ({status: 200, body: ''}),
  /** The right answer with the wrong content type. */
  'wrong content type': ({answer}) => ({
    ...answer,
    headers: {...answer.headers, 'Content-Type': 'text/html; charset=UTF-8'},
  }),
  /** Bytes that are not text. */
  'invalid UTF-8': ({answer}) => ({
    ...answer,
    body: Buffer.concat([Buffer.from('{"firstName":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]),
  }),
  /** The right answer after a byte order mark, which some editors write before "<?php". */
  'byte order mark': ({answer}) => ({...answer, body: `\ufeff${answer.body}`}),
  /** A very long message that would clear the screen and reverse the text. */
  'control characters': () =>
    jsonAnswer(401, {message: `\u001b[2J\u202eNo\r\nway\u0000\u0007${' and never again'.repeat(1000)}`}),
  /** A redirect to the same address with https. */
  'redirect to https': ({url}) => redirectTo(url.replace('http:', 'https:')),
  /** A redirect that adds a slash, or a second one. */
  'redirect to a slash': ({url}) => redirectTo(`${url}/`),
  /** A redirect to itself. */
  'redirect loop': ({url}) => redirectTo(url),
  /** A redirect that keeps the method and the body (308). */
  'permanent redirect': ({url}) => redirectTo(url.replace('127.0.0.1', 'localhost'), 308),
  /** A redirect without a target. */
  'redirect to nowhere': () => ({...htmlAnswer(302, 'Found')}),
  /** Returns a new session each time, even for a verification. */
  'changing session': ({request, backEnd, answer}) =>
    request.path === 'pilot/verify' ? respond({...request, path: 'pilot/resume'}, backEnd) : answer,
  /** Ends every session before it is used. */
  'dying session': ({backEnd, answer}) => {
    backEnd.endSessions();
    return answer;
  },
} as const satisfies Record<string, Spoil>;

/** All hostile behaviours, for tests that iterate over them. */
export const HOSTILITY_NAMES = Object.keys(HOSTILITIES) as readonly Hostility[];

function withPilot(
  answer: BackEndAnswer,
  change: (pilot: Readonly<Record<string, unknown>>) => unknown,
): BackEndAnswer {
  const value: unknown = JSON.parse(answer.body.toString());
  if (typeof value !== 'object' || value === null || !('pilotID' in value)) return answer;
  return jsonAnswer(answer.status, change({...value}));
}
