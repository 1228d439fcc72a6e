import assert from 'node:assert/strict';
import {setImmediate} from 'node:timers/promises';
import {describe, test} from 'vitest';
import type {Store} from '../../src/core/domain/commits/store.ts';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {SILENT_LOG} from '../../src/core/domain/log.ts';
import type {AppError} from '../../src/core/failures/app-error.ts';
import {EventHub} from '../../src/service/events/event-hub.ts';
import {ABANDONED_MS} from '../../src/store/shared/attempt.ts';
import {EngineFailure, REQUEST_BYTES_MAX} from '../../src/store/shared/engine/driver.ts';
import {HEAD_KEY} from '../../src/store/shared/engine/engine-keys.ts';
import {
  assertFails,
  assertFailsWith,
  changesOf,
  key,
  keysOf,
  patch,
  put,
  putIf,
  range,
  read,
  remove,
  textOf,
  write,
} from '../contracts/shared/assertions.ts';
import {putFor, touch} from '../contracts/store/expiry.ts';
import {openStoreIn, TIMERS} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';
import {SteppedClock} from '../support/stepped-clock.ts';

/** Short, so that tests of engines that never answer end soon. */
const GROUP_TIMEOUT_MS = 1000;

/** A value that the change log does not have. */
const BEYOND_LOG = JSON.stringify('x'.repeat(DEFAULT_LIMITS.logValueBytesMax));

async function open(engine: SimulatedEngine): Promise<Store> {
  return openStoreIn(engine.connect(), {groupTimeoutMs: GROUP_TIMEOUT_MS});
}

describe('a commit whose answer is lost', () => {
  test('is applied once, and returns its result, if the engine applied it', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    engine.lostAnswers = 1;
    assert.deepEqual(await write(store, put('a')), {revision: 1, outcomes: ['created']});
    assert.deepEqual(await write(store, put('a', '2')), {revision: 2, outcomes: ['replaced']});
    assert.equal((await changesOf(store, 0)).length, 2);
  });

  test('is applied once if the request was lost', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    engine.lostRequests = 1;
    assert.deepEqual(await write(store, put('a')), {revision: 1, outcomes: ['created']});
    assert.equal((await changesOf(store, 0)).length, 1);
  });

  for (const lost of ['answer', 'request'] as const) {
    test(`is applied once if its ${lost} was lost, and another process commits before it is sent again`, async () => {
      const engine = new SimulatedEngine();
      await using store = await open(engine);
      await using other = await open(engine);
      await write(store, put('a', '{"count":0}'));
      engine.lostAnswers = lost === 'answer' ? 1 : 0;
      engine.lostRequests = lost === 'request' ? 1 : 0;
      let isFirst = true;
      engine.beforeWrite = async ({puts}) => {
        if (engine.lostAnswers + engine.lostRequests > 0 || !isFirst || puts.length === 0) return;
        isFirst = false;
        await write(other, put('b'));
      };
      await write(store, patch('a', '{"count":1}'));
      engine.beforeWrite = undefined;
      assert.deepEqual(
        (await changesOf(other, 0)).map(each => each.key).sort(),
        ['a', 'a', 'b'],
        'each commit happened once',
      );
      assert.equal(textOf(await read(other, 'a')), '{"count":1}');
    });
  }

  test('ends as outcome-unknown with an id, by which it is found and not applied again', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    engine.lostAnswers = Infinity;
    const commit = {checks: [], operations: [put('a')]};
    const {failure} = (await store.commit(commit).catch(error => error)) as AppError;
    assert.equal(failure?.code, 'outcome-unknown');
    const id = failure?.code === 'outcome-unknown' ? failure.commitId : '';
    engine.lostAnswers = 0;
    for (const each of [store, other, await open(engine)]) {
      assert.deepEqual(await each.commit({...commit, id}), {revision: 1, outcomes: ['created']});
    }
    assert.equal((await changesOf(other, 0)).length, 1);
  });

  test('is applied when it is sent again with its id, if it never was', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    engine.lostRequests = Infinity;
    const commit = {checks: [], operations: [put('a')], id: 'of the caller'};
    await assertFails(store.commit(commit), {code: 'outcome-unknown', commitId: 'of the caller'});
    engine.lostRequests = 0;
    assert.deepEqual(await store.commit(commit), {revision: 1, outcomes: ['created']});
    assert.deepEqual(await store.commit(commit), {revision: 1, outcomes: ['created']});
    assert.equal(store.revision, 1);
  });
});

describe('an engine that does not answer', () => {
  test('fails every method with unavailable, and serves them when it is back', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a'));
    const snapshot = await store.snapshot();
    engine.isDown = true;
    for (const call of [
      () => write(store, put('b')),
      () => read(store, 'a'),
      () => store.list(range()),
      () => store.changes(0, {limit: 1}),
      () => store.snapshot(),
      () => store.sweep(),
      () => write(store, put('b')),
    ])
      await assertFailsWith(call(), 'unavailable');
    assert.equal(store.readOnlyBecause, undefined);
    engine.isDown = false;
    assert.equal((await write(store, put('b'))).revision, 2);
    assert.deepEqual(keysOf(await snapshot.list({...range(), values: true})), ['a']);
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'b']);
  });

  test('cannot be opened, and leaves nothing behind', async () => {
    const engine = new SimulatedEngine();
    engine.isDown = true;
    await assertFailsWith(open(engine), 'unavailable');
  });

  test('announces what others committed meanwhile once it is back', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    const heard = new Promise<void>(resolve => store.onChange(() => resolve()));
    engine.beforeWrite = async () => {
      engine.isDown = true;
    };
    await write(other, put('a')).catch(() => undefined);
    engine.beforeWrite = undefined;
    engine.isDown = false;
    await write(other, put('a'));
    await heard;
    assert.equal(textOf(await read(store, 'a')), '1');
  });
});

describe('a process whose watch is interrupted again and again', () => {
  test('has one read on its way, however often, and reads once more after an interruption during a read', async () => {
    const clock = new SteppedClock();
    const engine = new SimulatedEngine();
    const driver = engine.connect();
    const ask = driver.read.bind(driver);
    let [isDown, reads] = [false, 0];
    driver.read = async (asked, options) => {
      reads++;
      if (isDown) throw new EngineFailure('denied', 'it may not read');
      return ask(asked, options);
    };
    await using _ = await openStoreIn(driver, clock);
    const rest = async (): Promise<void> => {
      for (let tick = 0; tick < 10; tick++) await setImmediate();
    };
    const interrupt = async (times: number): Promise<number> => {
      await rest();
      reads = 0;
      for (let time = 1; time <= times; time++) {
        engine.interrupt();
        await Promise.resolve();
      }
      await rest();
      return reads;
    };
    isDown = true;
    assert.equal(await interrupt(5), 1);
    for (let pause = 1; pause <= 3; pause++) {
      clock.step(250);
      assert.equal(await interrupt(5), 0);
    }
    isDown = false;
    clock.step(250);
    await rest();
    assert.equal(reads, 1);
    assert.equal(await interrupt(2), 2);
    assert.equal(await interrupt(1), 1);
  });
});

describe('a process that was away while the change log was trimmed', () => {
  test('gives its subscribers a reset, and then what is committed', async () => {
    const engine = new SimulatedEngine();
    const driver = engine.connect();
    const read = driver.read.bind(driver);
    let isAway = false;
    driver.read = (asked, options) =>
      isAway ? Promise.reject(new EngineFailure('unavailable', 'it is away')) : read(asked, options);
    await using store = await openStoreIn(driver, {logChangesMax: 10});
    await using other = await openStoreIn(engine.connect(), {logChangesMax: 10});
    await write(store, put('a'));
    const identity = {onChange: () => () => {}};
    await using hub = new EventHub({store, identity, log: SILENT_LOG, timers: TIMERS});
    const events = hub.subscribe({after: 0})[Symbol.asyncIterator]();
    const kindOfNext = async (): Promise<unknown> => (await events.next()).value?.events[0]?.kind;
    assert.equal(await kindOfNext(), 'entry-written');
    isAway = true;
    for (let count = 1; count <= 50; count++) await write(other, put('b', String(count)));
    isAway = false;
    assert.equal(await kindOfNext(), 'reset');
    await write(other, put('c'));
    for (let kind = await kindOfNext(); kind !== 'entry-written'; ) kind = await kindOfNext();
  });
});

describe('a commit that loses against another process', () => {
  test('is planned again on the new state', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    await write(store, put('a', '{"b":1}'));
    let races = 3;
    engine.beforeWrite = async ({puts}) => {
      if (races === 0 || puts.length === 0) return;
      const race = races--;
      engine.beforeWrite = undefined;
      await write(other, patch('a', `{"race ${race}":1}`));
      engine.beforeWrite = race === 1 ? undefined : engine.beforeWrite;
    };
    assert.equal((await write(store, patch('a', '{"c":2}'))).revision, 3);
    assert.equal(textOf(await read(store, 'a')), '{"b":1,"race 3":1,"c":2}');
  });

  test('fails a check that held on the old state, and holds one that failed on it', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    await write(other, put('a'));
    await assertFailsWith(putIf(store, 'a', '2', 'absent'), 'revision-conflict');
    await write(other, remove('a'));
    assert.equal((await putIf(store, 'a', '3', 'absent')).revision, 3);
  });
});

describe('a commit that is larger than a request', () => {
  const value = `"${'x'.repeat(1024 * 1024 - 2)}"`;
  const names = Array.from({length: 12}, (_, index) => `key ${String(index).padStart(2, '0')}`);
  const commit = {checks: [], operations: names.map(name => put(name, value))};

  test('is applied as a whole, in requests of less than 1.5 MiB', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect(), {groupTimeoutMs: 2000});
    await using other = await openStoreIn(engine.connect(), {groupTimeoutMs: 2000});
    assert.equal((await store.commit(commit)).revision, 1);
    assert.ok(engine.largestRequestBytes <= REQUEST_BYTES_MAX, `a request had ${engine.largestRequestBytes} bytes`);
    assert.deepEqual(keysOf(await other.list(range())), names);
    assert.equal(textOf(await read(other, names[11] as string)), value);
    const marks = engine.keysWith('s/').map(mark => String(engine.find(mark)?.value));
    assert.deepEqual(marks, ['named'], 'no mark is left of parts that no head names');
  });

  test('is not applied if its process disappears before, and is applied when it is sent again with its id', async () => {
    // Small, so that little time is given to it.
    const parts = {checks: [], operations: [put('a', `"${'x'.repeat(100_000)}"`)], id: 'in parts'};
    const engine = new SimulatedEngine();
    const store = await openStoreIn(engine.connect(), {groupTimeoutMs: 500});
    await using other = await openStoreIn(engine.connect(), {groupTimeoutMs: 2000});
    engine.beforeWrite = async ({key: written}) => {
      engine.isDown ||= written === HEAD_KEY;
    };
    const failed = store.commit(parts).catch(error => error.failure?.code);
    await store[Symbol.asyncDispose]();
    // Its time may end while a request is on the way.
    assert.match(await failed, /^(unavailable|outcome-unknown)$/);
    engine.beforeWrite = undefined;
    engine.isDown = false;
    assert.notDeepEqual(engine.keysWith('v/'), []);
    assert.deepEqual(await other.list(range()), []);
    assert.equal((await other.commit(parts)).revision, 1);
    assert.deepEqual(keysOf(await other.list(range())), ['a']);
  });

  test('is not applied if its parts were removed meanwhile, since it took too long, and is applied when it is sent again', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await openStoreIn(engine.connect(), {nowMs: () => Date.now() + 2 * ABANDONED_MS});
    let isSwept = false;
    engine.beforeWrite = async ({key: written}) => {
      if (isSwept || written !== HEAD_KEY) return;
      isSwept = true;
      await other.sweep();
    };
    await assertFailsWith(write(store, put('a', value)), 'unavailable');
    assert.deepEqual(engine.keysWith('v/'), []);
    assert.equal((await write(store, put('a', value))).revision, 1);
    assert.equal(textOf(await read(other, 'a')), value);
  });

  test('is given up in time if each of its parts takes long', async () => {
    const engine = new SimulatedEngine();
    const clock = new SteppedClock();
    await using store = await openStoreIn(engine.connect(), clock);
    engine.beforeWrite = async ({key: written}) => {
      if (written !== HEAD_KEY) clock.step(10_000);
    };
    await assertFailsWith(store.commit(commit), 'unavailable');
    assert.ok(clock.elapsedMs() <= 70_000, `it took ${clock.elapsedMs()} ms`);
    engine.beforeWrite = undefined;
    assert.equal((await write(store, put('a'))).revision, 1);
    assert.deepEqual(keysOf(await store.list(range())), ['a']);
  });

  test('has more time than a small one', async () => {
    const engine = new SimulatedEngine();
    const clock = new SteppedClock();
    await using store = await openStoreIn(engine.connect(), clock);
    engine.beforeWrite = async ({key: written}) => {
      if (written !== HEAD_KEY) clock.step(1000);
    };
    assert.equal((await store.commit(commit)).revision, 1);
  });
});

describe('a touch of large values', () => {
  test('has the time to read and to write them on a link of 10 Mbit/s', async () => {
    const engine = new SimulatedEngine();
    const clock = new SteppedClock();
    const names = ['a', 'b', 'c'];
    {
      await using near = await openStoreIn(engine.connect());
      await write(near, ...names.map(name => put(name, `"${'x'.repeat(1024 * 1024 - 2)}"`)));
    }
    const driver = engine.connect();
    const [ask, send] = [driver.read.bind(driver), driver.compareAndWrite.bind(driver)];
    const stepFor = (values: readonly Uint8Array[]): void => clock.step(Buffer.concat(values).length / 1250);
    driver.read = async (asked, options) => {
      const answer = await ask(asked, options);
      stepFor(answer.found.flat().map(({value}) => value));
      return answer;
    };
    driver.compareAndWrite = async request => {
      stepFor(request.puts.map(([, value]) => value));
      return send(request);
    };
    await using store = await openStoreIn(driver, clock);
    const operations = names.map(name => ({kind: 'touch', key: key(name)}) as const);
    assert.equal((await store.commit({checks: [], operations})).revision, 2);
  });
});

describe('an engine that refuses writes', () => {
  test('accepts more deletes in one commit than one request has, while it is full', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    const names = Array.from({length: 2500}, (_, index) => `key ${index}`);
    await write(store, ...names.map(name => put(name)));
    engine.refuses = 'full';
    await write(store, ...names.map(remove));
    assert.deepEqual(await store.list(range()), []);
  });

  test('lets a store go on while it is full that gets a new id, or whose backup is restored', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a'));
    const backup = engine.version;
    await write(store, put('b'));
    engine.refuses = 'full';
    engine.restore(backup);
    assert.deepEqual(keysOf(await store.list(range())), ['a']);
    await using renamed = await openStoreIn(engine.connect(), {newStoreId: true});
    assert.deepEqual(keysOf(await renamed.list(range())), ['a']);
    await assertFailsWith(write(renamed, put('b')), 'disk-full');
  });

  test('fails puts with disk-full while it is full, and accepts deletes', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a'), put('b'));
    engine.refuses = 'full';
    const results = await Promise.allSettled([write(store, put('c')), write(store, remove('a'))]);
    assert.deepEqual(
      results.map(result => (result.status === 'fulfilled' ? result.value.outcomes : result.reason.failure)),
      [{code: 'disk-full', problem: 'the engine is full'}, ['deleted']],
    );
    assert.equal(store.readOnlyBecause, 'the engine is full');
    engine.refuses = undefined;
    assert.equal(store.readOnlyBecause, undefined);
    assert.equal((await write(store, put('c'))).revision, 3);
  });

  test('accepts no time to live while the clock of the machine is ahead of it, and expires nothing by that', async () => {
    const engine = new SimulatedEngine();
    let ownMs = 1_000_000;
    await using store = await openStoreIn(engine.connect(), {nowMs: () => ownMs, elapsedMs: () => 0});
    await write(store, putFor(60, 'a'), put('b'));
    engine.latestMs = ownMs + 5000;
    ownMs += 3_600_000;
    for (const operation of [putFor(60, 'c'), touch('b', 60)])
      await assertFailsWith(write(store, operation), 'unavailable');
    await write(store, put('c'));
    assert.equal(await store.sweep(), 55_000);
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'b', 'c']);
    engine.latestMs = Infinity;
    assert.deepEqual(keysOf(await store.list(range())), ['b', 'c']);
  });

  test('ends all commits in time if it takes long to refuse a put, and then to accept a delete', async () => {
    const engine = new SimulatedEngine();
    const clock = new SteppedClock();
    await using store = await openStoreIn(engine.connect(), clock);
    await write(store, put('a'));
    engine.refuses = 'full';
    engine.beforeWrite = async () => clock.step(4000);
    const startMs = clock.elapsedMs();
    const results = await Promise.allSettled([write(store, put('b')), write(store, remove('a'))]);
    assert.deepEqual(
      results.map(result => result.status === 'rejected' && result.reason.failure?.code),
      ['disk-full', 'outcome-unknown'],
    );
    assert.equal(clock.elapsedMs() - startMs, 8000);
  });

  test('makes the store read-only for a user who may not write, until that is repaired', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a'));
    engine.refuses = 'denied';
    await assertFailsWith(write(store, put('b')), 'store-read-only');
    assert.match(store.readOnlyBecause ?? '', /denied/);
    assert.equal(textOf(await read(store, 'a')), '1');
    engine.refuses = undefined;
    await write(store, put('b'));
    assert.equal(store.readOnlyBecause, undefined);
  });
});

describe('data that something else changed', () => {
  test('are not taken for a store if they have no head, or another one', async () => {
    for (const name of ['other', HEAD_KEY]) {
      const engine = new SimulatedEngine();
      engine.writeByHand(name, '"of something else"');
      await assertFailsWith(open(engine), 'unavailable');
      assert.deepEqual(engine.keysWith(''), [name]);
    }
  });

  test('are reported as corrupt for an entry that was written by hand, and can be replaced', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a', BEYOND_LOG), put('b'));
    engine.writeByHand('e/a', 'by hand');
    await write(store, put('b'));
    await using other = await open(engine);
    await assertFails(read(other, 'a'), {code: 'entry-corrupt', key: key('a')});
    assert.equal(textOf(await read(other, 'b')), '1');
    await write(other, put('a', '2'));
    assert.equal(textOf(await read(other, 'a')), '2');
  });
});

describe('a state that the engine has compacted', () => {
  test('ends snapshots as too slow, and nothing else', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a', BEYOND_LOG), put('b', BEYOND_LOG));
    await using other = await open(engine);
    const snapshot = await other.snapshot();
    await write(store, put('a', '2'));
    engine.compact();
    await assertFailsWith(snapshot.list({...range(), values: true}), 'too-slow');
    assert.deepEqual((await other.list({...range(), values: true})).map(textOf), ['2', BEYOND_LOG]);
  });

  test('ends a snapshot as unavailable if it cannot go on, and names no retention before something was read', async () => {
    const engine = new SimulatedEngine();
    const driver = engine.connect();
    const read = driver.read.bind(driver);
    await using store = await openStoreIn(driver);
    const snapshot = await store.snapshot();
    await write(store, put('a'));
    engine.compact();
    // The state that was compacted is asked for by its number; then the present one is.
    driver.read = async (asked, options) => {
      if (options?.at === undefined) throw new EngineFailure('unavailable', 'it does not answer');
      return read(asked, options);
    };
    await assertFailsWith(snapshot.list({...range(), limit: 2}), 'unavailable');
    driver.read = read;
    await assert.rejects(snapshot.list({...range(), limit: 2}), (error: AppError) => {
      const {code, ...failure} = error.failure ?? {code: ''};
      return code === 'too-slow' && !('retentionMinutes' in JSON.parse(JSON.stringify(failure)));
    });
  });

  test('goes on in a snapshot while nothing was committed, and names the retention that is needed after that', async () => {
    const engine = new SimulatedEngine();
    let elapsedMs = 0;
    await using store = await openStoreIn(engine.connect(), {elapsedMs: () => elapsedMs});
    await write(store, ...['a', 'b', 'c', 'd'].map(name => put(name, BEYOND_LOG)));
    const snapshot = await store.snapshot();
    // Other programs use the engine too.
    engine.writeByHand('other', 'x');
    engine.compact();
    assert.deepEqual(keysOf(await snapshot.list({...range(), limit: 2})), ['a', 'b']);
    await write(store, put('a', '2'));
    engine.compact();
    elapsedMs = 600_000;
    await assertFails(snapshot.list({...range(), limit: 2, after: key('b')}), {
      ...{code: 'too-slow', what: 'reader', ageMs: 600_000},
      ...{entries: 4, entriesRead: 2, retentionMinutes: 30},
    });
  });
});
