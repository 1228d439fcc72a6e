import {once} from 'node:events';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {EventBatch, SubscribeOptions} from '../../core/domain/commits/event.ts';
import type {Snapshot, Store} from '../../core/domain/commits/store.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import type {Timers} from '../../core/time/timers.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {EventHub, type EventHubDeps} from './event-hub.ts';

describe('while the store is unavailable', () => {
  test('followers wait, with growing pauses, and then get every event once and in order', async () => {
    const {store, timers, put, listen} = open();
    const followers = [listen(), listen({prefix: 'a'})];
    for (const follower of followers) expect(await follower.next()).toEqual({events: [], cursor: 0});
    // They follow once they ask for more.
    const first = followers.map(follower => follower.next());
    store.isAway = true;
    await put('a1');
    expect(await timers.nextDelays(8)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    await put('a2');
    store.isAway = false;
    timers.fire();
    expect((await Promise.all(first)).map(keysOf)).toEqual([['a1'], ['a1']]);
    const second = followers.map(follower => follower.next());
    expect((await Promise.all(second)).map(keysOf)).toEqual([['a2'], ['a2']]);

    const third = followers.map(follower => follower.next());
    store.isAway = true;
    await put('a3');
    expect(await timers.nextDelays(1)).toEqual([100]);
    store.isAway = false;
    timers.fire();
    expect((await Promise.all(third)).map(keysOf)).toEqual([['a3'], ['a3']]);
  });

  test('a subscriber that catches up waits, and misses nothing', async () => {
    const {store, timers, put, listen} = open({pageEvents: 1});
    await put('a');
    await put('b');
    const subscriber = listen({after: 0});
    expect(keysOf(await subscriber.next())).toEqual(['a']);
    store.isAway = true;
    const asked = subscriber.next();
    expect(await timers.nextDelays(2)).toEqual([100, 200]);
    store.isAway = false;
    timers.fire();
    expect(keysOf(await asked)).toEqual(['b']);
  });

  test('a subscriber that asks for the entries that are present waits for the snapshot, and for its pages', async () => {
    const {store, timers, put, listen} = open({pageEvents: 1});
    await put('a');
    await put('b');
    store.isAway = true;
    const subscriber = listen({initial: true});
    const first = subscriber.next();
    expect(await timers.nextDelays(1)).toEqual([100]);
    store.isAway = false;
    timers.fire();
    expect(keysOf(await first)).toEqual(['a']);
    store.isAway = true;
    const second = subscriber.next();
    expect(await timers.nextDelays(1)).toEqual([100]);
    store.isAway = false;
    timers.fire();
    expect(keysOf(await second)).toEqual(['b']);
    expect(await subscriber.next()).toMatchObject({events: [{kind: 'initial-ended'}], cursor: 2});
  });

  const waiting = {
    'that follows': {},
    'that catches up': {after: 0},
    'that asks for the entries that are present': {initial: true},
  };
  for (const [name, options] of Object.entries(waiting)) {
    test(`a subscriber ${name} ends at once, and leaves no timer behind`, async () => {
      const {hub, store, timers, put, listen} = open();
      await put('a');
      const subscriber = listen(options);
      if (name === 'that follows') await subscriber.next();
      store.isAway = true;
      const asked = subscriber.result();
      await put('b');
      await timers.nextDelays(2);
      await subscriber.end();
      expect(await asked).toEqual({done: true, value: undefined});
      await hub[Symbol.asyncDispose]();
      expect(timers.pending).toBe(0);
    });
  }

  test('a follower that comes after the last one left gets what is written from then on', async () => {
    const {store, timers, put, listen} = open();
    const first = listen();
    await first.next();
    store.isAway = true;
    const asked = first.result();
    await put('a');
    await timers.nextDelays(1);
    await first.end();
    await asked;
    const second = listen();
    expect(await second.next()).toEqual({events: [], cursor: 1});
    const heard = second.next();
    await put('b');
    await timers.nextDelays(1);
    store.isAway = false;
    timers.fire();
    expect(keysOf(await heard)).toEqual(['b']);
  });
});

/** A store over another one whose engine can be out of reach for a time. */
class RemoteStore {
  readonly #store: Store;
  isAway = false;

  constructor(store: Store) {
    this.#store = store;
  }

  get id(): Store['id'] {
    return this.#store.id;
  }

  get revision(): Store['revision'] {
    return this.#store.revision;
  }

  readonly onChange: Store['onChange'] = listener => this.#store.onChange(listener);

  readonly changes: Store['changes'] = (after, options) => this.#ask(() => this.#store.changes(after, options));

  async snapshot(): Promise<Snapshot> {
    const snapshot = await this.#ask(() => this.#store.snapshot());
    return {
      revision: snapshot.revision,
      list: range => this.#ask(() => snapshot.list({...range, values: true})),
      [Symbol.asyncDispose]: () => snapshot[Symbol.asyncDispose](),
    };
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.isAway) throw new AppError({code: 'unavailable', what: 'store', problem: 'no quorum'});
    return ask();
  }
}

/** Timers that a test fires. At most one is pending at a time. */
class HandTimers implements Timers {
  readonly #requests = new EventTarget();
  #timer: {readonly delayMs: number; readonly run: () => void} | undefined;

  get pending(): number {
    return this.#timer === undefined ? 0 : 1;
  }

  after(delayMs: number, run: () => void): () => void {
    expect(this.#timer).toBeUndefined();
    const timer = {delayMs, run};
    this.#timer = timer;
    this.#requests.dispatchEvent(new Event('timer'));
    return () => {
      if (this.#timer === timer) this.#timer = undefined;
    };
  }

  fire(): void {
    const run = this.#timer?.run;
    this.#timer = undefined;
    run?.();
  }

  /** Waits for so many timers, and fires all but the last. */
  async nextDelays(count: number): Promise<readonly number[]> {
    const delays: number[] = [];
    for (;;) {
      if (this.#timer === undefined) await once(this.#requests, 'timer');
      delays.push(this.#timer?.delayMs ?? 0);
      if (delays.length === count) return delays;
      this.fire();
    }
  }
}

function open(limits: EventHubDeps['limits'] = {}) {
  const real = openMemoryStore({nowMs: Date.now});
  const store = new RemoteStore(real);
  const timers = new HandTimers();
  const identity = {onChange: () => () => {}};
  const hub = new EventHub({store, identity, log: SILENT_LOG, timers, limits});
  onTestFinished(() => hub[Symbol.asyncDispose]());
  return {
    ...{hub, store, timers},
    put: (key: string) =>
      real.commit({checks: [], operations: [{kind: 'put', key: parseKey(key), json: encodeJsonText('1')}]}),
    listen: (options?: SubscribeOptions) => {
      const iterator = hub.subscribe(options)[Symbol.asyncIterator]();
      return {
        next: async (): Promise<EventBatch> => (await iterator.next()).value ?? expect.fail('it ended'),
        result: () => iterator.next(),
        end: async () => void (await iterator.return?.()),
      };
    },
  };
}

function keysOf({events}: EventBatch): readonly string[] {
  return events.flatMap(event => ('key' in event ? event.key : []));
}
