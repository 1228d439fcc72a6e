import type {Event, EventBatch} from '../../domain/commits/event.ts';
import type {Store} from '../../domain/commits/store.ts';
import {formatEvent} from './event.ts';
import {formatBatch} from './server-sent-events.ts';

/** Serialises each event once, for any number of subscribers. */
export type EventTexts = ReturnType<typeof createEventTexts>;

/** Creates a serialiser of events. It keeps each text as long as its event is referenced elsewhere. */
export function createEventTexts(store: Pick<Store, 'id'>) {
  const jsons = new WeakMap<Event, Uint8Array>();
  const streams = new WeakMap<EventBatch, Uint8Array>();
  const json = (event: Event): Uint8Array => remember(jsons, event, each => formatEvent(each, store.id));
  return {
    /** Returns an event as one JSON object on one line. */
    json,
    /** Returns a batch as a part of a stream of server-sent events. */
    stream: (batch: EventBatch): Uint8Array =>
      remember(streams, batch, each => formatBatch(each, {storeId: store.id, format: json})),
  };
}

function remember<K extends object, V>(known: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  let value = known.get(key);
  if (value === undefined) {
    value = make(key);
    known.set(key, value);
  }
  return value;
}
