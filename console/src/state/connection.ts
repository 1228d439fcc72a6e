import {type Signal, signal} from '@preact/signals';
import {AppError, type Client, type Event, type EventKind} from 'crewroom/client';
import {waitMs} from './wait-ms.ts';

/** State of the connection to the service. */
export type ConnectionStatus = 'connecting' | 'connected' | 'lost';

/** Kinds of events that the console follows all the time. */
const KINDS = [
  'identity-changed',
  'plugin-state',
  'client-request',
  'entry-written',
  'entry-deleted',
  'entry-expired',
  'reset',
] as const satisfies readonly EventKind[];

/** An event that the console follows all the time. */
export type FollowedEvent = Event<unknown, (typeof KINDS)[number]>;

/** Prefix of the entries that settings are stored in. */
export const SETTINGS_PREFIX = 'crewroom/settings/';

/** Wait before another attempt, in milliseconds, if the service refused the stream. The client itself retries lost connections. */
const REFUSED_WAIT_MS = 5000;

/** Client and listeners of a connection. */
export interface ConnectionParts {
  readonly client: Client;
  /** Called when the stream is connected, first and again. Changes before may have been missed. */
  readonly onConnected: () => void;
  readonly onEvent: (event: FollowedEvent) => void;
}

/** Follows the service, and reconnects while the page is watched. */
export class Connection {
  readonly status: Signal<ConnectionStatus> = signal('connecting');
  /** True if the service answers, but only to the owner: this page was opened without a code, and the mode of access is not `open`. */
  readonly needsOwner: Signal<boolean> = signal(false);
  readonly #parts: ConnectionParts;
  #attempt = new AbortController();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Follows the service until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#attempt = new AbortController();
      const attempt = AbortSignal.any([signal, this.#attempt.signal]);
      try {
        await this.#followOnce(attempt);
      } catch (error) {
        // Another program may answer at this address, or the service has as many subscribers as it admits.
        console.info('The service refused the stream of events.', error);
        this.needsOwner.value = AppError.is(error) && error.code === 'token-required';
        this.status.value = 'lost';
        await waitMs(REFUSED_WAIT_MS, attempt);
      }
    }
    this.status.value = 'connecting';
  }

  /** Connects at once if the connection is lost, without the rest of the wait. */
  retryNow(): void {
    if (this.status.value === 'lost') this.#attempt.abort();
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const {client, onConnected, onEvent} = this.#parts;
    const events = client.events<unknown, (typeof KINDS)[number]>({
      kinds: KINDS,
      prefix: SETTINGS_PREFIX,
      signal,
      onConnection: state => {
        this.status.value = state.kind;
        if (state.kind !== 'connected') return;
        this.needsOwner.value = false;
        onConnected();
      },
    });
    for await (const event of events) onEvent(event);
  }
}
