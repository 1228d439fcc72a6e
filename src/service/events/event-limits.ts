import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';

/** The limits of a hub. */
export interface EventLimits {
  /** Maximum number of subscribers at once. */
  readonly subscribersMax: number;
  /** Maximum number of events that wait for one subscriber, apart from those of one commit. */
  readonly waitingEventsMax: number;
  /** Maximum size of the keys and values of these events, in bytes. */
  readonly waitingEventBytesMax: number;
  /** Maximum number of lines of plugins waiting for one subscriber: those of one second. Further lines are dropped. */
  readonly waitingLinesMax: number;
  /** Number of changes in a page of the log, and of entries in a page of a snapshot. */
  readonly pageEvents: number;
  /** A delivery ends with the commit that reaches this size of keys and values, in bytes. */
  readonly deliveryBytes: number;
  /** Number of subscribers that get a delivery in one tick of the event loop. */
  readonly deliveriesPerTick: number;
}

/**
 * The default limits. A page is about a millisecond of work. A delivery is a quarter of what may wait, so that a subscriber that
 * keeps up is never disconnected. Writing to 16 sockets takes some 0.3 ms.
 */
export const EVENT_LIMITS: EventLimits = {
  subscribersMax: DEFAULT_LIMITS.subscribersMax,
  waitingEventsMax: DEFAULT_LIMITS.waitingEventsMax,
  waitingEventBytesMax: DEFAULT_LIMITS.waitingEventBytesMax,
  waitingLinesMax: DEFAULT_LIMITS.pluginLogLinesMax,
  pageEvents: DEFAULT_LIMITS.waitingEventsMax / 4,
  deliveryBytes: DEFAULT_LIMITS.waitingEventBytesMax / 4,
  deliveriesPerTick: 16,
};
