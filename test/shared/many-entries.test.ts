import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Key} from '../../src/core/domain/entries/identifiers.ts';
import {type Driver, EngineFailure, type PairRange} from '../../src/store/shared/engine/driver.ts';
import {HEAD_KEY} from '../../src/store/shared/engine/engine-keys.ts';
import {key, keysOf, put, range, read, remove, textOf, write} from '../contracts/shared/assertions.ts';
import {putFor} from '../contracts/store/expiry.ts';
import {openStoreIn} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';

const NAMES = Array.from({length: 20_000}, (_, index) => `entry ${String(index).padStart(6, '0')}`);

/** Number of keys that an engine may look at for a page of 100, which ends at the second fence after it. */
const WALKED_MAX = 4000;

/** Connects to an engine, and counts the keys that it looks at for ranges: all of each, whatever the limit. */
function connectCounting(engine: SimulatedEngine): {
  readonly driver: Driver;
  readonly asked: PairRange[];
  walked: number;
  requests: number;
} {
  const driver = engine.connect();
  const counted = {driver, asked: [] as PairRange[], walked: 0, requests: 0};
  const read = driver.read.bind(driver);
  driver.read = (asked, options) => {
    counted.requests++;
    counted.asked.push(...asked);
    for (const {from, to} of asked) if (to !== undefined) counted.walked += [...engine.within({from, to})].length;
    return read(asked, options);
  };
  return counted;
}

describe('a store with many entries', async () => {
  const engine = new SimulatedEngine();
  const store = await openStoreIn(engine.connect());
  for (let at = 0; at < NAMES.length; at += 1000)
    await write(store, ...NAMES.slice(at, at + 1000).map(name => put(name)));

  test('is opened with its head alone, which has their number', async () => {
    const counted = connectCounting(engine);
    await using opened = await openStoreIn(counted.driver);
    assert.ok(counted.asked.every(({from}) => from === HEAD_KEY));
    assert.equal(counted.walked, 0);
    assert.equal((await opened.statistics())?.entries, NAMES.length);
  });

  for (const reverse of [false, true])
    test(`lists a page ${reverse ? 'from its end' : 'from its beginning'} without a walk over all of them`, async () => {
      const counted = connectCounting(engine);
      await using opened = await openStoreIn(counted.driver);
      counted.walked = 0;
      const page = await opened.list({...range(), limit: 100, reverse});
      assert.deepEqual(keysOf(page), reverse ? NAMES.slice(-100).toReversed() : NAMES.slice(0, 100));
      assert.ok(counted.walked < WALKED_MAX, `it walked over ${counted.walked} keys`);
    });

  test('lists all of them in both directions, with pages that meet', async () => {
    for (const reverse of [false, true]) {
      const found: string[] = [];
      for (;;) {
        const last = found.at(-1);
        const page = await store.list({
          ...range(),
          limit: 700,
          reverse,
          after: last === undefined ? undefined : key(last),
        });
        if (page.length === 0) break;
        found.push(...keysOf(page));
      }
      assert.deepEqual(found, reverse ? NAMES.toReversed() : NAMES);
    }
  });

  test('lists with one request for the head and the fences, and one for the page', async () => {
    const counted = connectCounting(engine);
    await using opened = await openStoreIn(counted.driver);
    counted.requests = 0;
    for (const reverse of [false, true]) await opened.list({...range(), limit: 100, reverse});
    assert.equal(counted.requests, 4);
  });

  test('are exported with one request for most pages', async () => {
    const counted = connectCounting(engine);
    await using opened = await openStoreIn(counted.driver);
    await using snapshot = await opened.snapshot();
    counted.requests = 0;
    let [pages, after] = [0, undefined as Key | undefined];
    do {
      const page = await snapshot.list({...range(), after, limit: 500, values: true});
      pages++;
      after = page.at(-1)?.key;
    } while (after !== undefined);
    // The fences of the first page, and of all others; a part may have fewer entries than a page.
    assert.ok(counted.requests <= pages + 2 + pages / 8, `${counted.requests} requests for ${pages} pages`);
  });

  for (const reverse of [false, true])
    test(`lists a page ${reverse ? 'from its end' : 'from its beginning'} of what was written after the last list`, async () => {
      const other = new SimulatedEngine();
      const counted = connectCounting(other);
      await using opened = await openStoreIn(counted.driver);
      await opened.list({...range(), limit: 10, reverse});
      for (let at = 0; at < 8000; at += 1000) await write(opened, ...NAMES.slice(at, at + 1000).map(name => put(name)));
      counted.walked = 0;
      await opened.list({...range(), limit: 10, reverse, after: key(NAMES[reverse ? 7900 : 100] ?? '')});
      assert.ok(counted.walked < WALKED_MAX, `it walked over ${counted.walked} keys`);
    });

  test('finds the few that have expired', async () => {
    let aheadMs = 0;
    const other = new SimulatedEngine();
    await using opened = await openStoreIn(other.connect(), {nowMs: () => Date.now() + aheadMs});
    await write(opened, putFor(1, 'soon'), putFor(100_000, 'late'));
    aheadMs = 2000;
    const nextMs = (await opened.sweep()) ?? 0;
    assert.ok(nextMs > 90_000_000 && nextMs <= 100_000_000, String(nextMs));
    assert.equal((await opened.statistics())?.entries, 1);
  });
});

describe('pages of a range', () => {
  const VALUE = JSON.stringify('x'.repeat(200));

  async function openWith(count: number, answer: (limit: number, bytes: number) => EngineFailure | undefined) {
    const engine = new SimulatedEngine();
    await using writing = await openStoreIn(engine.connect());
    for (let at = 0; at < count; at += 100)
      await write(writing, ...NAMES.slice(at, at + 100).map(name => put(name, VALUE)));
    const driver = engine.connect();
    const limits: number[] = [];
    const readAll = driver.read.bind(driver);
    driver.read = async (asked, options) => {
      const page = asked.find(({from}) => from.startsWith('e/'));
      if (page?.limit !== undefined) {
        const failure = answer(page.limit, options?.bytes ?? 0);
        if (failure !== undefined) throw failure;
        limits.push(page.limit);
      }
      return readAll(asked, options);
    };
    return {store: await openStoreIn(driver), limits};
  }

  test('go on with half of what came in time last, not with a few', async () => {
    const late = new EngineFailure('unavailable', 'it did not answer in time');
    const {store, limits} = await openWith(1500, limit => (limits.length > 0 && limit > 300 ? late : undefined));
    await using _ = store;
    assert.deepEqual(keysOf(await store.list({...range(), limit: 1000})), NAMES.slice(0, 1000));
    assert.deepEqual(limits.slice(0, 4), [256, 128, 128, 128]);
  });

  test('have the time that their expected size takes, and as many pairs as the last ones let fit', async () => {
    const asked: {limit: number; bytes: number}[] = [];
    const {store} = await openWith(1500, (limit, bytes) => void asked.push({limit, bytes}));
    await using _ = store;
    for (let count = 0; count < 8; count++) await store.list({...range(), limit: 1000});
    const {limit, bytes} = asked.at(-1) ?? {limit: 0, bytes: 0};
    assert.equal(limit, 1000);
    assert.ok(bytes > 1000 * 200 && bytes < 1000 * 400, String(bytes));
  });

  test('of keys do not have values of more than 256 bytes, which gets read with their entry, and lists of values as a range', async () => {
    const engine = new SimulatedEngine();
    const values = new Map([...Array(9).keys()].map(index => [`${index}`, JSON.stringify('x'.repeat(index * 550))]));
    await using writing = await openStoreIn(engine.connect());
    await write(writing, ...[...values].map(([name, json]) => put(name, json)));
    const driver = engine.connect();
    await using store = await openStoreIn(driver);
    let [bytes, requests] = [0, 0];
    const readAll = driver.read.bind(driver);
    driver.read = async (asked, options) => {
      const answer = await readAll(asked, options);
      requests++;
      bytes += answer.found.flat().reduce((sum, {value}) => sum + value.length, 0);
      return answer;
    };
    await store.list({...range(), limit: 100});
    assert.ok(bytes < 1500, String(bytes));
    requests = 0;
    assert.equal(textOf(await read(store, '5')), values.get('5'));
    assert.equal(requests, 1);
    // Beside the head and the fences: the entries, their bodies, and the one value that is larger.
    requests = 0;
    const listed = await store.list({...range(), limit: 100, values: true});
    assert.deepEqual(new Map(listed.map(entry => [entry.key, textOf(entry)])), values);
    assert.equal(requests, 4);
  });

  test('have values of each size after each other one, in a group and alone', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    const sizes = [2, 256, 257, 4096, 4097, 600_000];
    for (const before of sizes)
      for (const after of sizes)
        for (const size of [before, after]) {
          const json = JSON.stringify('y'.repeat(size - 2));
          await write(store, put('a', json), put('b'));
          assert.equal(textOf(await read(store, 'a')), json);
        }
    await write(store, remove('a'));
    assert.deepEqual(
      [...engine.within({from: 'b/', to: 'b0'}), ...engine.within({from: 'v/', to: 'v0'})].map(pair => pair.key),
      [],
    );
  });
});
