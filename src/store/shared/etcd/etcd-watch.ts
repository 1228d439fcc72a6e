import type {ClientDuplexStream} from '@grpc/grpc-js';
import type {Timers} from '../../../time/timers.ts';
import type {EtcdClient} from './etcd-client.ts';
import type {Message, Sent} from './etcd-schema.ts';

/** Pause before a watch is opened again, in milliseconds. */
const REOPEN_MS = 200;

/** Time after which a watch is opened again if the client calls another member by then, in milliseconds. */
const CHECK_MS = 1000;

type Stream = ClientDuplexStream<Sent<'WatchRequest'>, Message<'WatchResponse'>>;

/** The key that is followed, and who hears of it: the pair after a change, undefined if others may have been missed. */
export interface WatchOptions {
  readonly key: Buffer;
  readonly timers: Timers;
  readonly listener: (pair: Message<'KeyValue'> | undefined) => void;
}

/** Follows one key. */
export class EtcdWatch {
  readonly #client: EtcdClient;
  readonly #options: WatchOptions;
  #stream: Stream | undefined;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(client: EtcdClient, options: WatchOptions) {
    this.#client = client;
    this.#options = options;
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
      stream.on('data', (response: Message<'WatchResponse'>) => this.#read(response));
      // An error is always followed by the end, and the next watch catches up.
      stream.on('error', () => this.#reopen(stream));
      stream.on('end', () => this.#reopen(stream));
      stream.write({createRequest: {key: this.#options.key}});
      this.#checkMember(stream, member);
    } catch {
      if (!this.#isClosed) this.#cancelTimer = this.#options.timers.after(REOPEN_MS, () => void this.#open());
    }
  }

  #read({created, canceled, events}: Message<'WatchResponse'>): void {
    if (this.#isClosed) return;
    const last = events.at(-1)?.kv;
    // A removed key has no value.
    if (created || last !== undefined) this.#options.listener(last?.value.length ? last : undefined);
    if (canceled) this.#stream?.end();
  }

  #reopen(stream: Stream): void {
    if (this.#isClosed || this.#stream !== stream) return;
    this.#stream = undefined;
    this.#cancelTimer?.();
    stream.cancel();
    this.#cancelTimer = this.#options.timers.after(REOPEN_MS, () => void this.#open());
  }

  /** Leaves a member that the calls have left: it may be stopped, and keep its connections. */
  #checkMember(stream: Stream, member: string): void {
    this.#cancelTimer = this.#options.timers.after(CHECK_MS, () => {
      if (this.#client.member === member) this.#checkMember(stream, member);
      else this.#reopen(stream);
    });
  }
}
