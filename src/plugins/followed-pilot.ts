import type {CommonDeps} from '../core/domain/common-deps.ts';
import type {Identity, IdentitySource} from '../core/domain/identity/identity.ts';
import type {Secrets} from './background/log/secrets.ts';

export interface FollowedPilotDeps extends Pick<CommonDeps, 'timers'> {
  readonly identity: IdentitySource;
  /** Learns the secrets of each identity. */
  readonly secrets: Secrets;
  /** Called when plugins have to be restarted. */
  readonly onChange: () => void;
}

/** Time in which changes of the identity count as one, in milliseconds: a sign-in changes it several times. */
const CHANGES_WITHIN_MS = 1000;

/** The pilot that plugins are started for. Follows the identity, and combines its changes within a second. */
export class FollowedPilot {
  readonly #deps: FollowedPilotDeps;
  #current: CurrentPilot | undefined;
  #cancelChange: (() => void) | undefined;
  readonly #unlisten: () => void;

  constructor(deps: FollowedPilotDeps) {
    this.#deps = deps;
    this.#current = this.#read();
    this.#unlisten = deps.identity.onChange(() => this.#noteChange());
  }

  /** The pilot who is signed in; undefined if there is none. */
  get current(): CurrentPilot | undefined {
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

  #change(pilot: CurrentPilot | undefined): void {
    this.#current = pilot;
    this.#deps.onChange();
  }

  #read(): CurrentPilot | undefined {
    const identity = this.#deps.identity.current();
    if (identity === undefined) return undefined;
    this.#deps.secrets.learn(identity.json);
    return readCurrentPilot(identity);
  }
}

/** The identity, with the parts that plugins depend on. */
export interface CurrentPilot {
  readonly identity: Identity;
  /** Changes with the session, the pilot and the airline. Contains a secret. */
  readonly key: string;
  /** Id of the airline, which is the id of its community; undefined if the document has none. */
  readonly communityId: string | undefined;
}

/** Reads the pilot of an identity. */
export function readCurrentPilot(identity: Identity): CurrentPilot {
  const document: unknown = JSON.parse(new TextDecoder().decode(identity.json));
  const account = memberOf(document, 'va_user');
  const airlineId = memberOf(memberOf(document, 'airline'), 'id');
  const key = JSON.stringify([...['session', 'dbID', 'pilotID'].map(name => memberOf(account, name)), airlineId]);
  return {identity, key, communityId: airlineId === undefined ? undefined : String(airlineId)};
}

function memberOf(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}
