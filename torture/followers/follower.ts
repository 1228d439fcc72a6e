import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {LossError, type Told} from '../history.ts';
import type {Random} from '../random.ts';

/** What a follower needs. */
export interface FollowerOptions {
  readonly url: string;
  /** Only entries whose key begins with it. */
  readonly prefix: string;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** A subscriber that comes back whenever its connection breaks, and keeps all that it was told. */
export interface Follower {
  /** What kind it is, and of which prefix. */
  readonly name: string;
  readonly prefix: string;
  /** What it was told, each by {@link describeTold}. */
  readonly told: readonly string[];
  /** Follows until it is told of its {@link lastKey}. */
  run(): Promise<void>;
}

/** The key whose write tells those who follow a prefix that nothing more will come. */
export function lastKey(prefix: string): string {
  return `${prefix}last`;
}

/** How long a follower waits before it comes back, in milliseconds: a service is being started meanwhile. */
const COME_BACK_MS_MAX = 150;

/** How many events a follower hears at most before it breaks the connection itself. */
const CONNECTION_EVENTS_MAX = 2000;

/**
 * Connects again and again until all is told.
 *
 * @param connect Follows one connection, for so many events at most. @returns Whether all is told. Whatever it rejects with
 * is taken for the end of the connection, except a `LossError`.
 */
export async function followToEnd(
  {random, signal}: FollowerOptions,
  connect: (eventsMax: number) => Promise<boolean>,
): Promise<void> {
  for (let isOver = false; !isOver; ) {
    signal.throwIfAborted();
    try {
      // The connection breaks by itself too, not only with the service.
      isOver = await connect(random.integer(1, CONNECTION_EVENTS_MAX));
    } catch (error) {
      if (error instanceof LossError) throw error;
    }
    if (!isOver) await delay(random.integer(0, COME_BACK_MS_MAX));
  }
}

/** A change as one text, the same whoever tells it: values by their digest. */
export function describeTold({kind, key, revision, value, expiresAt = ''}: Told): string {
  const digest = value === undefined ? '' : createHash('sha256').update(JSON.stringify(value)).digest('hex');
  return `revision ${revision} ${kind} ${JSON.stringify(key)} ${expiresAt} ${digest}`.trimEnd();
}
