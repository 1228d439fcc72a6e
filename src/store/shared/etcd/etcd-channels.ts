import {X509Certificate} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {type ChannelCredentials, Client, credentials} from '@grpc/grpc-js';
import {EngineFailure} from '../engine/driver.ts';

/** Paths of PEM files; `ca` is undefined for the authorities of the system. */
export interface EtcdTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

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
  // As the other requests to members: a proxy of the environment would get those to this machine too.
  'grpc.enable_http_proxy': 0,
  // Channels that are equal would share a connection, which outlives the client.
  'grpc.use_local_subchannel_pool': 1,
} as const;

/** The texts of the files of {@link EtcdTls}. */
type Pems = readonly (string | undefined)[];

/** A channel to each member, with the certificates of the files as they are at the time. */
export class EtcdChannels {
  readonly #members: readonly string[];
  readonly #tls: EtcdTls | undefined;
  #pems: Pems;
  #channels: readonly Client[];
  #isClosed = false;

  private constructor(members: readonly string[], tls: EtcdTls | undefined, pems: Pems) {
    this.#members = members;
    this.#tls = tls;
    this.#pems = pems;
    this.#channels = createChannels(members, tls && pems);
  }

  /** Reads the files; connects with the first call. @throws {EngineFailure} `denied` if a file cannot be used. */
  static async create(members: readonly string[], tls: EtcdTls | undefined): Promise<EtcdChannels> {
    return new EtcdChannels(members, tls, await readPems(tls));
  }

  /** Number of members. */
  get size(): number {
    return this.#members.length;
  }

  /** Returns the channel to a member. */
  to(member: number): Client {
    return this.#channels[member] as Client;
  }

  /**
   * Reads the files again after a connection could not be made: certificates are replaced before they expire, or after. Calls that run
   * keep their connection.
   *
   * @returns The problem of the certificate of this client, as a part of a sentence; undefined if it has none.
   */
  async renew(nowMs: number): Promise<string | undefined> {
    if (this.#tls === undefined) return undefined;
    try {
      const pems = await readPems(this.#tls);
      if (!this.#isClosed && pems.some((pem, index) => pem !== this.#pems[index])) {
        const replaced = this.#channels;
        this.#channels = createChannels(this.#members, pems);
        this.#pems = pems;
        for (const channel of replaced) channel.close();
      }
      const [, cert] = pems;
      const expiry = cert === undefined ? undefined : new X509Certificate(cert).validTo;
      if (expiry === undefined || Date.parse(expiry) > nowMs) return undefined;
      return `the certificate ${this.#tls.cert} has expired (${expiry})`;
    } catch (error) {
      // A file that is just being replaced.
      if (error instanceof EngineFailure) return error.message;
      throw error;
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const channel of this.#channels) channel.close();
  }
}

function createChannels(members: readonly string[], pems: Pems | undefined): readonly Client[] {
  const created = pems === undefined ? credentials.createInsecure() : secure(pems);
  return members.map(member => new Client(member, created, CHANNEL_OPTIONS));
}

function secure([ca, cert, key]: Pems): ChannelCredentials {
  const [root = null, chain = null, secret = null] = [ca, cert, key].map(pem => (pem ? Buffer.from(pem) : null));
  try {
    if (cert !== undefined) new X509Certificate(cert);
    return credentials.createSsl(root, secret, chain);
  } catch (error) {
    throw new EngineFailure('denied', `the certificates cannot be used: ${(error as Error).message}`, {cause: error});
  }
}

/** Reads the files of a client; each is undefined if it has none. @throws {EngineFailure} `denied`. */
export function readPems(tls: EtcdTls | undefined): Promise<Pems> {
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
