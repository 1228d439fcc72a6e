import {DEFAULT_LIMITS} from '../domain/limits.ts';

/** What a hub keeps to. */
export interface EventLimits {
  /** How many subscribers there may be at once. */
  readonly subscribersMax: number;
  /** How many events wait for one subscriber at most, beyond those of one commit. */
  readonly waitingEventsMax: number;
  /** How many bytes of them, in keys and values. */
  readonly waitingEventBytesMax: number;
  /** How many changes are read from the log at once, about; and how many entries, in bytes of values half as much as may wait. */
  readonly pageEvents: number;
  /** How many bytes of events subscribers are handed at once, about. */
  readonly handedBytes: number;
  /** How many subscribers are handed events before others have their turn. */
  readonly handedTogether: number;
}

/**
 * The limits unless told otherwise. A page is about a millisecond of work. What is handed over at once is a quarter of
 * what may wait, so that nobody who keeps up is ever cut off. Writing to 16 sockets takes some 0.3 ms.
 */
export const EVENT_LIMITS: EventLimits = {
  subscribersMax: DEFAULT_LIMITS.subscribersMax,
  waitingEventsMax: DEFAULT_LIMITS.waitingEventsMax,
  waitingEventBytesMax: DEFAULT_LIMITS.waitingEventBytesMax,
  pageEvents: DEFAULT_LIMITS.waitingEventsMax / 4,
  handedBytes: DEFAULT_LIMITS.waitingEventBytesMax / 4,
  handedTogether: 16,
};
