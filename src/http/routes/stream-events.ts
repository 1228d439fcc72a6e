import type {Event, EventBatch} from '../../domain/event.ts';
import {AppError} from '../../domain/failure.ts';
import type {EventTexts} from '../../protocol/event-texts.ts';
import {STREAM_START} from '../../protocol/server-sent-events.ts';
import type {HttpStream} from '../core/message.ts';

/**
 * The batches as an event stream. A subscriber that is too slow finds the end of its stream, and comes back with the
 * last id that it saw.
 */
export function formatEventStream(batches: AsyncIterable<EventBatch>, texts: EventTexts): HttpStream {
  // No generator: one that waits for the next batch cannot be ended before that comes.
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = batches[Symbol.asyncIterator]();
      let begun = false;
      return {
        next: async () => {
          if (!begun) {
            begun = true;
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
 * The events as frames of a web socket, each a JSON text. They end when the subscription does, and throw what it throws:
 * a web socket can be told why it is closed.
 */
export function formatEventFrames(batches: AsyncIterable<EventBatch>, texts: EventTexts): HttpStream {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = batches[Symbol.asyncIterator]();
      let frames: readonly Event[] = [];
      let sent = 0;
      return {
        next: async () => {
          while (sent === frames.length) {
            const {done, value} = await iterator.next();
            if (done === true) return {done: true, value: undefined};
            frames = value.events;
            sent = 0;
          }
          return {done: false, value: texts.json(frames[sent++] as Event)};
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

/** Failures after which coming back is all that a subscriber has to do. */
const ENDING: ReadonlySet<string> = new Set(['subscriber-too-slow', 'too-many-subscribers', 'store-closed']);
