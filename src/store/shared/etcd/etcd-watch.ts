import type {ClientDuplexStream} from '@grpc/grpc-js';
import type {Timers} from '../../../time/timers.ts';
import type {EtcdClient} from './etcd-client.ts';
import type {WatchResponse} from './etcd-messages.ts';

/** Pause before a watch is opened again, in milliseconds. */
const REOPEN_MS = 200;

/** Time after which a watch is opened again if the client calls another member by then, in milliseconds. */
const CHECK_MS = 1000;

/** Follows one key. */
export class EtcdWatch {
  readonly #client: EtcdClient;
  readonly #key: Buffer;
  readonly #timers: Timers;
  readonly #listener: (version: number | undefined) => void;
  #stream: ClientDuplexStream<object, WatchResponse> | undefined;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(
    client: EtcdClient,
    {
      key,
      timers,
      listener,
    }: {readonly key: Buffer; readonly timers: Timers; readonly listener: (version: number | undefined) => void},
  ) {
    this.#client = client;
    this.#key = key;
    this.#timers = timers;
    this.#listener = listener;
    void this.#open();
  }

  /** Ends it. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#stream?.cancel();
  }

  async #open(): Promise<void> {
    const {member} = this.#client;
    try {
      const stream = await this.#client.openWatch();
      if (this.#isClosed) return stream.cancel();
      this.#stream = stream;
      stream.on('data', (response: WatchResponse) => this.#read(response));
      // An error is always followed by the end, and the next watch catches up.
      stream.on('error', () => this.#reopen(stream));
      stream.on('end', () => this.#reopen(stream));
      stream.write({createRequest: {key: this.#key}});
      this.#checkMember(stream, member);
    } catch {
      if (this.#isClosed) return;
      this.#cancelTimer = this.#timers.after(REOPEN_MS, () => void this.#open());
    }
  }

  #read({created, canceled, events}: WatchResponse): void {
    if (this.#isClosed) return;
    // Changes may have been missed before.
    if (created) this.#listener(undefined);
    const version = events.at(-1)?.kv.modRevision;
    if (version !== undefined) this.#listener(version);
    if (canceled) this.#stream?.end();
  }

  #reopen(stream: ClientDuplexStream<object, WatchResponse>): void {
    if (this.#isClosed || this.#stream !== stream) return;
    this.#stream = undefined;
    this.#cancelTimer?.();
    stream.cancel();
    this.#cancelTimer = this.#timers.after(REOPEN_MS, () => void this.#open());
  }

  /** Leaves a member that the calls have left: it may be stopped, and keep its connections. */
  #checkMember(stream: ClientDuplexStream<object, WatchResponse>, member: string): void {
    this.#cancelTimer = this.#timers.after(CHECK_MS, () => {
      if (this.#client.member === member) this.#checkMember(stream, member);
      else this.#reopen(stream);
    });
  }
}
