import type {Event, EventKind, MomentaryEvent} from '../domain/event.ts';
import {EVENT_LIMITS} from './limits.ts';

/**
 * Momentary events that wait for one subscriber. A subscriber that is too slow loses lines of plugins, which are counted, and of
 * the others the oldest: a later state replaces an earlier one.
 */
export class MomentaryEvents {
  readonly #kinds: ReadonlySet<EventKind>;
  #waiting: MomentaryEvent[] = [];
  #lines = 0;
  #dropped = 0;

  /** @param kinds Kinds that the subscriber wants. */
  constructor(kinds: ReadonlySet<EventKind>) {
    this.#kinds = kinds;
  }

  /** Adds an event. @returns Whether the subscriber wants it. */
  add(event: MomentaryEvent): boolean {
    if (!this.#kinds.has(event.kind)) return false;
    if (event.kind === 'plugin-log') this.#addLine(event);
    else this.#addOther(event);
    return true;
  }

  /** Removes all events that wait; undefined if there are none. */
  take(): readonly Event[] | undefined {
    if (this.#waiting.length === 0) return undefined;
    const taken = this.#waiting;
    this.#waiting = [];
    this.#lines = 0;
    return taken;
  }

  #addLine(event: Extract<MomentaryEvent, {kind: 'plugin-log'}>): void {
    if (this.#lines >= EVENT_LIMITS.waitingLinesMax) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(this.#dropped === 0 ? event : {...event, dropped: this.#dropped});
    this.#lines++;
    this.#dropped = 0;
  }

  #addOther(event: MomentaryEvent): void {
    if (this.#waiting.length - this.#lines >= EVENT_LIMITS.waitingEventsMax)
      this.#waiting.splice(
        this.#waiting.findIndex(({kind}) => kind !== 'plugin-log'),
        1,
      );
    this.#waiting.push(event);
  }
}
