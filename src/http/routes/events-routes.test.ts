import {expect, test} from 'vitest';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import {PROCESS_TIMERS} from '../../core/time/timers.ts';
import {EventHub} from '../../service/events/event-hub.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {pollEvents} from './events-routes.ts';

const VALUE_BYTES = 1000;

/** Creates a hub whose store has had three commits, each with one value. */
async function openHub() {
  const store = openMemoryStore({nowMs: () => 0, elapsedMs: () => 0});
  const events = new EventHub({store, identity: {onChange: () => () => {}}, log: SILENT_LOG, timers: PROCESS_TIMERS});
  const json = encodeJsonText(JSON.stringify('x'.repeat(VALUE_BYTES - 2)));
  for (const key of ['a', 'b', 'c'])
    await store.commit({checks: [], operations: [{kind: 'put', key: parseKey(key), json}]});
  return {store, events};
}

test('pollEvents() reserves memory for the values of each commit before it takes them', async () => {
  const {store, events} = await openHub();
  const reserved: number[] = [];
  const options = {store, limits: DEFAULT_LIMITS, after: 0, waitMs: 1000};
  const polled = await pollEvents(events, {...options, reserveMemory: sizeBytes => void reserved.push(sizeBytes)});
  expect(reserved.filter(sizeBytes => sizeBytes > 0)).toEqual([VALUE_BYTES, VALUE_BYTES, VALUE_BYTES]);
  expect([polled.events.length, polled.cursor]).toEqual([3, 3]);
});

test('pollEvents() fails without memory for the next values, and stops reading', async () => {
  const {store, events} = await openHub();
  let freeBytes = 2.5 * VALUE_BYTES;
  const reserveMemory = (sizeBytes: number): void => {
    freeBytes -= sizeBytes;
    if (freeBytes < 0) throw new AppError({code: 'busy', what: 'memory'});
  };
  const polled = pollEvents(events, {
    ...{store, limits: DEFAULT_LIMITS},
    after: 0,
    waitMs: 1000,
    reserveMemory,
  });
  await expect(polled).rejects.toThrow(AppError);
  expect(freeBytes).toBe(-0.5 * VALUE_BYTES);
  await events[Symbol.asyncDispose]();
});
