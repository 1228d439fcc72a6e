import type {AllowedOrigins} from '../core/domain/access/allowed-origins.ts';
import type {ServedFaults} from '../core/domain/faults/fault.ts';
import type {Limits} from '../core/domain/limits.ts';
import type {Log} from '../core/domain/log.ts';
import type {PageProofs} from '../core/domain/plugins/page-proofs.ts';
import type {ServedPlugins} from '../core/domain/plugins/plugin.ts';
import type {ConnectionStatistics} from '../core/domain/statistics.ts';
import {addressesOf} from '../platform/system/loopback.ts';
import {FailureLog} from './core/failure-log.ts';
import {createHandler, type HandlerDeps} from './core/handler.ts';
import type {HttpHandler} from './core/message.ts';
import {createSites, type Sites} from './core/sites.ts';
import {createFetchHandler, type FetchHandler} from './fetch-handler.ts';
import {createPeerCheck} from './node/peer-check.ts';
import {type RunningServer, startServer} from './node/server.ts';
import {answerMissingPage} from './routes/docs-routes.ts';
import {answerLargeHeaders} from './routes/large-headers.ts';

export interface HttpServiceDeps extends Pick<HandlerDeps, 'routes' | 'access' | 'elapsedMs' | 'onAnswered'> {
  readonly settings: HttpSettings;
  readonly faults: ServedFaults;
  /** Origins of other pages that may call. */
  readonly allowedOrigins: Pick<AllowedOrigins, 'has'>;
  readonly plugins: Pick<ServedPlugins, 'findByLabel'>;
  /** Host names at which pages of plugins prove themselves; undefined if none does. */
  readonly pages: PageProofs | undefined;
  readonly limits: Limits;
  readonly log: Log;
  /** Returns random bytes, for the ids of requests. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Called with the code of each failure that is answered, also to what is not a readable request. */
  readonly onFailure: (code: string) => void;
}

/** The address of an HTTP service, and the callers that its guard admits. */
export interface HttpSettings {
  /** A loopback address, or `localhost` for both. */
  readonly host: string;
  /** 0 lets the operating system choose. */
  readonly port: number;
  readonly allowHosts: readonly string[];
  /** Names or ids of other users whose programs may call. */
  readonly allowUsers: readonly string[];
}

/** The HTTP service: one guard and one handler, for requests in process and over sockets. It does not listen yet. */
export class HttpService implements AsyncDisposable {
  /** Answers a request without a socket. */
  readonly fetch: FetchHandler;
  readonly #deps: HttpServiceDeps;
  readonly #handle: HttpHandler;
  readonly #failures: FailureLog;
  readonly #newRequestId: () => string;
  #sites: Sites;
  #server: Promise<RunningServer> | undefined;
  #running: RunningServer | undefined;

  constructor(deps: HttpServiceDeps) {
    const {routes, access, settings, log, randomBytes, elapsedMs, onAnswered, onFailure, faults} = deps;
    this.#deps = deps;
    this.#failures = new FailureLog({log, onFailure});
    this.#newRequestId = createRequestIds(randomBytes);
    this.#sites = this.#createSites(settings.port);
    const sites = (): Sites => this.#sites;
    const [failures, newRequestId] = [this.#failures, this.#newRequestId];
    // The sample back end has no pages.
    const hasPages = routes.some(({path}) => path === '/docs');
    const answered = {elapsedMs, onAnswered, answerMissingPage: hasPages ? answerMissingPage : undefined};
    this.#handle = createHandler({access, routes, sites, failures, newRequestId, faults, ...answered});
    this.fetch = createFetchHandler(this.#handle);
  }

  /**
   * Starts the server. Idempotent, unless the first call failed.
   *
   * @throws {AppError} `address-in-use`, `address-unusable`; `invalid-configuration` if `allowUsers` names no user.
   */
  listen(): Promise<RunningServer> {
    this.#server ??= this.#start().catch(error => {
      // The port may be free at the next call.
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  /** Returns whether pages of an origin may call. */
  mayCall(origin: string): boolean {
    const port = this.#running?.port ?? this.#deps.settings.port;
    return this.#sites(`localhost:${port}`)?.mayCall(origin) === true;
  }

  /** Returns figures of the connections of the server; undefined before it listens. */
  statistics(): ConnectionStatistics | undefined {
    return this.#running?.statistics();
  }

  /** Stops the server if it runs, after the requests in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    // `listen()` has reported why a server did not start.
    const server = await this.#server?.catch(() => undefined);
    await server?.[Symbol.asyncDispose]();
    this.#failures.flush();
  }

  async #start(): Promise<RunningServer> {
    const {settings, limits, log} = this.#deps;
    const server = await startServer({
      handle: this.#handle,
      answerLargeHeaders: (answered, bytes) => answerLargeHeaders(answered, bytes, this.#sites),
      newRequestId: this.#newRequestId,
      onBadRequest: (error, requestId) => this.#failures.report(error, {requestId}),
      onError: error => log.error('connection failed', {error}),
      findPeerProblem: await createPeerCheck({allowUsers: settings.allowUsers, log}),
      addresses: addressesOf(settings.host),
      port: settings.port,
      limits,
    });
    this.#sites = this.#createSites(server.port);
    this.#running = server;
    return server;
  }

  #createSites(port: number): Sites {
    const {settings, allowedOrigins, plugins, pages} = this.#deps;
    return createSites({
      port,
      extraHosts: settings.allowHosts,
      isAllowed: origin => allowedOrigins.has(origin),
      findPlugin: label => {
        const proved = pages?.findPlugin(label);
        const id = proved ?? plugins.findByLabel(label);
        return id === undefined ? undefined : {id, isProved: proved !== undefined};
      },
    });
  }
}

/** Creates the ids of requests: a counter behind a few random bytes, so that the ids of two processes differ. */
function createRequestIds(randomBytes: (sizeBytes: number) => Uint8Array): () => string {
  const prefix = Buffer.from(randomBytes(PREFIX_BYTES)).toString('hex');
  let count = 0;
  return () => `${prefix}-${++count}`;
}

const PREFIX_BYTES = 4;
