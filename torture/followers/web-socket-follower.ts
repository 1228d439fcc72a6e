import {once} from 'node:events';
import {WebSocket} from 'ws';
import type {LoggedChange} from '../history.ts';
import {LossError} from '../loss-error.ts';
import {type Follower, type FollowerOptions, followToEnd, formatEvent, lastKey} from './follower.ts';

/**
 * A follower over a WebSocket. It reconnects with the cursor of the last event that it received. Within a commit the whole commit comes again:
 * it skips the events which it already has.
 */
export class WebSocketFollower implements Follower {
  readonly name: string;
  readonly prefix: string;
  readonly received: string[] = [];
  readonly #options: FollowerOptions;
  #cursor = '0';
  #revision = 0;
  /** Number of events of that revision received so far. */
  #received = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.prefix = options.prefix;
    this.name = `the WebSocket subscriber of "${options.prefix}"`;
  }

  run(): Promise<void> {
    return followToEnd(this.#options, eventsMax => this.#connect(eventsMax));
  }

  async #connect(eventsMax: number): Promise<boolean> {
    const {url, prefix} = this.#options;
    const query = new URLSearchParams({prefix, after: this.#cursor});
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/events?${query}`);
    const closed = once(socket, 'close');
    const revision = this.#revision;
    let known = this.#received;
    let loss: LossError | undefined;
    let isOver = false;
    let count = 0;
    socket.on('error', () => {});
    socket.on('message', data => {
      // Frames in flight when it disconnects are discarded.
      if (isOver || loss !== undefined || count++ >= eventsMax) return socket.terminate();
      const received = JSON.parse(String(data)) as LoggedChange;
      if (received.kind === 'reset')
        loss = new LossError(`A reset for a cursor that the log still covers: ${this.name}, ${this.#cursor}`);
      else if (Number(received.revision) === revision && known > 0) known--;
      else this.#take(received);
      isOver = received.key === lastKey(prefix);
      if (isOver) socket.terminate();
    });
    await closed;
    if (loss !== undefined) throw loss;
    return isOver;
  }

  #take(received: LoggedChange): void {
    const revision = Number(received.revision);
    this.#received = revision === this.#revision ? this.#received + 1 : 1;
    this.#revision = revision;
    this.#cursor = received.cursor ?? '0';
    this.received.push(formatEvent(received));
  }
}
