import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {LoggedChange} from '../history.ts';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';

/** Parameters of a follower. */
export interface FollowerOptions {
  readonly url: string;
  /** Prefix of the keys to follow. */
  readonly prefix: string;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** A subscriber that reconnects when its connection breaks, and keeps every event that it received. */
export interface Follower {
  /** Its kind and its prefix. */
  readonly name: string;
  readonly prefix: string;
  /** The events received, each formatted by {@link formatEvent}. */
  readonly received: readonly string[];
  /** Follows until the event of its {@link lastKey} is received. */
  run(): Promise<void>;
}

/** Returns the key whose write marks the end of the events of a prefix. */
export function lastKey(prefix: string): string {
  return `${prefix}last`;
}

/** Delay before a reconnection, in milliseconds: meanwhile a service is starting. */
const COME_BACK_MS_MAX = 150;

/** Maximum number of events after which a follower breaks the connection itself. */
const CONNECTION_EVENTS_MAX = 2000;

/**
 * Connects again and again until the last event is received.
 *
 * @param connect Follows one connection, for at most this many events. @returns Whether the last event is received.
 * Every rejection counts as the end of the connection, except a `LossError`.
 */
export async function followToEnd(
  {random, signal}: FollowerOptions,
  connect: (eventsMax: number) => Promise<boolean>,
): Promise<void> {
  for (let isOver = false; !isOver; ) {
    signal.throwIfAborted();
    try {
      // The follower breaks connections too, not only the service.
      isOver = await connect(random.integer(1, CONNECTION_EVENTS_MAX));
    } catch (error) {
      if (error instanceof LossError) throw error;
    }
    if (!isOver) await delay(random.integer(0, COME_BACK_MS_MAX));
  }
}

/** Formats a change as one text, the same for all transports: values by their digest. */
export function formatEvent({kind, key, revision, value, expiresAt = ''}: LoggedChange): string {
  const digest = value === undefined ? '' : createHash('sha256').update(JSON.stringify(value)).digest('hex');
  return `revision ${revision} ${kind} ${JSON.stringify(key)} ${expiresAt} ${digest}`.trimEnd();
}
