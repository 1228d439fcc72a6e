import type {EventKind, IdentityChanged, MomentaryEvent} from '../../core/domain/commits/event.ts';
import {EVENT_LIMITS} from './event-limits.ts';

/**
 * Queue of the events for one subscriber that no log keeps. Changes of the identity are one event until it is read, and come first.
 * If the subscriber is too slow, new lines of plugins are dropped and counted, and of all other events the oldest are dropped, since
 * a later state replaces an earlier one.
 */
export class MomentaryEvents {
  readonly #kinds: ReadonlySet<EventKind>;
  readonly #onDrop: () => void;
  #identityChanged = false;
  #waiting: MomentaryEvent[] = [];
  #lines = 0;
  #dropped = 0;

  /**
   * @param kinds The kinds that the subscriber selected.
   * @param onDrop Called for each event that is dropped.
   */
  constructor(kinds: ReadonlySet<EventKind>, onDrop: () => void) {
    this.#kinds = kinds;
    this.#onDrop = onDrop;
  }

  /** Adds an event. @returns True if the subscriber selected its kind. */
  add(event: IdentityChanged | MomentaryEvent): boolean {
    if (!this.#kinds.has(event.kind)) return false;
    if (event.kind === 'identity-changed') this.#identityChanged = true;
    else if (event.kind === 'plugin-log') this.#addLine(event);
    else this.#addOther(event);
    return true;
  }

  /** Removes and returns the change of the identity, or else all other events; undefined if there are none. */
  take(): readonly (IdentityChanged | MomentaryEvent)[] | undefined {
    if (this.#identityChanged) {
      this.#identityChanged = false;
      return [{kind: 'identity-changed'}];
    }
    if (this.#waiting.length === 0) return undefined;
    const taken = this.#waiting;
    this.#waiting = [];
    this.#lines = 0;
    return taken;
  }

  #addLine(event: Extract<MomentaryEvent, {kind: 'plugin-log'}>): void {
    if (this.#lines >= EVENT_LIMITS.waitingLinesMax) {
      this.#dropped++;
      this.#onDrop();
      return;
    }
    this.#waiting.push(this.#dropped === 0 ? event : {...event, dropped: this.#dropped});
    this.#lines++;
    this.#dropped = 0;
  }

  #addOther(event: MomentaryEvent): void {
    if (this.#waiting.length - this.#lines >= EVENT_LIMITS.waitingEventsMax) {
      this.#waiting.splice(
        this.#waiting.findIndex(({kind}) => kind !== 'plugin-log'),
        1,
      );
      this.#onDrop();
    }
    this.#waiting.push(event);
  }
}
