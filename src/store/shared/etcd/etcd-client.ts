import {readFile} from 'node:fs/promises';
import {Client, type ClientDuplexStream, credentials, Metadata, type ServiceError} from '@grpc/grpc-js';
import {EngineFailure} from '../engine/driver.ts';
import {type CallFailure, describeCallFailure} from './etcd-errors.ts';
import type {WatchResponse} from './etcd-messages.ts';
import {createEncodings, type EtcdMethod} from './etcd-schema.ts';

/** How to reach etcd. */
export interface EtcdAddress {
  /** Host and port of each member. */
  readonly members: readonly string[];
  /** Paths of PEM files; undefined without TLS. `ca` is undefined for the authorities of the system. */
  readonly tls?:
    | {readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined}
    | undefined;
  /** Name of the user, and the path of the file whose first line is the password. */
  readonly user?: {readonly name: string; readonly passwordFile: string} | undefined;
}

/** Longest time for one call, in milliseconds: a member that is stopped is noticed after it. */
const CALL_TIMEOUT_MS = 2000;

/** Maximum size of an answer, in bytes: some pages of the largest values. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': ANSWER_BYTES_MAX,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.enable_retries': 0,
  // Channels that are equal would share a connection, which outlives the client.
  'grpc.use_local_subchannel_pool': 1,
} as const;

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
  readonly #channels: readonly Client[];
  readonly #encodingOf = createEncodings();
  #current = 0;
  #token: Promise<string> | undefined;

  private constructor(address: EtcdAddress, channels: readonly Client[]) {
    this.#address = address;
    this.#channels = channels;
  }

  /** Creates a client; connects with the first call. @throws {EngineFailure} `denied` if a file of a certificate cannot be read. */
  static async create(address: EtcdAddress): Promise<EtcdClient> {
    const {tls} = address;
    const [ca, cert, key] = await Promise.all([tls?.ca, tls?.cert, tls?.key].map(readIfNamed));
    const secured = (): ReturnType<typeof credentials.createSsl> => {
      try {
        return credentials.createSsl(ca ?? null, key ?? null, cert ?? null);
      } catch (error) {
        throw new EngineFailure('denied', `the certificates cannot be used: ${(error as Error).message}`, {
          cause: error,
        });
      }
    };
    const created = tls === undefined ? credentials.createInsecure() : secured();
    return new EtcdClient(
      address,
      address.members.map(member => new Client(member, created, CHANNEL_OPTIONS)),
    );
  }

  /** The member that gets the next call. */
  get member(): string {
    return this.#address.members[this.#current] ?? '';
  }

  /** Number of members. */
  get size(): number {
    return this.#channels.length;
  }

  /** Calls a method of one member. @throws {CallError} */
  async call<T>(method: EtcdMethod, request: object, member = this.#current): Promise<T> {
    try {
      return await this.#callOnce<T>(method, request, {member, metadata: await this.#authenticate(member)});
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.failure.kind === 'token') {
        // The token has expired, or the users have changed. The call was not executed.
        this.#token = undefined;
        return this.#callOnce<T>(method, request, {member, metadata: await this.#authenticate(member)});
      }
      const isMember = error.failure.kind === 'lost' || error.failure.kind === 'unavailable';
      if (isMember && member === this.#current) this.#current = (member + 1) % this.#channels.length;
      throw error;
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
    return this.#channelOf(member).makeBidiStreamRequest(path, requestSerialize, decode, metadata);
  }

  /** Closes all connections. */
  close(): void {
    for (const channel of this.#channels) channel.close();
  }

  #callOnce<T>(
    method: EtcdMethod,
    request: object,
    {member, metadata}: {readonly member: number; readonly metadata: Metadata},
  ): Promise<T> {
    const {path, requestSerialize, responseDeserialize} = this.#encodingOf(method);
    const decode = responseDeserialize as (bytes: Buffer) => T;
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response?: T): void => {
        if (error === null) resolve(response as T);
        else reject(new CallError(describeCallFailure(error, this.#address.members[member] ?? ''), {cause: error}));
      };
      const options = {deadline: Date.now() + CALL_TIMEOUT_MS};
      this.#channelOf(member).makeUnaryRequest(path, requestSerialize, decode, request, metadata, options, done);
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

  #channelOf(member: number): Client {
    return this.#channels[member] as Client;
  }
}

async function readIfNamed(path: string | undefined): Promise<Buffer | undefined> {
  return path === undefined ? undefined : Buffer.from(await readText(path));
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new EngineFailure('denied', `${path} cannot be read: ${(error as Error).message}`, {cause: error});
  }
}
