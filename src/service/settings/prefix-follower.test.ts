import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {openService} from '../../app/app.ts';
import type {Service, ServiceParts} from '../../app/crewroom.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import type {ListOptions} from '../../core/domain/entries/entries.ts';
import type {LogFields} from '../../core/domain/log.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Timers} from '../../core/time/timers.ts';
import {DEFAULTS} from '../../platform/config/config.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {PrefixFollower} from './user-settings.ts';

let store: Store;
let crewroom: Service;
let follower: PrefixFollower;
let changed: string[];
let logged: LogFields[];
/** Timers that a test ends itself. */
let timers: (() => void)[];

/** Timers that wait for one tick. */
const IMMEDIATE_TIMERS: Timers = {
  after: (_, run) => {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  },
};

beforeEach(async () => {
  store = openMemoryStore({nowMs: Date.now});
  const parts: Partial<ServiceParts> = {openStore: async () => store};
  crewroom = await openService({...DEFAULTS, ephemeral: true}, parts);
  await crewroom.entries.put('a/before', 1);
  // Listeners hear of it later.
  await new Promise(resolve => setImmediate(resolve));
  [changed, logged, timers] = [[], [], []];
  follower = new PrefixFollower({
    store,
    entries: crewroom.entries,
    timers: {
      after: (_, run) => {
        timers.push(run);
        return () => timers.splice(timers.indexOf(run), 1);
      },
    },
    log: {...SILENT_LOG, error: (_, about = {}) => void logged.push(about)},
    prefix: 'a/',
    onChanged: async key => void changed.push(key),
  });
});
afterEach(async () => {
  await follower[Symbol.asyncDispose]();
  await crewroom[Symbol.asyncDispose]();
});

/** Lets the time pass after which entries are compared. */
function passTime(): void {
  for (const run of timers.splice(0)) run();
}

describe('PrefixFollower', () => {
  test('reports entries that were written or deleted, and no others', async () => {
    await crewroom.entries.put('a/new', 1);
    await crewroom.entries.put('b/other', 1);
    await crewroom.entries.delete('a/before');
    await expect.poll(() => timers).toHaveLength(1);
    passTime();
    await expect.poll(() => changed).toEqual(['a/before', 'a/new']);
  });

  test('compares once for changes that are close together', async () => {
    for (const value of ['1', '2', '3']) await crewroom.entries.put('a/new', Buffer.from(value));
    await expect.poll(() => timers).toHaveLength(1);
    passTime();
    await expect.poll(() => changed).toEqual(['a/new']);
  });

  test('compares nothing without a change, or for a change of other entries', async () => {
    await crewroom.entries.put('b/other', 1);
    await new Promise(resolve => setImmediate(resolve));
    expect(timers).toEqual([]);
  });

  test('reports entries that cannot be read with the first change, and ends nothing else', async () => {
    let change = (): void => {};
    await using _broken = new PrefixFollower({
      store: {
        onChange: listener => {
          change = listener;
          return () => {};
        },
      },
      entries: {list: () => Promise.reject(new Error('damaged'))},
      timers: {
        after: (_, run) => {
          run();
          return () => {};
        },
      },
      log: {...SILENT_LOG, error: (_, about = {}) => void logged.push(about)},
      prefix: 'a/',
      onChanged: async key => void changed.push(key),
    });
    // Node reports rejections without a listener after a tick.
    await new Promise(resolve => setImmediate(resolve));
    change();
    await expect.poll(() => logged).toMatchObject([{prefix: 'a/', error: {message: 'damaged'}}]);
  });

  test('goes on after the store was unavailable, and reports what was written meanwhile', async () => {
    let isDown = true;
    let read = (): void => {};
    const isRead = new Promise<void>(resolve => (read = resolve));
    const {entries} = crewroom;
    const list = (async (range?: ListOptions) => {
      if (isDown) throw new AppError({code: 'unavailable', what: 'store', problem: 'it is down'});
      const page = await entries.list(range);
      setImmediate(read);
      return page;
    }) as typeof entries.list;
    let change = (): void => {};
    await using _follower = new PrefixFollower({
      store: {
        onChange: listener => {
          change = listener;
          return () => {};
        },
      },
      entries: {list},
      timers: IMMEDIATE_TIMERS,
      log: {...SILENT_LOG, error: (_, about = {}) => void logged.push(about)},
      prefix: 'a/',
      onChanged: async key => void changed.push(key),
    });
    isDown = false;
    // The first reading, which was repeated, has to be over before the entry changes.
    await isRead;
    isDown = true;
    await crewroom.entries.put('a/new', 1);
    change();
    await new Promise(resolve => setImmediate(resolve));
    isDown = false;
    await expect.poll(() => changed).toContain('a/new');
    expect(logged).toEqual([]);
  });

  test('reports an entry again that could not be reported, since the store was unavailable', async () => {
    let isDown = true;
    await using _follower = new PrefixFollower({
      store,
      entries: crewroom.entries,
      timers: IMMEDIATE_TIMERS,
      log: {...SILENT_LOG, error: (_, about = {}) => void logged.push(about)},
      prefix: 'a/',
      onChanged: async key => {
        if (isDown) throw new AppError({code: 'unavailable', what: 'store', problem: 'it is down'});
        changed.push(key);
      },
    });
    await crewroom.entries.put('a/new', 1);
    await crewroom.entries.put('a/newer', 1);
    await new Promise(resolve => setTimeout(resolve));
    isDown = false;
    await expect.poll(() => changed).toEqual(['a/new', 'a/newer']);
    expect(logged).toEqual([]);
  });

  test('is silent once it is closed', async () => {
    await crewroom.entries.put('a/new', 1);
    await expect.poll(() => timers).toHaveLength(1);
    const [late] = timers;
    await follower[Symbol.asyncDispose]();
    await crewroom.entries.put('a/newer', 1);
    expect([timers, late === undefined, changed, logged]).toEqual([[], false, [], []]);
  });
});
