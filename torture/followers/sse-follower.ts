import {openEventStream} from '../../test/support/event-stream.ts';
import type {Beginning} from '../continuity.ts';
import type {LoggedChange} from '../history.ts';
import {LossError} from '../loss-error.ts';
import {type Follower, type FollowerOptions, followToEnd, formatEvent, lastKey} from './follower.ts';

/** Handles everything that comes before the first event. */
export interface SseFollowerOptions extends FollowerOptions {
  /** Starts with the present entries instead of the first revision. @default {false} */
  readonly initial?: boolean;
}

/** A follower that acts like a browser: Server-Sent Events, reconnecting with the last event id. */
export class SseFollower implements Follower {
  readonly name: string;
  readonly prefix: string;
  readonly received: string[] = [];
  /** The entries received at the start, and their revision. */
  present: Beginning | undefined;
  readonly #options: SseFollowerOptions;
  #lastEventId = '';
  #isOver = false;

  constructor(options: SseFollowerOptions) {
    const {prefix, initial = false} = options;
    this.#options = options;
    this.prefix = prefix;
    this.name = `the SSE subscriber of "${prefix}"${initial ? ' that starts with the present entries' : ''}`;
  }

  run(): Promise<void> {
    return followToEnd(this.#options, eventsMax => this.#connect(eventsMax));
  }

  async #connect(eventsMax: number): Promise<boolean> {
    const {url, prefix, initial = false} = this.#options;
    const query = new URLSearchParams({prefix, ...(initial ? {initial: 'true'} : {after: '0'})});
    const id = this.#lastEventId;
    await using stream = await openEventStream(`${url}/api/events?${query}`, id === '' ? {} : {lastEventId: id});
    if (!stream.response.ok) throw new Error(`Answered ${stream.response.status}`);
    const {parser} = stream;
    // Events without an id so far are sent again after a reconnection.
    let waiting: LoggedChange[] = [];
    const commit = (lastEventId: string): void => {
      if (lastEventId === this.#lastEventId) return;
      this.#take(waiting, lastEventId);
      waiting = [];
    };
    for (let count = 0; count < eventsMax && !this.#isOver; count++) {
      let event = stream.shift();
      await stream.until(() => {
        event ??= stream.shift();
        return event !== undefined || parser.lastEventId !== this.#lastEventId;
      });
      if (event === undefined) {
        commit(parser.lastEventId);
        continue;
      }
      const received = JSON.parse(event.data) as LoggedChange;
      if (received.kind === 'reset')
        throw new LossError(`A reset for a cursor that the log still covers: ${this.name}, ${id}`);
      if (received.kind !== 'initial-ended') waiting.push(received);
      commit(event.lastEventId);
    }
    return this.#isOver;
  }

  #take(events: readonly LoggedChange[], lastEventId: string): void {
    const lines = events.map(formatEvent);
    if (this.#options.initial && this.present === undefined)
      this.present = {received: lines, revision: Number(lastEventId.split('-')[1])};
    else this.received.push(...lines);
    this.#lastEventId = lastEventId;
    this.#isOver = events.some(({key}) => key === lastKey(this.prefix));
  }
}
