import {DEFAULT_LIMITS} from '../domain/limits.ts';

/** The limits of a hub. */
export interface EventLimits {
  /** Most subscribers at once. */
  readonly subscribersMax: number;
  /** Most events that wait for one subscriber, apart from those of one commit. */
  readonly waitingEventsMax: number;
  /** Most bytes of their keys and values. */
  readonly waitingEventBytesMax: number;
  /** Most lines of plugins that wait for one subscriber: those of one second. Further ones are dropped. */
  readonly waitingLinesMax: number;
  /** Changes of a page of the log, and entries of a page of a snapshot. */
  readonly pageEvents: number;
  /** Bytes of keys and values after which a delivery ends. */
  readonly deliveryBytes: number;
  /** Subscribers that get a delivery in one tick of the event loop. */
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
