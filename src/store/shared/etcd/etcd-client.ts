import {type ClientDuplexStream, Metadata, type ServiceError} from '@grpc/grpc-js';
import {EtcdChannels, type EtcdTls, readText} from './etcd-channels.ts';
import {type CallFailure, describeCallFailure} from './etcd-errors.ts';
import type {WatchResponse} from './etcd-messages.ts';
import {createEncodings, type EtcdMethod} from './etcd-schema.ts';

/** How to reach etcd. */
export interface EtcdAddress {
  /** Host and port of each member. */
  readonly members: readonly string[];
  /** Undefined without TLS. */
  readonly tls?: EtcdTls | undefined;
  /** Name of the user, and the path of the file whose first line is the password. */
  readonly user?: {readonly name: string; readonly passwordFile: string} | undefined;
}

/** Longest time for one call, in milliseconds, besides that for its bytes: a member that is stopped is noticed after it. */
const CALL_TIMEOUT_MS = 2000;

/** Bytes that the slowest supported link carries in a millisecond, for one of some calls at once: 1 Mbit/s. */
const LINK_BYTES_PER_MS = 128;

/** Parameters of {@link EtcdClient.call}. */
export interface EtcdCallOptions {
  /** @default {the present member} */
  readonly member?: number | undefined;
  /** Size of the request, or of its answer, if it is large, in bytes: such a call has more time. @default {0} */
  readonly bytes?: number | undefined;
}

/** A call that failed. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly failure: CallFailure;

  constructor(failure: CallFailure, options?: ErrorOptions) {
    super(failure.problem, options);
    this.failure = failure;
  }
}

/**
 * A client of etcd: one channel for each member. It stays with a member until a call fails, then takes the next; the library would stay
 * with a member that is stopped but keeps its connections.
 */
export class EtcdClient {
  readonly #address: EtcdAddress;
  readonly #channels: EtcdChannels;
  readonly #encodingOf = createEncodings();
  #current = 0;
  #token: Promise<string> | undefined;

  private constructor(address: EtcdAddress, channels: EtcdChannels) {
    this.#address = address;
    this.#channels = channels;
  }

  /** Creates a client; connects with the first call. @throws {EngineFailure} `denied` if a certificate cannot be used. */
  static async create(address: EtcdAddress): Promise<EtcdClient> {
    return new EtcdClient(address, await EtcdChannels.create(address.members, address.tls));
  }

  /** The member that gets the next call. */
  get member(): string {
    return this.#address.members[this.#current] ?? '';
  }

  /** Number of members. */
  get size(): number {
    return this.#channels.size;
  }

  /** Calls a method of one member. @throws {CallError} */
  async call<T>(
    method: EtcdMethod,
    request: object,
    {member = this.#current, bytes = 0}: EtcdCallOptions = {},
  ): Promise<T> {
    try {
      return await this.#callOnce<T>(method, request, {member, bytes, metadata: await this.#authenticate(member)});
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.failure.kind === 'token') {
        // The token has expired, or the users have changed. The call was not executed.
        this.#token = undefined;
        return this.#callOnce<T>(method, request, {member, bytes, metadata: await this.#authenticate(member)});
      }
      const isMember = error.failure.kind === 'lost' || error.failure.kind === 'unavailable';
      if (isMember && member === this.#current) this.#current = (member + 1) % this.#channels.size;
      throw error.failure.kind === 'unavailable' ? await this.#explain(error) : error;
    }
  }

  /** Opens a stream to the current member. */
  async openWatch(): Promise<ClientDuplexStream<object, WatchResponse>> {
    const member = this.#current;
    const metadata = await this.#authenticate(member);
    // A member that is cut off from the others ends the stream.
    metadata.set('hasleader', 'true');
    const {path, requestSerialize, responseDeserialize} = this.#encodingOf('Watch/Watch');
    const decode = responseDeserialize as (bytes: Buffer) => WatchResponse;
    return this.#channels.to(member).makeBidiStreamRequest(path, requestSerialize, decode, metadata);
  }

  /** Closes all connections. */
  close(): void {
    this.#channels.close();
  }

  #callOnce<T>(
    method: EtcdMethod,
    request: object,
    {member, metadata, bytes = 0}: {readonly member: number; readonly metadata: Metadata; readonly bytes?: number},
  ): Promise<T> {
    const {path, requestSerialize, responseDeserialize} = this.#encodingOf(method);
    const decode = responseDeserialize as (bytes: Buffer) => T;
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response?: T): void => {
        if (error === null) resolve(response as T);
        else reject(new CallError(describeCallFailure(error, this.#address.members[member] ?? ''), {cause: error}));
      };
      const options = {deadline: Date.now() + CALL_TIMEOUT_MS + bytes / LINK_BYTES_PER_MS};
      this.#channels.to(member).makeUnaryRequest(path, requestSerialize, decode, request, metadata, options, done);
    });
  }

  async #authenticate(member: number): Promise<Metadata> {
    const metadata = new Metadata();
    if (this.#address.user === undefined) return metadata;
    this.#token ??= this.#requestToken(this.#address.user, member);
    try {
      metadata.set('token', await this.#token);
      return metadata;
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }

  async #requestToken({name, passwordFile}: NonNullable<EtcdAddress['user']>, member: number): Promise<string> {
    const [password = ''] = (await readText(passwordFile)).split(/\r?\n/, 1);
    const metadata = new Metadata();
    const request = {name, password};
    try {
      const {token} = await this.#callOnce<{readonly token: string}>('Auth/Authenticate', request, {member, metadata});
      return token;
    } catch (error) {
      if (!(error instanceof CallError) || error.failure.kind !== 'lost') throw error;
      // The login was lost, but not the call that needs it, which is sent after it.
      throw new CallError({...error.failure, kind: 'unavailable'}, {cause: error});
    }
  }

  /** Adds the reason if it is the certificate of this client, which members refuse without naming it. */
  async #explain({failure, cause}: CallError): Promise<CallError> {
    const problem = await this.#channels.renew(Date.now());
    return new CallError(problem === undefined ? failure : {...failure, problem: `${failure.problem}; ${problem}`}, {
      cause,
    });
  }
}
