import {openEventStream} from '../../test/support/event-stream.ts';
import type {Beginning} from '../continuity.ts';
import {LossError, type Told} from '../history.ts';
import {describeTold, type Follower, type FollowerOptions, followToEnd, lastKey} from './follower.ts';

/** What comes before the first event. */
export interface SseFollowerOptions extends FollowerOptions {
  /** Begins with what is present, and not with the first revision. @default {false} */
  readonly initial?: boolean;
}

/** A follower like a browser: Server-Sent Events, and back with the last id. */
export class SseFollower implements Follower {
  readonly name: string;
  readonly prefix: string;
  readonly told: string[] = [];
  /** What was present when it came, and at which revision. */
  present: Beginning | undefined;
  readonly #options: SseFollowerOptions;
  #lastEventId = '';
  #isOver = false;

  constructor(options: SseFollowerOptions) {
    const {prefix, initial = false} = options;
    this.#options = options;
    this.prefix = prefix;
    this.name = `the SSE subscriber of "${prefix}"${initial ? ' that began with what was present' : ''}`;
  }

  run(): Promise<void> {
    return followToEnd(this.#options, eventsMax => this.#connect(eventsMax));
  }

  async #connect(eventsMax: number): Promise<boolean> {
    const {url, prefix, initial = false} = this.#options;
    const query = new URLSearchParams({prefix, ...(initial ? {initial: 'true'} : {since: '0'})});
    const id = this.#lastEventId;
    await using stream = await openEventStream(`${url}/api/events?${query}`, id === '' ? {} : {lastEventId: id});
    if (!stream.response.ok) throw new Error(`Answered ${stream.response.status}`);
    const {parser} = stream;
    // Events of which no id came yet are told again when it comes back.
    let waiting: Told[] = [];
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
      const told = JSON.parse(event.data) as Told;
      if (told.kind === 'reset') throw new LossError(`A reset for a cursor that is not too old: ${this.name}, ${id}`);
      waiting.push(told);
      commit(event.lastEventId);
    }
    return this.#isOver;
  }

  #take(events: readonly Told[], lastEventId: string): void {
    const lines = events.map(describeTold);
    if (this.#options.initial && this.present === undefined)
      this.present = {told: lines, revision: Number(lastEventId.split('-')[1])};
    else this.told.push(...lines);
    this.#lastEventId = lastEventId;
    this.#isOver = events.some(({key}) => key === lastKey(this.prefix));
  }
}
