import type {Socket} from 'node:net';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import {FAULT_HEADER} from '../../core/protocol/headers/fault-header.ts';
import {runtimeDirsOf} from '../../platform/paths.ts';
import {ACCEPT_TIMEOUT_MS, findPeerOwner, isForeignUser} from '../../platform/system/socket-owner.ts';
import {ownerFile, ownerFilesOf} from '../../service/access/owner-file.ts';
import type {CliContext} from '../terminal/context.ts';
import {createCheckedFetch, fetchOverHttp} from './http-fetch.ts';

export interface OwnerFetchOptions extends CalledService {
  /** Files in which the token may be, the most probable first. */
  readonly files: readonly string[];
  /** True if requests without the token are of no use. */
  readonly isRequired: boolean;
  /** True if nothing at all is sent to a process of another user. */
  readonly ownOnly: boolean;
}

/**
 * Creates a fetch that sends each request as the owner of the service, if a file of this user has its token, and otherwise without a token. The token
 * is sent only to a process of this user, and never along with a redirect.
 *
 * @returns A function that rejects with `no-owner-token` if the token is required and in no file; with `foreign-service` if the token is required, or
 * if `ownOnly`.
 */
export function createOwnerFetch(options: OwnerFetchOptions): Send {
  const owner = new OwnerFetch(options);
  return request => owner.send(request);
}

/** Place of a service, with what its files of the owner depend on. */
export interface OwnerFilesOptions {
  /** Data directory of the service; undefined or empty if it is not known. */
  readonly dataDir: string | undefined;
  readonly port: number;
}

/** Returns the files in which the token of a service may be: that of a service in memory, and that of one with this data directory. */
export function listOwnerFiles(
  {dataDir, port}: OwnerFilesOptions,
  {environment, userId, temporaryDir}: Pick<CliContext, 'environment' | 'userId' | 'temporaryDir'>,
): readonly string[] {
  const runtimeDirs = runtimeDirsOf(environment, {temporaryDir, userId});
  const places = dataDir === undefined || dataDir === '' ? [undefined] : [undefined, dataDir];
  return places.flatMap(place => ownerFilesOf({dataDir: place, runtimeDirs, port}));
}

/** Route for asking whether a token is the service's: it checks the token of any request, neither records this route nor delays OPTIONS. */
const PROBE_PATH = '/api/requests';

class OwnerFetch {
  readonly #options: OwnerFetchOptions;
  readonly #own: Send;
  /** Tokens of this service. A service that is started again has another one. */
  readonly #accepted = new Set<string>();
  /** Tokens of other services, such as one that has ended. */
  readonly #refused = new Set<string>();

  constructor(options: OwnerFetchOptions) {
    this.#options = options;
    this.#own = createSameUserFetch(options);
  }

  async send(request: Request): Promise<Response> {
    const token = await this.#findToken(request.signal);
    if (token === undefined) return this.#sendWithout(request);
    const response = await withToken(this.#own, token)(request);
    // The service was started again, and its file is not there yet.
    if (response.status === 401 && !response.headers.has(FAULT_HEADER)) this.#accepted.delete(token);
    return response;
  }

  /** Returns the token in one of the files that the service accepts. The first request with it is one without data. */
  async #findToken(signal: AbortSignal): Promise<string | undefined> {
    for (const file of this.#options.files) {
      const token = await ownerFile(file).read();
      if (token === undefined || this.#refused.has(token)) continue;
      if (this.#accepted.has(token)) return token;
      try {
        if (await this.#isAccepted(token, signal)) return token;
      } catch (error) {
        if (isFailure(error, 'foreign-service') && !this.#options.isRequired && !this.#options.ownOnly)
          return undefined;
        throw error;
      }
    }
    return undefined;
  }

  async #isAccepted(token: string, signal: AbortSignal): Promise<boolean> {
    const {ok, status, body} = await withToken(this.#own, token)(this.#probe(signal));
    await body?.cancel();
    if (ok) this.#accepted.add(token);
    if (status === 401) this.#refused.add(token);
    return ok;
  }

  #probe(signal: AbortSignal): Request {
    return new Request(this.#options.url + PROBE_PATH, {method: 'OPTIONS', signal});
  }

  async #sendWithout(request: Request): Promise<Response> {
    const {url, files, isRequired, ownOnly} = this.#options;
    if (!isRequired) return (ownOnly ? this.#own : fetchOverHttp)(request);
    // Fails with the reason if nothing answers, or if it is another user's.
    await (await this.#own(this.#probe(request.signal))).body?.cancel();
    throw new AppError({code: 'no-owner-token', url, files: files.join(' and ')});
  }
}

/** Sends a request. */
export type Send = (request: Request) => Promise<Response>;

/** A service and the user who calls it. */
interface CalledService {
  /** Address of the service, without a path. */
  readonly url: string;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
}

/**
 * Creates a fetch that sends nothing to a process of another user, for secrets. Only Linux shows the user of a process: elsewhere every process passes.
 *
 * @returns A function that rejects with `foreign-service`, or with `service-timeout` if no process accepts the connection.
 */
export function createSameUserFetch(service: CalledService): Send {
  return createCheckedFetch(socket => assertSameUser(socket, service));
}

/** Refuses a connection to a process of another user. */
async function assertSameUser(socket: Socket, {url, userId}: CalledService): Promise<void> {
  const {localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0} = socket;
  const owner = await findPeerOwner({
    own: {address: localAddress, port: localPort},
    peer: {address: remoteAddress, port: remotePort},
  });
  if (owner.kind === 'not-accepted') throw new AppError({code: 'service-timeout', url, timeoutMs: ACCEPT_TIMEOUT_MS});
  if (owner.kind === 'user' && isForeignUser(owner.userId, userId))
    throw new AppError({code: 'foreign-service', url, owner: owner.userId, userId: userId ?? 0});
}

/** Creates a fetch that adds a token to each request. */
export function withToken(send: Send, token: string): Send {
  return request => {
    request.headers.set('Authorization', `Bearer ${token}`);
    return send(request);
  };
}
