import {X509Certificate} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {Client, type ClientDuplexStream, credentials, Metadata} from '@grpc/grpc-js';
import {EngineFailure} from '../engine/driver.ts';
import {isLate, isLoginOver, toEngineFailure} from './etcd-errors.ts';
import {
  createEncodings,
  type EtcdMethod,
  type Message,
  type RequestOf,
  type ResponseOf,
  type Sent,
} from './etcd-schema.ts';

/** How to reach etcd. */
export interface EtcdAddress {
  /** Host and port of each member. */
  readonly members: readonly string[];
  /** Paths of PEM files; `ca` is undefined for the authorities of the system. Undefined without TLS. */
  readonly tls?:
    | {readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined}
    | undefined;
  /** Name of the user, and the path of the file whose first line is the password. */
  readonly user?: {readonly name: string; readonly passwordFile: string} | undefined;
}

/** Longest time for one call, in milliseconds, besides that for its bytes: a stopped member is noticed after it. */
const CALL_TIMEOUT_MS = 2000;

/** Bytes that the slowest supported link carries in a millisecond, for one of some calls at once: 1 Mbit/s. */
const LINK_BYTES_PER_MS = 128;

/**
 * Bytes that a member may send before the client has taken them, in a connection and in each of its streams. Node's 64 KiB would be one trip for
 * each; this fills 80 Mbit/s at 100 ms, and small answers wait less than a second behind large ones on the slowest link of the guide.
 */
const WINDOW_BYTES = 1024 * 1024;

const CHANNEL_OPTIONS = {
  'grpc-node.flow_control_window': WINDOW_BYTES,
  // Some pages of the largest values.
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.enable_retries': 0,
  // A proxy of the environment would get the requests to this machine too.
  'grpc.enable_http_proxy': 0,
  // Channels that are equal would share a connection, which outlives the client.
  'grpc.use_local_subchannel_pool': 1,
} as const;

/** Position of the member, the size of request or answer in bytes, for which a call has time, and its failure if it may have been executed. */
interface CallOptions {
  readonly member?: number;
  readonly bytes?: number;
  readonly lost?: 'unavailable' | 'unknown';
}

/**
 * A client of etcd: one channel for each member. It stays with a member until a call fails, then takes the next; the library would stay
 * with a member that is stopped but keeps its connections.
 */
export class EtcdClient implements Disposable {
  readonly #address: EtcdAddress;
  readonly #encodingOf = createEncodings();
  #channels: readonly Client[];
  /** The texts of the files of certificates with which the channels were created. */
  #pems: Pems;
  #current = 0;
  #watch: WatchStream | undefined;
  #token: Promise<string> | undefined;
  /** Number of pages in a row that were late. */
  #latePages = 0;
  #isClosed = false;

  private constructor(address: EtcdAddress, pems: Pems) {
    this.#address = address;
    this.#pems = pems;
    this.#channels = createChannels(address, pems);
  }

  /** Creates a client; connects at the first call. @throws {EngineFailure} `denied` if a certificate cannot be used. */
  static async create(address: EtcdAddress): Promise<EtcdClient> {
    return new EtcdClient(address, await readPems(address));
  }

  /** The member that gets the next call. */
  get member(): string {
    return this.#address.members[this.#current] ?? '';
  }

  /** Sends the next calls to a member. Ends the watch of another: that may be stopped, and keep its connections. */
  use(member: string): void {
    const next = Math.max(0, this.#address.members.indexOf(member));
    if (next !== this.#current) this.#watch?.cancel();
    this.#current = next;
  }

  /** Calls a method of one member. @throws {EngineFailure} */
  async call<M extends EtcdMethod>(
    method: M,
    request: RequestOf<M>,
    {member = this.#current, bytes = 0, lost = 'unavailable'}: CallOptions = {},
  ): Promise<ResponseOf<M>> {
    const isPage = bytes > 0 && lost === 'unavailable';
    const call = async (): Promise<ResponseOf<M>> =>
      this.#callOnce(method, request, {member, bytes, metadata: await this.#authenticate(member)});
    try {
      const answer = await call().catch(error => {
        if (!isLoginOver(error)) throw error;
        this.#token = undefined;
        return call();
      });
      if (isPage) this.#latePages = 0;
      return answer;
    } catch (error) {
      const {members} = this.#address;
      const failure = toEngineFailure(error, members[member] ?? '', lost);
      // One page that is late says nothing of the member: the link may be slow.
      const isSlow = isPage && isLate(error) && ++this.#latePages === 1;
      const isMember = !isSlow && (failure.kind === 'unknown' || failure.kind === 'unavailable');
      if (isMember && member === this.#current) this.use(members[(member + 1) % members.length] ?? '');
      throw failure.kind === 'unavailable' ? await this.#renew(failure) : failure;
    }
  }

  /** Opens the stream of a watch to the present member. There is one at a time. */
  async openWatch(): Promise<WatchStream> {
    const metadata = await this.#authenticate(this.#current);
    // A member that is cut off from the others ends the stream.
    metadata.set('hasleader', 'true');
    const {path, serialize, deserialize} = this.#encodingOf('Watch/Watch');
    this.#watch = this.#channelTo(this.#current).makeBidiStreamRequest(path, serialize, deserialize, metadata);
    return this.#watch;
  }

  /** Closes all connections. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const channel of this.#channels) channel.close();
  }

  #channelTo(member: number): Client {
    return this.#channels[member] as Client;
  }

  #callOnce<M extends EtcdMethod>(
    method: M,
    request: RequestOf<M>,
    {member, metadata, bytes}: {readonly member: number; readonly metadata: Metadata; readonly bytes: number},
  ): Promise<ResponseOf<M>> {
    const {path, serialize, deserialize} = this.#encodingOf(method);
    const options = {deadline: Date.now() + CALL_TIMEOUT_MS + bytes / LINK_BYTES_PER_MS};
    return new Promise((resolve, reject) => {
      this.#channelTo(member).makeUnaryRequest(
        path,
        serialize,
        deserialize,
        request,
        metadata,
        options,
        (error, response) => {
          if (error === null) resolve(response as ResponseOf<M>);
          else reject(error);
        },
      );
    });
  }

  async #authenticate(member: number): Promise<Metadata> {
    const metadata = new Metadata();
    const {user} = this.#address;
    if (user === undefined) return metadata;
    this.#token ??= this.#requestToken(user, member);
    metadata.set('token', await this.#token);
    return metadata;
  }

  async #requestToken({name, passwordFile}: NonNullable<EtcdAddress['user']>, member: number): Promise<string> {
    try {
      const [password = ''] = (await readText(passwordFile)).split(/\r?\n/, 1);
      const options = {member, metadata: new Metadata(), bytes: 0};
      return (await this.#callOnce('Auth/Authenticate', {name, password}, options)).token;
    } catch (error) {
      this.#token = undefined;
      // The call that needs it is sent after it.
      throw toEngineFailure(error, this.#address.members[member] ?? '', 'unavailable');
    }
  }

  /**
   * Reads the files of certificates again, after a connection could not be made: they are replaced before they expire, or after.
   *
   * @returns The error, with the reason if it is the certificate of this client, which members refuse without naming it.
   */
  async #renew(error: EngineFailure): Promise<EngineFailure> {
    const {tls} = this.#address;
    try {
      const pems = await readPems(this.#address);
      if (!this.#isClosed && pems.some((pem, index) => pem !== this.#pems[index])) {
        const replaced = this.#channels;
        this.#channels = createChannels(this.#address, pems);
        this.#pems = pems;
        // Calls that run keep their connection.
        for (const channel of replaced) channel.close();
      }
      const [, cert] = pems;
      const expiry = cert === undefined ? '' : new X509Certificate(cert).validTo;
      if (cert === undefined || Date.parse(expiry) > Date.now()) return error;
      return new EngineFailure(error.kind, `${error.message}; the certificate ${tls?.cert} has expired (${expiry})`);
    } catch (problem) {
      // A file that is just being replaced.
      if (problem instanceof EngineFailure)
        return new EngineFailure(error.kind, `${error.message}; ${problem.message}`);
      throw problem;
    }
  }
}

type WatchStream = ClientDuplexStream<Sent<'WatchRequest'>, Message<'WatchResponse'>>;

type Pems = readonly (string | undefined)[];

/** Reads the certificate files: of the authorities, of this client, and its key. @throws {EngineFailure} `denied`. */
export function readPems({tls}: Pick<EtcdAddress, 'tls'>): Promise<Pems> {
  return Promise.all([tls?.ca, tls?.cert, tls?.key].map(path => (path === undefined ? path : readText(path))));
}

/** Reads a file of an address. @throws {EngineFailure} `denied`. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new EngineFailure('denied', `${path} cannot be read: ${(error as Error).message}`, {cause: error});
  }
}

function createChannels({members, tls}: EtcdAddress, pems: Pems): readonly Client[] {
  try {
    const [root = null, chain = null, key = null] = pems.map(pem => (pem === undefined ? null : Buffer.from(pem)));
    if (chain !== null) new X509Certificate(chain);
    const created = tls === undefined ? credentials.createInsecure() : credentials.createSsl(root, key, chain);
    return members.map(member => new Client(member, created, CHANNEL_OPTIONS));
  } catch (error) {
    throw new EngineFailure('denied', `the certificates cannot be used: ${(error as Error).message}`, {cause: error});
  }
}
