import type {Event, EventBatch} from '../../domain/commits/event.ts';
import {AppError} from '../../failures/app-error.ts';
import type {EventTexts} from '../../protocol/event/event-texts.ts';
import {STREAM_START} from '../../protocol/event/server-sent-events.ts';
import type {HttpStream} from '../core/message.ts';

/**
 * Formats batches as an event stream. The stream of a subscriber that is too slow ends; it reconnects with the last id that
 * it received.
 */
export function formatEventStream(batches: AsyncIterable<EventBatch>, texts: EventTexts): HttpStream {
  // Not a generator: `return()` of a generator that awaits the next batch would wait for that batch.
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = batches[Symbol.asyncIterator]();
      let started = false;
      return {
        next: async () => {
          if (!started) {
            started = true;
            return {done: false, value: STREAM_START};
          }
          const batch = await nextOf(iterator);
          return batch === undefined ? {done: true, value: undefined} : {done: false, value: texts.stream(batch)};
        },
        return: async () => {
          await iterator.return?.();
          return {done: true, value: undefined};
        },
      };
    },
  };
}

/**
 * Formats events as frames of a WebSocket, each a JSON text. Rethrows the error of a subscription: the close reason of a
 * WebSocket can contain it.
 */
export function formatEventFrames(batches: AsyncIterable<EventBatch>, texts: EventTexts): HttpStream {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = batches[Symbol.asyncIterator]();
      let unsent: Iterator<Event> = [].values();
      return {
        next: async () => {
          for (;;) {
            const event = unsent.next();
            if (!event.done) return {done: false, value: texts.json(event.value)};
            const batch = await iterator.next();
            if (batch.done) return {done: true, value: undefined};
            unsent = batch.value.events.values();
          }
        },
        return: async () => {
          await iterator.return?.();
          return {done: true, value: undefined};
        },
      };
    },
  };
}

async function nextOf(iterator: AsyncIterator<EventBatch>): Promise<EventBatch | undefined> {
  try {
    const {done, value} = await iterator.next();
    return done === true ? undefined : value;
  } catch (error) {
    if (error instanceof AppError && ENDING.has(error.failure.code)) return undefined;
    throw error;
  }
}

/** Failures after which a subscriber only has to reconnect. */
const ENDING: ReadonlySet<string> = new Set(['subscriber-too-slow', 'too-many-subscribers', 'store-closed']);
