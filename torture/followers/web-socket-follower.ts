import {once} from 'node:events';
import {WebSocket} from 'ws';
import {LossError, type Told} from '../history.ts';
import {describeTold, type Follower, type FollowerOptions, followToEnd, lastKey} from './follower.ts';

/**
 * A follower over a WebSocket. Frames have no id: it comes back with the revision before the last one that it heard of, and drops
 * what it has heard of that one.
 */
export class WebSocketFollower implements Follower {
  readonly name: string;
  readonly prefix: string;
  readonly told: string[] = [];
  readonly #options: FollowerOptions;
  #revision = 0;
  /** How many events of that revision it has heard. */
  #heard = 0;

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
    const query = new URLSearchParams({prefix, since: String(Math.max(this.#revision - 1, 0))});
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/events?${query}`);
    const closed = once(socket, 'close');
    let known = this.#heard;
    let loss: LossError | undefined;
    let isOver = false;
    let count = 0;
    socket.on('error', () => {});
    socket.on('message', data => {
      // What is under way when it breaks off is not heard.
      if (isOver || loss !== undefined || count++ >= eventsMax) return socket.terminate();
      const told = JSON.parse(String(data)) as Told;
      if (told.kind === 'reset')
        loss = new LossError(`A reset for a cursor that is not too old: ${this.name}, ${this.#revision}`);
      else if (Number(told.revision) === this.#revision && known > 0) known--;
      else this.#take(told);
      isOver = told.key === lastKey(prefix);
      if (isOver) socket.terminate();
    });
    await closed;
    if (loss !== undefined) throw loss;
    return isOver;
  }

  #take(told: Told): void {
    const revision = Number(told.revision);
    this.#heard = revision === this.#revision ? this.#heard + 1 : 1;
    this.#revision = revision;
    this.told.push(describeTold(told));
  }
}
