import type {IdentitySource} from '../domain/identity/identity.ts';
import type {Timers} from '../time/timers.ts';
import type {Secrets} from './background/log/secrets.ts';
import {type Pilot, readPilot} from './pilot.ts';

export interface FollowedPilotDeps {
  readonly identity: IdentitySource;
  /** Learns the secrets of each identity. */
  readonly secrets: Secrets;
  readonly timers: Timers;
  /** Called when plugins have to be restarted. */
  readonly onChange: () => void;
}

/** Time in which changes of the identity count as one, in milliseconds: a sign-in changes it several times. */
const CHANGES_WITHIN_MS = 1000;

/** The pilot that plugins are started for. Follows the identity, and combines its changes within a second. */
export class FollowedPilot {
  readonly #deps: FollowedPilotDeps;
  #current: Pilot | undefined;
  #cancelChange: (() => void) | undefined;
  readonly #unlisten: () => void;

  constructor(deps: FollowedPilotDeps) {
    this.#deps = deps;
    this.#current = this.#read();
    this.#unlisten = deps.identity.onChange(() => this.#noteChange());
  }

  /** The pilot who is signed in; undefined if there is none. */
  get current(): Pilot | undefined {
    return this.#current;
  }

  /** Stops following the identity. */
  close(): void {
    this.#unlisten();
    this.#cancelChange?.();
  }

  #noteChange(): void {
    const pilot = this.#read();
    if (this.#cancelChange !== undefined) return;
    // No background is running, so there is no restart to delay.
    if (this.#current === undefined) this.#change(pilot);
    else if (this.#current.key === pilot?.key) this.#current = pilot;
    else
      this.#cancelChange = this.#deps.timers.after(CHANGES_WITHIN_MS, () => {
        this.#cancelChange = undefined;
        this.#change(this.#read());
      });
  }

  #change(pilot: Pilot | undefined): void {
    this.#current = pilot;
    this.#deps.onChange();
  }

  #read(): Pilot | undefined {
    const identity = this.#deps.identity.current();
    if (identity === undefined) return undefined;
    this.#deps.secrets.learn(identity.json);
    return readPilot(identity);
  }
}
