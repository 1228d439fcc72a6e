import type {Entries} from '../domain/entries.ts';
import type {IdentityDocument} from '../domain/identity.ts';
import {HttpEntries} from './http-entries.ts';
import {createTransport, decodeAnswer, parseAnswer} from './transport.ts';

/** Where the service is, and how long to wait for it. */
export interface ClientOptions {
  /** Address of the service, without a path. @default {'http://localhost:7172'} */
  readonly baseUrl?: string;
  /** How long one answer may take, in milliseconds, once the request is under way. @default {TIMEOUT_MS} */
  readonly timeoutMs?: number;
  /** Ends every call that is still waiting. */
  readonly signal?: AbortSignal;
  /** What sends requests; for tests and for programs that embed the service. @default {globalThis.fetch} */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** How long one answer may take unless told otherwise, in milliseconds: twice the service's own limit for a request. */
export const TIMEOUT_MS = 30_000;

/** The service, as programs see it. Every call throws the `AppError` that the service threw. */
export interface Client {
  readonly entries: Entries;
  /**
   * Who the pilot is.
   *
   * @throws {AppError} `no-identity` when nobody is signed in.
   */
  identity(): Promise<IdentityAnswer>;
  /** How it stands with the session at the back end of the airline. */
  session(): Promise<SessionDocument>;
  /**
   * Signs in at the back end of the airline. A failure leaves everything as it was.
   *
   * @throws {AppError} `invalid-sign-in`, `sign-in-unavailable`, `sign-in-busy`, `wrong-credentials`,
   * `pilot-not-confirmed`, and every other failure of a handler.
   */
  signIn(request: SignInRequest): Promise<SessionDocument>;
  /** Forgets the session. @throws {AppError} `sign-in-unavailable`. */
  signOut(): Promise<SessionDocument>;
  /** What the service is. */
  service(): Promise<ServiceDocument>;
  /** How the service is; also when it is not ready. */
  readiness(): Promise<Readiness>;
}

/** The identity in both forms. */
export interface IdentityAnswer {
  readonly document: IdentityDocument;
  /** The document as it was sent: also for members that JavaScript numbers cannot hold. */
  readonly text: string;
}

/** What somebody signs in with. */
export interface SignInRequest {
  /** The address of the back end, where the service has no airline configured; a web page may not name one. */
  readonly scriptURL?: string | undefined;
  /** The number of the pilot, or the e-mail address. */
  readonly username: string;
  readonly password: string;
}

/** What `GET /api/session` answers. */
export interface SessionDocument {
  readonly state: 'signed-out' | 'signed-in' | 'expired';
  readonly source: 'handler' | 'profile' | 'sample' | 'none';
  /** Since when the state is what it is (RFC 3339, UTC). */
  readonly since: string;
  /** When the session ends (RFC 3339, UTC), where that is known. */
  readonly expiresAt?: string;
  /** Whether what is served is the last known identity, which the back end did not confirm since. */
  readonly stale?: true;
  readonly scriptURL?: string;
  readonly kept?: 'keychain' | 'file' | 'memory';
  /** Why it is stale, expired or not taken up. */
  readonly problem?: {readonly code: string; readonly detail: string; readonly advice: string};
}

/** What `GET /api` answers. */
export interface ServiceDocument {
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly links: Readonly<Record<string, string>>;
}

/** What `GET /readyz` answers. */
export interface Readiness {
  readonly ready: boolean;
  readonly store: 'read-write' | 'read-only';
  readonly identity: {
    readonly source: 'handler' | 'profile' | 'sample' | 'none';
    readonly signedIn: boolean;
    readonly state: 'signed-out' | 'signed-in' | 'expired';
    /** Whether what is served is the last known identity, which the back end of the airline did not confirm since. */
    readonly stale?: true;
    readonly summary?: string;
  };
}

/**
 * Makes a client of a running service. Nothing is sent until the first call.
 *
 * @example
 * ```ts
 * import {createClient} from 'crewroom/client';
 *
 * const {entries} = createClient();
 * await entries.put('com.example.hello/greeting', JSON.stringify('Good morning'));
 * const entry = await entries.get('com.example.hello/greeting');
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport({
    baseUrl: options.baseUrl ?? 'http://localhost:7172',
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    signal: options.signal,
    fetch: options.fetch ?? (request => globalThis.fetch(request)),
  });
  return {
    entries: new HttpEntries(transport),
    identity: async () => {
      const answer = await transport.send('GET', '/api/identity');
      return {document: parseAnswer<IdentityDocument>(answer), text: decodeAnswer(answer)};
    },
    session: async () => parseAnswer<SessionDocument>(await transport.send('GET', '/api/session')),
    signIn: async request => {
      const body = new TextEncoder().encode(JSON.stringify(request));
      const headers = {'Content-Type': 'application/json'};
      return parseAnswer<SessionDocument>(await transport.send('POST', '/api/session', {headers, body}));
    },
    signOut: async () => parseAnswer<SessionDocument>(await transport.send('DELETE', '/api/session')),
    service: async () => parseAnswer<ServiceDocument>(await transport.send('GET', '/api')),
    readiness: async () => parseAnswer<Readiness>(await transport.send('GET', '/readyz', {accept: [503]})),
  };
}
