import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {
  assertFailsWith,
  keysOf,
  put,
  putIf,
  range,
  read,
  remove,
  textOf,
  write,
} from '../../../test/contracts/shared/assertions.ts';
import {makeDirectory, openStore} from '../../../test/support/store-fixture.ts';
import type {Operation} from '../../core/domain/commits/commit.ts';
import type {Store} from '../../core/domain/commits/store.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';

/** Goes into the tree at once, and takes what came before along. */
const LARGE = JSON.stringify('x'.repeat(300_000));

const KEYS = ['a', 'b', 'c'];

const NOON_MS = Date.UTC(2026, 0, 1, 12);

describe('an entry that is read again and again', () => {
  test('is as it was written last, by either way of writing, and absent once it is removed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.constantFrom('put', 'remove', 'put beside a large one', 'read'), fc.constantFrom(...KEYS)),
          {
            minLength: 5,
            maxLength: 40,
          },
        ),
        async steps => {
          const store = await openStore(await makeDirectory());
          const expected = new Map<string, string>();
          for (const [index, [step, key]] of steps.entries()) {
            const value = String(index);
            if (step === 'put') await write(store, put(key, value));
            if (step === 'put beside a large one') await write(store, put(key, value), put('large', LARGE));
            if (step === 'remove') await write(store, remove(key));
            if (step.startsWith('put')) expected.set(key, value);
            if (step === 'remove') expected.delete(key);
            await assertSame(store, expected);
          }
          await store[Symbol.asyncDispose]();
        },
      ),
      {numRuns: 20},
    );
  }, 120_000);

  test('has a new copy of the bytes at each read', async () => {
    const directory = await makeDirectory();
    const first = await openStore(directory);
    await write(first, put('a', '"as it was"'));
    await first[Symbol.asyncDispose]();
    const store = await openStore(directory);
    for (let time = 0; time < 3; time++) {
      const entry = await read(store, 'a');
      assert.equal(textOf(entry), '"as it was"');
      entry?.json.fill(0);
    }
  });

  test('is byte for byte what was written', async () => {
    const directory = await makeDirectory();
    const text = JSON.stringify('é\u{1f6eb}\u00ff');
    const first = await openStore(directory);
    await write(first, put('a', text));
    await first[Symbol.asyncDispose]();
    const store = await openStore(directory);
    for (let time = 0; time < 3; time++) assert.equal(textOf(await read(store, 'a')), text);
  });

  test('is found among more than are kept in memory', async () => {
    const store = await openStore(await makeDirectory());
    const value = JSON.stringify('x'.repeat(15_000));
    const keys = Array.from({length: 1200}, (_, index) => `key ${String(index).padStart(4, '0')}`);
    for (let at = 0; at < keys.length; at += 100)
      await write(store, ...keys.slice(at, at + 100).map(key => put(key, value)));
    for (let time = 0; time < 2; time++) {
      for (const key of keys) assert.equal((await read(store, key))?.sizeBytes, value.length);
    }
    assert.equal((await store.list(range({limit: 2000}))).length, keys.length);
  });
});

describe('an entry that was read again and again', () => {
  test('is absent after its time to live', async () => {
    const {store, clock} = await openWithClock();
    await write(store, putFor(60, 'a'), put('b'));
    await readAgain(store, 'a', 'b');
    clock.nowMs += 60_000 - 1;
    assert.equal(textOf(await read(store, 'a')), '1');
    clock.nowMs += 1;
    assert.equal(await read(store, 'a'), undefined);
    assert.deepEqual(keysOf(await store.list(range())), ['b', 'large']);
    assert.deepEqual((await putIf(store, 'a', '2', 'absent')).outcomes, ['created']);
  });

  const touch = {kind: 'touch', key: parseKey('a'), expiry: {kind: 'after', ttlSeconds: 7200}} as const;
  const changes: readonly {readonly name: string; readonly operation: Operation; readonly expiresAtMs?: number}[] = [
    {name: 'was given another time', operation: touch, expiresAtMs: NOON_MS + 7_200_000},
    {name: 'was given no time any more', operation: {kind: 'touch', key: parseKey('a')}},
    {name: 'was written without a time', operation: put('a', '1')},
    {name: 'was written with another time', operation: putFor(7200, 'a'), expiresAtMs: NOON_MS + 7_200_000},
  ];
  for (const {name, operation, expiresAtMs} of changes) {
    for (const others of [[], [put('large', LARGE)]]) {
      test(`and ${name}${others.length > 0 ? ' beside a large one' : ''} stays as long as that says`, async () => {
        const {store, clock} = await openWithClock();
        await write(store, putFor(60, 'a'));
        await readAgain(store, 'a');
        await write(store, operation, ...others);
        await readAgain(store, 'a');
        assert.equal((await read(store, 'a'))?.expiresAtMs, expiresAtMs);
        clock.nowMs += 60_000;
        assert.equal(textOf(await read(store, 'a')), '1');
        clock.nowMs = NOON_MS + 7_200_000;
        assert.equal(textOf(await read(store, 'a')), expiresAtMs === undefined ? '1' : undefined);
      });
    }
  }

  const overwrites: readonly {readonly name: string; readonly operations: readonly Operation[]}[] = [
    {name: 'overwritten with a value that the change log does not keep', operations: [put('a', LARGE)]},
    {name: 'overwritten in a large transaction', operations: [put('a', '"new"'), put('large', LARGE)]},
    {name: 'removed in a large transaction', operations: [remove('a'), put('large', LARGE)]},
  ];
  for (const {name, operations} of overwrites) {
    test(`is not served as it was once it was ${name}, even if it is read meanwhile`, async () => {
      const {store} = await openWithClock();
      const {revision} = await write(store, put('a', '"old"'));
      await readAgain(store, 'a');
      let isWritten = false;
      const writing = write(store, ...operations).finally(() => {
        isWritten = true;
      });
      while (!isWritten) {
        await read(store, 'a');
        await new Promise(resolve => setImmediate(resolve));
      }
      await writing;
      const [first] = operations;
      const expected = first?.kind === 'put' ? Buffer.from(first.json).toString() : undefined;
      for (let time = 0; time < 3; time++) assert.equal(textOf(await read(store, 'a')), expected);
      await assertFailsWith(putIf(store, 'a', '"on top of the old one"', [revision]), 'revision-conflict');
    });
  }
});

describe('an entry that is shared', () => {
  test('is the one that was written last: not checkpointed yet, and then read from the tree', async () => {
    const {store} = await openWithClock();
    await write(store, put('a', '"first"'));
    assert.equal(sharedText(store, 'a'), '"first"');
    await readAgain(store, 'a');
    assert.equal(sharedText(store, 'a'), '"first"');
    await write(store, put('a', '"second"'));
    assert.equal(sharedText(store, 'a'), '"second"');
    await write(store, remove('a'));
    assert.equal(store.findShared(parseKey('a')), undefined);
    assert.equal(await read(store, 'a'), undefined);
  });

  test('is left to `get` if it is not in memory', async () => {
    const directory = await makeDirectory();
    const first = await openStore(directory);
    await write(first, put('a'));
    await first[Symbol.asyncDispose]();
    const store = await openStore(directory);
    assert.equal(store.findShared(parseKey('a')), undefined);
    await readAgain(store, 'a');
    assert.equal(sharedText(store, 'a'), '1');
  });

  for (const {name, text} of [
    {name: 'of ASCII characters', text: '"plain"'},
    {name: 'of other characters', text: '"é\u{1f6eb}\u00ff"'},
    {name: 'of 64 KiB', text: JSON.stringify('x'.repeat(65_000))},
  ]) {
    test(`has a value ${name} byte for byte, whatever a caller of \`get\` does to its own bytes`, async () => {
      const {store} = await openWithClock();
      await write(store, put('a', text));
      for (let time = 0; time < 3; time++) {
        (await read(store, 'a'))?.json.fill(0);
        assert.equal(sharedText(store, 'a'), text);
        if (time === 0) await readAgain(store, 'a');
      }
    });
  }

  test('is left to `get` from the moment of its expiry, whether it was checkpointed or not', async () => {
    const {store, clock} = await openWithClock();
    await write(store, putFor(60, 'a'));
    await readAgain(store, 'a');
    await write(store, putFor(60, 'b'));
    clock.nowMs += 60_000 - 1;
    assert.deepEqual(
      ['a', 'b'].map(key => sharedText(store, key)),
      ['1', '1'],
    );
    clock.nowMs += 1;
    for (const key of ['a', 'b']) assert.equal(store.findShared(parseKey(key)), undefined);
  });

  test('is left to `get` by a closed store, which refuses it', async () => {
    const {store} = await openWithClock();
    await write(store, put('a'));
    await readAgain(store, 'a');
    await store[Symbol.asyncDispose]();
    assert.equal(store.findShared(parseKey('a')), undefined);
    await assertFailsWith(read(store, 'a'), 'store-closed');
  });
});

/** Returns the value of a shared entry as text; undefined if it is not shared. */
function sharedText(store: Store, key: string): string | undefined {
  const value = store.findShared(parseKey(key))?.value;
  return typeof value === 'object' ? Buffer.from(value).toString() : value;
}

/** A store whose time is what the test says. */
async function openWithClock() {
  const clock = {nowMs: NOON_MS};
  const store = await openStore(await makeDirectory(), {nowMs: () => clock.nowMs, elapsedMs: () => 0});
  return {store, clock};
}

function putFor(ttlSeconds: number, key: string): Operation {
  return {...put(key), expiry: {kind: 'after', ttlSeconds}};
}

/** Reads entries until they are kept in memory: from the tree, and more than once. */
async function readAgain(store: Store, ...keys: readonly string[]): Promise<void> {
  await write(store, put('large', LARGE));
  for (const key of [...keys, ...keys, ...keys]) await read(store, key);
}

/** Reads again and again: what is found the last time may be kept from before. */
async function assertSame(store: Store, expected: ReadonlyMap<string, string>): Promise<void> {
  for (const key of [...KEYS, ...KEYS, ...KEYS]) assert.equal(textOf(await read(store, key)), expected.get(key));
  const present = keysOf(await store.list(range())).filter(key => key !== 'large');
  assert.deepEqual(present, [...expected.keys()].sort());
}
