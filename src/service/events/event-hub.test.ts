import {getEventListeners} from 'node:events';
import fc from 'fast-check';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Operation} from '../../core/domain/commits/commit.ts';
import type {EntryWritten, EventBatch, Events, SubscribeOptions} from '../../core/domain/commits/event.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import {type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import {PROCESS_TIMERS} from '../../core/time/timers.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {createEvents} from './batches.ts';
import {EventHub, type EventHubDeps} from './event-hub.ts';
import {EVENT_LIMITS} from './event-limits.ts';

describe('a subscriber that names kinds', () => {
  const line = (text: string) =>
    ({kind: 'plugin-log', plugin: 'com.example.a', loggedAtMs: 1, level: 'info', text}) as const;
  const STARTED = {kind: 'plugin-state', plugin: 'com.example.a', state: 'running'} as const;
  const STOP = {kind: 'client-request', action: 'stop-sound'} as const;

  test('gets events that no log keeps, without a cursor', async () => {
    const {hub} = openHub();
    const live = listen(hub, {kinds: ['plugin-state', 'plugin-log', 'client-request']});
    await live.next();
    for (const event of [STARTED, line('one'), STOP]) hub.announce(event);
    expect(await live.next()).toEqual({events: [STARTED, line('one'), STOP], cursor: undefined});
  });

  test('gets no other kinds, and the cursor of the next event that it wants', async () => {
    const {hub, put, commit, changeIdentity} = openHub();
    const kinds = ['entry-deleted', 'plugin-state'] as const;
    const live = listen(hub, {kinds});
    await live.next();
    changeIdentity();
    hub.announce(line('one'));
    await put('a', 1);
    await commit({kind: 'delete', key: parseKey('a')});
    const deleted = {events: [{kind: 'entry-deleted', key: 'a', revision: 2}], cursor: 2};
    expect(await live.next()).toEqual(deleted);
    expect(await take(hub.subscribe({kinds, after: 0}), 1)).toEqual([deleted]);
  });

  test('gets the wanted events of a commit', async () => {
    const {hub, commit, put} = openHub();
    await put('b', 1);
    const live = listen(hub, {kinds: ['entry-written']});
    await live.next();
    await commit(putOf('a', 1), {kind: 'delete', key: parseKey('b')});
    expect(await live.next()).toEqual({events: [written('a', 2, '1')], cursor: 2});
  });

  test('misses lines that it is too slow for, and learns how many', async () => {
    const {hub} = openHub();
    const live = listen(hub, {kinds: ['plugin-log', 'plugin-state']});
    await live.next();
    for (let index = 0; index < EVENT_LIMITS.waitingLinesMax + 7; index++) hub.announce(line(String(index)));
    hub.announce(STARTED);
    const first = await live.next();
    expect(first?.events).toHaveLength(EVENT_LIMITS.waitingLinesMax + 1);
    expect(first?.events.at(-1)).toEqual(STARTED);
    hub.announce(line('later'));
    expect((await live.next())?.events).toEqual([{...line('later'), dropped: 7}]);
    const delivered = EVENT_LIMITS.waitingLinesMax + 2;
    expect(hub.statistics()).toEqual({subscribers: 1, delivered, dropped: 7, slowSubscribers: 0});
  });

  test('misses the oldest states that it is too slow for', async () => {
    const {hub} = openHub();
    const live = listen(hub, {kinds: ['plugin-log', 'plugin-state']});
    await live.next();
    hub.announce(line('kept'));
    const states = Array.from({length: EVENT_LIMITS.waitingEventsMax + 5}, (_, index) => ({
      ...STARTED,
      plugin: `p${index}`,
    }));
    for (const state of states) hub.announce(state);
    expect((await live.next())?.events).toEqual([line('kept'), ...states.slice(5)]);
    expect(hub.statistics()).toMatchObject({dropped: 5});
  });
});

test('a subscriber that names no kinds gets no event that no log keeps', async () => {
  const {hub, put} = openHub();
  const live = listen(hub);
  await live.next();
  hub.announce({kind: 'client-request', action: 'stop-sound'});
  await put('a', 1);
  expect(await live.next()).toEqual({events: [written('a', 1, '1')], cursor: 1});
});

describe('a subscriber', () => {
  test('gets events from now on, and the cursor to start with', async () => {
    const {hub, put} = openHub();
    await put('before', 1);
    const subscriber = listen(hub);
    expect(await subscriber.next()).toEqual({events: [], cursor: 1});
    await put('a', {x: 1});
    expect(await subscriber.next()).toEqual({events: [written('a', 2, '{"x":1}')], cursor: 2});
  });

  test('gets events from the call on, also if it starts to iterate later', async () => {
    const {hub, put} = openHub();
    const batches = hub.subscribe();
    await put('a', 1);
    expect(await take(batches, 1)).toEqual([{events: [written('a', 1, '1')], cursor: 1}]);
  });

  test('gets the events that it missed, oldest first', async () => {
    const {hub, put, commit} = openHub();
    await put('a', 1);
    await put('b', 2);
    await commit({kind: 'delete', key: parseKey('a')});
    expect(await take(hub.subscribe({after: 1}), 2)).toEqual([
      {events: [written('b', 2, '2')], cursor: 2},
      {events: [{kind: 'entry-deleted', key: 'a', revision: 3}], cursor: 3},
    ]);
  });

  test('gets a commit in one batch', async () => {
    const {hub, commit} = openHub({pageEvents: 2});
    const operations = Array.from({length: 5}, (_, index) => putOf(`k${index}`, index));
    const live = listen(hub);
    await live.next();
    await commit(...operations);
    const expected = {events: operations.map(({key}, index) => written(key, 1, String(index))), cursor: 1};
    expect(await live.next()).toEqual(expected);
    expect(await take(hub.subscribe({after: 0}), 1)).toEqual([expected]);
  });

  test('gets only events of its prefix', async () => {
    const {hub, commit} = openHub();
    const live = listen(hub, {prefix: 'a/'});
    await live.next();
    await commit(putOf('a/1', 1), putOf('b/1', 1));
    await commit(putOf('b/2', 1));
    await commit(putOf('a/2', 1));
    const expected = [
      {events: [written('a/1', 1, '1')], cursor: 1},
      {events: [written('a/2', 3, '1')], cursor: 3},
    ];
    expect([await live.next(), await live.next()]).toEqual(expected);
    expect(await take(hub.subscribe({prefix: 'a/', after: 0}), 2)).toEqual(expected);
  });

  test('gets the same objects as other subscribers with its prefix', async () => {
    const {hub, commit} = openHub();
    const subscribers = ['a', 'a', '', ''].map(prefix => listen(hub, {prefix}));
    for (const each of subscribers) await each.next();
    const asked = subscribers.map(each => each.result());
    await ticks(1);
    await commit(putOf('b', 1), putOf('a', 1));
    const [first, second, third, fourth] = (await Promise.all(asked)).map(({value}) => value as EventBatch);
    expect(first).toBe(second);
    expect(third).toBe(fourth);
    expect(first?.events[0]).toBe(third?.events[1]);
  });

  test('gets a cursor when it has caught up, also if no event was for it', async () => {
    const {hub, put} = openHub({pageEvents: 1});
    await put('a/1', 1);
    await put('b/1', 1);
    expect(await take(hub.subscribe({prefix: 'a/', after: 0}), 2)).toEqual([
      {events: [written('a/1', 1, '1')], cursor: 1},
      {events: [], cursor: 2},
    ]);
  });

  test('gets a heartbeat, with the cursor if events of other prefixes moved it', async () => {
    const {hub, put} = openHub();
    const subscriber = listen(hub, {prefix: 'a/', heartbeatMs: 20});
    await subscriber.next();
    expect(await subscriber.next()).toEqual({events: [], cursor: undefined});
    const follower = listen(hub);
    await follower.next();
    await put('b/1', 1);
    await follower.next();
    expect(await subscriber.next()).toEqual({events: [], cursor: 1});
    expect(await subscriber.next()).toEqual({events: [], cursor: undefined});
  });

  test('has a cursor that follows changes of other prefixes, in a program that embeds the service', async () => {
    const {hub, store, put} = openHub();
    const stream = createEvents(hub, store, 1)({prefix: 'a/'});
    const iterator = stream[Symbol.asyncIterator]();
    const waiting = iterator.next();
    await put('b/1', 1);
    while (stream.cursor !== `${store.id}-1`) await ticks(1);
    await iterator.return?.();
    expect(await waiting).toEqual({done: true, value: undefined});
  });

  test('gets no value that is larger than the log keeps', async () => {
    const {hub, put} = openHub();
    const large = 'x'.repeat(DEFAULT_LIMITS.eventValueBytesMax - 1);
    await put('large', large);
    await put('largest', large.slice(1));
    const expected = [
      {kind: 'entry-written', key: 'large', revision: 1, sizeBytes: DEFAULT_LIMITS.eventValueBytesMax + 1},
      written('largest', 2, `"${large.slice(1)}"`),
    ];
    expect((await take(hub.subscribe({after: 0}), 2)).flatMap(({events}) => events)).toEqual(expected);
    expect((await take(hub.subscribe({initial: true}), 1)).flatMap(({events}) => events)).toEqual(expected);
  });

  test('cannot start in the future, before the first revision, or between two revisions', async () => {
    const {hub, put} = openHub();
    await put('a', 1);
    for (const after of [2, -1, 0.5, Number.NaN, 2 ** 60]) {
      expect(() => hub.subscribe({after})).toThrow(
        expect.objectContaining({failure: expect.objectContaining({code: 'invalid-parameter', parameter: 'after'})}),
      );
    }
    expect(() => hub.subscribe({prefix: 'a\n'})).toThrow(/prefix/);
  });

  test('gets changes of the identity, also before it has caught up', async () => {
    const {hub, put, changeIdentity} = openHub();
    await put('a', 1);
    const [live, late] = [listen(hub), listen(hub, {after: 0})];
    await live.next();
    const asked = late.next();
    changeIdentity();
    const batch = {events: [{kind: 'identity-changed'}], cursor: undefined};
    expect(await live.next()).toEqual(batch);
    expect([await asked, await late.next()]).toContainEqual(batch);
  });
});

describe('a subscriber that starts with the entries that are present', () => {
  test('gets them page by page, and a cursor only at the end', async () => {
    const {hub, put} = openHub({pageEvents: 2});
    for (const key of ['a/1', 'a/2', 'a/3', 'b']) await put(key, 1);
    const batches = listen(hub, {prefix: 'a/', initial: true});
    expect(await batches.next()).toEqual({
      events: [written('a/1', 1, '1'), written('a/2', 2, '1')],
      cursor: undefined,
    });
    await put('a/0', 1);
    expect(await batches.next()).toEqual({events: [written('a/3', 3, '1')], cursor: undefined});
    expect(await batches.next()).toEqual({events: [{kind: 'initial-ended', revision: 4}], cursor: 4});
    expect(await batches.next()).toEqual({events: [written('a/0', 5, '1')], cursor: 5});
  });

  test('gets the cursor of an empty store', async () => {
    expect(await take(openHub().hub.subscribe({initial: true}), 1)).toEqual([
      {events: [{kind: 'initial-ended', revision: 0}], cursor: 0},
    ]);
  });

  test('gets none of them with a valid cursor', async () => {
    const {hub, put} = openHub();
    await put('a', 1);
    await put('b', 1);
    expect(await take(hub.subscribe({initial: true, after: 1}), 1)).toEqual([
      {events: [written('b', 2, '1')], cursor: 2},
    ]);
  });
});

describe('a reset', () => {
  test('comes if the log does not reach back to the cursor, and the stream continues', async () => {
    const {hub, put} = openHub({}, {logChangesMax: 2});
    for (const value of [1, 2, 3, 4]) await put('a', value);
    const subscriber = listen(hub, {after: 1});
    expect(await subscriber.next()).toEqual({events: [{kind: 'reset', revision: 4}], cursor: 4});
    await put('a', 5);
    expect(await subscriber.next()).toEqual({events: [written('a', 5, '5')], cursor: 5});
  });

  test('is followed by the entries that are present, if they were requested', async () => {
    const {hub, put} = openHub({}, {logChangesMax: 2});
    for (const value of [1, 2, 3, 4]) await put('a', value);
    expect(await take(hub.subscribe({after: 1, initial: true}), 3)).toEqual([
      {events: [{kind: 'reset', revision: 4}], cursor: undefined},
      {events: [written('a', 4, '4')], cursor: undefined},
      {events: [{kind: 'initial-ended', revision: 4}], cursor: 4},
    ]);
  });

  test('comes for a cursor of another store', async () => {
    const {hub, put} = openHub();
    await put('a', 1);
    const subscriber = listen(hub, {after: 99, resume: true});
    expect(await subscriber.next()).toEqual({events: [{kind: 'reset', revision: 1}], cursor: 1});
    await put('a', 2);
    expect(await subscriber.next()).toEqual({events: [written('a', 2, '2')], cursor: 2});
  });

  test('comes to followers if the log is trimmed faster than it is read', async () => {
    const {hub, store, put} = openHub({}, {logChangesMax: 2});
    const subscriber = listen(hub);
    const {asked} = await waitAfterMarker(subscriber);
    // All of these are committed before the hub runs.
    await Promise.all([1, 2, 3, 4, 5].map(value => put('a', value)));
    expect(await asked).toEqual({events: [{kind: 'reset', revision: 5}], cursor: 5});
    await put('a', 6);
    expect(await subscriber.next()).toEqual({events: [written('a', 6, '6')], cursor: store.revision});
  });
});

describe('a subscriber that does not read', () => {
  test('is disconnected with its cursor, without effect on others, and misses nothing', async () => {
    const {hub, put, store} = openHub({waitingEventsMax: 10});
    const slow = listen(hub);
    const quick = listen(hub);
    const first = [await waitAfterMarker(slow), await waitAfterMarker(quick)];
    await put('k', 1);
    for (const {asked} of first) expect(await asked).toMatchObject({cursor: 1});
    for (let revision = 2; revision <= 40; revision++) {
      await put('k', revision);
      expect(await quick.next()).toMatchObject({cursor: revision});
    }
    const failure = {code: 'too-slow', what: 'subscriber', cursor: `${store.id}-1`};
    await expect(slow.next()).rejects.toMatchObject({failure});
    expect(hub.statistics()).toMatchObject({subscribers: 1, slowSubscribers: 1});
    // As every iterator that threw.
    expect(await slow.result()).toEqual({done: true, value: undefined});
    const again = await take(hub.subscribe({after: failure.cursor}), 39);
    expect(again.map(({cursor}) => cursor)).toEqual(Array.from({length: 39}, (_, index) => index + 2));
  });

  test('is disconnected at the limit of bytes, too', async () => {
    const {hub, put, store} = openHub({waitingEventBytesMax: 1000});
    const slow = listen(hub);
    const quick = listen(hub);
    const first = [await waitAfterMarker(slow), await waitAfterMarker(quick)];
    await put('k', 1);
    await Promise.all(first.map(({asked}) => asked));
    for (let count = 1; count <= 4; count++) {
      await put('k', 'x'.repeat(300));
      await quick.next();
    }
    await expect(slow.next()).rejects.toMatchObject({
      failure: {code: 'too-slow', what: 'subscriber', cursor: `${store.id}-1`},
    });
  });

  test('gets one commit of any size', async () => {
    const {hub, put, commit} = openHub({waitingEventsMax: 10, waitingEventBytesMax: 100});
    const subscriber = listen(hub);
    const quick = listen(hub);
    const first = [await waitAfterMarker(subscriber), await waitAfterMarker(quick)];
    await put('k', 1);
    for (const {asked} of first) await asked;
    await commit(...Array.from({length: 100}, (_, index) => putOf(`k${index}`, index)));
    // Both have been handed it by then.
    await quick.next();
    expect((await subscriber.next()).events).toHaveLength(100);
  });

  test('is not disconnected if it is always a little behind', async () => {
    const {hub, put} = openHub({waitingEventsMax: 3, waitingEventBytesMax: 300});
    const behind = listen(hub);
    const quick = listen(hub);
    const first = [await waitAfterMarker(behind), await waitAfterMarker(quick)];
    await put('k', 1);
    for (const {asked} of first) await asked;
    const cursors: unknown[] = [];
    for (let revision = 2; revision <= 40; revision++) {
      await put('k', 'x'.repeat(80));
      await quick.next();
      if (revision > 3) cursors.push((await behind.next()).cursor);
    }
    expect(cursors).toEqual(Array.from({length: 37}, (_, index) => index + 2));
  });

  test('is not disconnected for what is committed in one tick if it reads all that it gets', async () => {
    const {hub, put} = openHub({waitingEventBytesMax: 400, deliveryBytes: 100});
    const subscriber = listen(hub);
    const {asked} = await waitAfterMarker(subscriber);
    await Promise.all(Array.from({length: 20}, () => put('k', 'x'.repeat(80))));
    expect(await asked).toMatchObject({cursor: 1});
    for (let revision = 2; revision <= 20; revision++) {
      expect(await subscriber.next()).toMatchObject({cursor: revision});
    }
  });

  test('reads the history at its own pace', async () => {
    const {hub, put} = openHub({waitingEventsMax: 3, pageEvents: 2});
    for (let value = 1; value <= 20; value++) await put('k', value);
    const subscriber = listen(hub, {after: 0});
    for (let revision = 1; revision <= 20; revision++) {
      expect(await subscriber.next()).toMatchObject({cursor: revision});
      await ticks(3);
    }
  });
});

describe('many subscribers', () => {
  test('each get every event in order', async () => {
    const {hub, commit} = openHub();
    const subscribers = Array.from({length: 1000}, () => listen(hub, {prefix: 'k'}));
    for (const each of subscribers) await each.next();
    const heard = subscribers.map(async each => {
      const cursors: unknown[] = [];
      while (cursors.at(-1) !== 50) cursors.push((await each.next()).cursor);
      return cursors;
    });
    for (let value = 1; value <= 50; value++) await commit(putOf(`k${value}`, value));
    const expected = Array.from({length: 50}, (_, index) => index + 1);
    for (const cursors of await Promise.all(heard)) expect(cursors).toEqual(expected);
  });

  const joining = [
    {name: 'while a commit before is handed over', deliveryBytes: 1000, before: 1},
    {name: 'while several are handed over one by one', deliveryBytes: 1, before: 3},
  ];
  for (const {name, deliveryBytes, before} of joining) {
    test(`are joined ${name} by one that has read them itself, which hears nothing twice`, async () => {
      const {hub, put} = openHub({deliveriesPerTick: 1, deliveryBytes});
      const others = Array.from({length: 20}, () => listen(hub));
      const asked = await Promise.all(others.map(waitAfterMarker));
      for (let revision = 1; revision <= before; revision++) await put('k', revision);
      await ticks(2);
      for (let revision = before + 1; revision <= 3; revision++) await put('k', revision);
      const late = listen(hub, {after: 0});
      for (let revision = 1; revision <= 3; revision++) expect(await late.next()).toMatchObject({cursor: revision});
      const next = late.next();
      await ticks(1);
      await put('k', 4);
      expect(await next).toMatchObject({cursor: 4});
      await put('k', 5);
      expect(await late.next()).toMatchObject({cursor: 5});
      await Promise.all(asked.map(each => each.asked));
    });
  }

  test('leave the event loop to other work between some of them', async () => {
    const {hub, put} = openHub();
    const subscribers = Array.from({length: 200}, () => listen(hub));
    for (const each of subscribers) await each.next();
    let heard = 0;
    const all = Promise.all(subscribers.map(each => each.next().then(() => heard++)));
    await put('a', 1);
    expect(heard).toBe(0);
    const seen = new Set<number>();
    while (heard < 200) {
      await ticks(1);
      seen.add(heard);
    }
    await all;
    expect(seen.size).toBeGreaterThan(10);
  });

  test('are refused beyond the limit, until one ends', async () => {
    const {hub} = openHub({subscribersMax: 2});
    const failure = {code: 'busy', what: 'subscribers', max: 2};
    const late = hub.subscribe()[Symbol.asyncIterator]();
    const [first, second] = [listen(hub), listen(hub)];
    await first.next();
    await second.next();
    expect(() => hub.subscribe()).toThrow(expect.objectContaining({failure}));
    await expect(late.next()).rejects.toMatchObject({failure});
    await first.end();
    await listen(hub).next();
  });
});

describe('a subscriber that ends', () => {
  const phases: readonly {
    name: string;
    options: SubscribeOptions;
    reach(subscriber: Subscriber): Promise<unknown>;
  }[] = [
    {name: 'before it began', options: {}, reach: async () => {}},
    {name: 'while it follows', options: {heartbeatMs: 60_000}, reach: each => each.next()},
    {name: 'while it waits', options: {heartbeatMs: 60_000}, reach: waitAfter(1)},
    {name: 'while it asks for the first time', options: {}, reach: waitAfter(0)},
    {name: 'between pages of the log', options: {after: 0}, reach: each => each.next()},
    {name: 'while it reads the log', options: {after: 0}, reach: waitAfter(1)},
    {name: 'among the entries that are present', options: {initial: true}, reach: each => each.next()},
    {name: 'while it takes a snapshot', options: {initial: true}, reach: waitAfter(0)},
    {name: 'while it reads a snapshot', options: {initial: true}, reach: waitAfter(1)},
  ];
  for (const {name, options, reach} of phases) {
    for (const how of ['by leaving', 'by its signal', 'by the end of the service'] as const) {
      test(`${name}, ${how}, leaves nothing behind`, async () => {
        const {hub, held, put} = openHub({pageEvents: 1});
        for (const key of ['a', 'b', 'c']) await put(key, 1);
        const before = countTimers();
        const controller = new AbortController();
        const subscriber = listen(hub, {...options, signal: controller.signal});
        await reach(subscriber);
        if (how === 'by leaving') await subscriber.end();
        else if (how === 'by its signal') controller.abort();
        else await hub[Symbol.asyncDispose]();
        const isRefused = name === 'before it began' && how === 'by the end of the service';
        const end = subscriber.result().catch(({failure}) => failure);
        expect(await end).toEqual(isRefused ? {code: 'store-closed'} : {done: true, value: undefined});
        await hub[Symbol.asyncDispose]();
        expect(held()).toEqual({listeners: 0, snapshots: 0, identityListeners: 0});
        expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
        await untilTimersAreAtMost(before);
      });
    }
  }

  test('ends while it waits', async () => {
    const {hub} = openHub();
    const subscriber = listen(hub);
    await subscriber.next();
    const asked = subscriber.result();
    await subscriber.end();
    expect(await asked).toEqual({done: true, value: undefined});
  });

  test('stops the reading of the log if it was the last', async () => {
    const {hub, held} = openHub();
    const [first, second] = [listen(hub), listen(hub)];
    for (const each of [first, second]) await waitAfter(1)(each);
    await ticks(1);
    expect(held().listeners).toBe(1);
    await first.end();
    expect(held().listeners).toBe(1);
    await second.end();
    expect(held().listeners).toBe(0);
  });

  test('with the service gets "store-closed" afterwards', async () => {
    const {hub} = openHub();
    const late = hub.subscribe()[Symbol.asyncIterator]();
    await hub[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    expect(() => hub.subscribe()).toThrow(expect.objectContaining({failure: {code: 'store-closed'}}));
    await expect(late.next()).rejects.toMatchObject({failure: {code: 'store-closed'}});
  });

  test('by reading the entries that are present too slowly gets its cursor', async () => {
    const {store} = openHub();
    const slow = async () => ({
      ...{revision: 1, [Symbol.asyncDispose]: async () => {}},
      list: () => Promise.reject(new AppError({code: 'too-slow', what: 'reader', idleMs: 1})),
    });
    const {changes, onChange} = store;
    const identity = {onChange: () => () => {}};
    const hub = new EventHub({
      store: {id: store.id, changes, onChange, revision: 1, snapshot: slow},
      identity,
      log: SILENT_LOG,
      timers: PROCESS_TIMERS,
    });
    const failure = {code: 'too-slow', what: 'subscriber', cursor: `${store.id}-0`};
    await expect(listen(hub, {initial: true}).next()).rejects.toMatchObject({failure});
  });

  test('because the log cannot be read gets the failure', async () => {
    const {hub, store, put} = openHub();
    const subscriber = listen(hub);
    await subscriber.next();
    const asked = subscriber.next();
    asked.catch(() => {});
    await put('a', 1);
    await store[Symbol.asyncDispose]();
    await expect(asked).rejects.toMatchObject({failure: {code: 'store-closed'}});
  });
});

test('no subscriber gets a commit that the log shows before the store knows that it is durable', async () => {
  const {store, put} = openHub();
  let acknowledged = 0;
  const behind = new Proxy(store, {
    get: (target, name) => (name === 'revision' ? acknowledged : Reflect.get(target, name)),
  });
  const identity = {onChange: () => () => {}};
  const hub = new EventHub({store: behind, identity, log: SILENT_LOG, timers: PROCESS_TIMERS});
  onTestFinished(() => hub[Symbol.asyncDispose]());
  const got: EventBatch[] = [];
  const stop = new AbortController();
  const following = (async () => {
    for await (const batch of hub.subscribe({signal: stop.signal})) got.push(withoutCursors(batch));
  })();
  await expect.poll(() => got).toEqual([{events: [], cursor: 0}]);
  await put('a', 1);
  await ticks(10);
  expect(got).toHaveLength(1);
  acknowledged = 1;
  await put('b', 2);
  await expect.poll(() => got.slice(1)).toEqual([{events: [written('a', 1, '1')], cursor: 1}]);
  stop.abort();
  await following;
});

test('a writer gets its response before any subscriber gets the event', async () => {
  const {hub, put} = openHub();
  const subscriber = listen(hub);
  await subscriber.next();
  const order: string[] = [];
  const heard = subscriber.next().then(() => order.push('heard'));
  await put('a', 1).then(() => order.push('answered'));
  await heard;
  expect(order).toEqual(['answered', 'heard']);
});

test('a follower gets an event in the tick in which the store announces the commit', async () => {
  const {hub, store, put} = openHub();
  const order: string[] = [];
  onTestFinished(store.onChange(() => setImmediate(() => order.push('next tick'))));
  const {asked} = await waitAfterMarker(listen(hub));
  const heard = asked.then(() => order.push('heard'));
  await put('a', 1);
  await heard;
  expect(order).toEqual(['heard']);
});

test('subscribers that connect, disconnect and reconnect know the stored entries, and get no event twice', async () => {
  const step = fc.record({
    key: fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2'),
    deletes: fc.boolean(),
    together: fc.boolean(),
    pause: fc.nat(4),
  });
  const readers = fc.array(
    fc.record({prefix: fc.constantFrom('', 'a/', 'b/'), breaks: fc.array(fc.integer({min: 1, max: 12}))}),
    {minLength: 1, maxLength: 4},
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, {minLength: 1, maxLength: 60}), readers, async (steps, kinds) => {
      const {hub, store, commit} = openHub({pageEvents: 3, deliveriesPerTick: 1});
      await commit(putOf('a/1', 0), putOf('b/1', 0));
      let finished = false;
      const models = kinds.map(async ({prefix, breaks}) => {
        const model = new Model(prefix);
        const rest = [...breaks];
        while (!finished || model.cursor !== store.revision) {
          const limit = rest.shift() ?? Infinity;
          const end = new AbortController();
          const after = model.cursor;
          const options = after === undefined ? {initial: true} : {after};
          let count = 0;
          const batches = hub.subscribe({...options, prefix, heartbeatMs: 1, signal: end.signal});
          for await (const batch of batches) {
            model.apply(batch);
            if (++count >= limit || (finished && model.cursor === store.revision)) break;
          }
          if (after === undefined && model.cursor === undefined) model.startOver();
        }
        return model;
      });
      for (const {key, deletes, together, pause} of steps) {
        const operation = deletes ? ({kind: 'delete', key: parseKey(key)} as const) : putOf(key, pause);
        await (together ? commit(operation, putOf('a/x', pause), putOf('b/x', pause)) : commit(operation));
        await ticks(pause);
      }
      finished = true;
      for (const model of await Promise.all(models)) {
        const entries = await store.list({prefix: model.prefix, limit: 1000});
        expect(model.entries).toEqual(new Map(entries.map(({key, revision}) => [key, revision])));
      }
      await hub[Symbol.asyncDispose]();
    }),
    {numRuns: 150},
  );
});

/** The state that a subscriber builds from its events, each of which must come once and in order. */
class Model {
  readonly prefix: never;
  entries = new Map<string, number>();
  cursor: number | undefined;

  constructor(prefix: string) {
    this.prefix = prefix as never;
  }

  startOver(): void {
    this.entries = new Map();
  }

  apply({events, cursor}: EventBatch): void {
    for (const event of events) {
      if (event.kind === 'initial-ended') continue;
      if (!('key' in event)) throw new Error(`unexpected ${event.kind}`);
      if (this.cursor !== undefined && event.revision <= this.cursor) throw new Error('it came twice');
      if (!event.key.startsWith(this.prefix)) throw new Error('it is of another prefix');
      if (event.kind === 'entry-written') this.entries.set(event.key, event.revision);
      else if (!this.entries.delete(event.key)) throw new Error('what was deleted was not there');
    }
    if (cursor === undefined) return;
    if (this.cursor !== undefined && cursor <= this.cursor) throw new Error('the cursor went back');
    this.cursor = cursor;
  }
}

function openHub(limits: EventHubDeps['limits'] = {}, {logChangesMax}: {readonly logChangesMax?: number} = {}) {
  const real = openMemoryStore({nowMs: Date.now, logChangesMax});
  const {store, held} = watch(real);
  const listeners = new Set<() => void>();
  const identity = {
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const hub = new EventHub({store, identity, log: SILENT_LOG, timers: PROCESS_TIMERS, limits});
  onTestFinished(() => hub[Symbol.asyncDispose]());
  const commit = (...operations: Operation[]) => store.commit({checks: [], operations});
  return {
    hub,
    store,
    commit,
    put: (key: string, value: unknown) => commit(putOf(key, value)),
    changeIdentity: () => {
      for (const listener of listeners) listener();
    },
    held: () => ({...held, identityListeners: listeners.size}),
  };
}

/** The same store, and how much of it is held. */
function watch(real: Store): {readonly store: Store; readonly held: {listeners: number; snapshots: number}} {
  const held = {listeners: 0, snapshots: 0};
  const onChange: Store['onChange'] = listener => {
    const stop = real.onChange(listener);
    held.listeners++;
    return () => {
      held.listeners--;
      stop();
    };
  };
  const snapshot: Store['snapshot'] = async () => {
    held.snapshots++;
    const taken = await real.snapshot();
    return {
      revision: taken.revision,
      list: taken.list.bind(taken),
      [Symbol.asyncDispose]: async () => {
        held.snapshots--;
        await taken[Symbol.asyncDispose]();
      },
    };
  };
  const store = new Proxy(real, {
    get: (target, name) => {
      if (name === 'onChange') return onChange;
      if (name === 'snapshot') return snapshot;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {store, held};
}

/** A subscriber, asked by hand. */
interface Subscriber {
  next(): Promise<EventBatch>;
  result(): Promise<IteratorResult<EventBatch>>;
  end(): Promise<void>;
}

function listen(hub: Events, options?: SubscribeOptions): Subscriber {
  const iterator = hub.subscribe(options)[Symbol.asyncIterator]();
  return {
    next: async () => {
      const {done, value} = await iterator.next();
      if (done === true) throw new Error('it ended');
      return withoutCursors(value);
    },
    result: () => iterator.next(),
    end: async () => {
      await iterator.return?.();
    },
  };
}

/** Asks once more than so many times, and does not wait for that. */
function waitAfter(count: number): (subscriber: Subscriber) => Promise<void> {
  return async subscriber => {
    for (let index = 0; index < count; index++) await subscriber.next();
    subscriber.next().catch(() => {});
  };
}

/** Lets a subscriber catch up and ask for what comes next. */
async function waitAfterMarker(subscriber: Subscriber): Promise<{readonly asked: Promise<EventBatch>}> {
  await subscriber.next();
  const asked = subscriber.next();
  await ticks(1);
  return {asked};
}

async function take(batches: AsyncIterable<EventBatch>, count: number): Promise<readonly EventBatch[]> {
  const taken: EventBatch[] = [];
  for await (const batch of batches) {
    taken.push(withoutCursors(batch));
    if (taken.length === count) break;
  }
  return taken;
}

/** Cursors and ETags of events have tests of their own. */
function withoutCursors(batch: EventBatch): EventBatch {
  return {...batch, events: batch.events.map(event => ({...event, cursor: undefined, etag: undefined}) as never)};
}

async function ticks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await new Promise(resolve => setImmediate(resolve));
}

/** Counts pending timers. Those of the test runner end soon; one that a subscription left behind does not. */
async function untilTimersAreAtMost(count: number): Promise<void> {
  while (countTimers() > count) await ticks(1);
}

function countTimers(): number {
  return process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length;
}

function putOf(key: string, value: unknown): Operation & {readonly key: Key} {
  return {kind: 'put', key: parseKey(key), json: encodeJsonText(JSON.stringify(value))};
}

function written(key: string, revision: number, text: string): Omit<EntryWritten, 'etag'> {
  return {
    kind: 'entry-written',
    key: parseKey(key),
    revision,
    sizeBytes: Buffer.byteLength(text),
    json: encodeJsonText(text),
  };
}
