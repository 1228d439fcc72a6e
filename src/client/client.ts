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
    readonly source: 'profile' | 'sample' | 'none';
    readonly signedIn: boolean;
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
    service: async () => parseAnswer<ServiceDocument>(await transport.send('GET', '/api')),
    readiness: async () => parseAnswer<Readiness>(await transport.send('GET', '/readyz', {accept: [503]})),
  };
}
