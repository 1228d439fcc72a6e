import {createClient} from 'crewroom/client';
import {LossError} from '../loss-error.ts';
import {type Follower, type FollowerOptions, formatEvent, lastKey} from './follower.ts';

/** Creates a follower on top of the client, which reconnects by its own rules. */
export class ClientFollower implements Follower {
  readonly name: string;
  readonly prefix: string;
  readonly received: string[] = [];
  readonly #options: FollowerOptions;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.prefix = options.prefix;
    this.name = `the client that subscribed to "${options.prefix}"`;
  }

  async run(): Promise<void> {
    const {url, prefix, signal} = this.#options;
    const events = createClient({baseUrl: url}).events({prefix, after: 0, signal});
    for await (const event of events) {
      if (event.kind === 'reset') throw new LossError(`A reset for a cursor that the log still covers: ${this.name}`);
      if (event.kind === 'identity-changed' || event.kind === 'initial-ended') continue;
      const {kind, key} = event;
      const written = event.kind === 'entry-written' ? event : {value: undefined, expiresAtMs: undefined};
      const expiresAt =
        written.expiresAtMs === undefined ? {} : {expiresAt: new Date(written.expiresAtMs).toISOString()};
      this.received.push(
        formatEvent({kind, key, revision: String(event.revision), value: written.value, ...expiresAt}),
      );
      if (key === lastKey(prefix)) return;
    }
  }
}
