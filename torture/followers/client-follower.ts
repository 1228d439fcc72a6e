import {createClient} from 'crewroom/client';
import {LossError} from '../history.ts';
import {describeTold, type Follower, type FollowerOptions, lastKey} from './follower.ts';

/** A follower that does nothing itself: the client comes back by its own rules. */
export class ClientFollower implements Follower {
  readonly name: string;
  readonly prefix: string;
  readonly told: string[] = [];
  readonly #options: FollowerOptions;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.prefix = options.prefix;
    this.name = `the client that subscribed to "${options.prefix}"`;
  }

  async run(): Promise<void> {
    const {url, prefix, signal} = this.#options;
    const events = createClient({baseUrl: url}).events({prefix, since: 0, signal});
    for await (const event of events) {
      if (event.kind === 'reset') throw new LossError(`A reset for a cursor that is not too old: ${this.name}`);
      if (event.kind === 'identity-changed') continue;
      const {kind, key} = event;
      const written = event.kind === 'entry-written' ? event : {value: undefined, expiresAtMs: undefined};
      const expiresAt =
        written.expiresAtMs === undefined ? {} : {expiresAt: new Date(written.expiresAtMs).toISOString()};
      this.told.push(describeTold({kind, key, revision: String(event.revision), value: written.value, ...expiresAt}));
      if (key === lastKey(prefix)) return;
    }
  }
}
