import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {
  assertFails,
  assertFailsWith,
  changesOf,
  key,
  keysOf,
  put,
  putIf,
  range,
  read,
  remove,
  textOf,
  write,
} from '../shared/assertions.ts';
import {describeChanges, putFor, sweepAll} from './expiry.ts';
import {countTo} from './lifecycle.ts';

/** Two stores on the same data, as two processes open an engine on the network. */
export interface SharedStores extends AsyncDisposable {
  readonly first: Store;
  readonly second: Store;
  /** Advances the clock of the first store, in milliseconds. That of the second may advance with it. */
  advanceMs(durationMs: number): void;
}

const RACERS = 20;

/** Tests of two stores on the same data. */
export const STORE_SHARING: ContractPart<SharedStores> = {
  name: 'shared data',
  tests: [
    {
      name: 'has one id, and starts at one revision',
      async run({first, second}) {
        assert.equal(second.id, first.id);
        assert.deepEqual([first.revision, second.revision], [0, 0]);
      },
    },
    {
      name: 'is read by each as the other committed it',
      async run({first, second}) {
        for (const [writer, reader, value] of [
          [first, second, '1'],
          [second, first, '2'],
          [first, second, '3'],
        ] as const) {
          const {revision} = await write(writer, put('a', value), put('b'));
          assert.equal(textOf(await read(reader, 'a')), value);
          assert.deepEqual(
            (await reader.list(range())).map(entry => [entry.key, entry.revision]),
            [
              ['a', revision],
              ['b', revision],
            ],
          );
          await using snapshot = await reader.snapshot();
          assert.deepEqual([snapshot.revision, keysOf(await snapshot.list(range()))], [revision, ['a', 'b']]);
          assert.equal((await changesOf(reader, revision - 1)).length, 2);
          await write(writer, remove('b'));
        }
      },
    },
    {
      name: 'has a revision that is never behind what a store returned, and never goes back',
      async run({first, second}) {
        const known = [0, 0];
        for (let round = 1; round <= 10; round++) {
          const {revision} = await write(first, put('a', String(round)));
          assert.ok(first.revision >= revision);
          const entry = await read(second, 'a');
          assert.ok(second.revision >= (entry?.revision ?? Infinity), 'it is behind an entry that was read');
          for (const [index, store] of [first, second].entries()) {
            assert.ok(store.revision >= (known[index] ?? 0), 'it went back');
            known[index] = store.revision;
          }
        }
      },
    },
    {
      name: 'announces the commits of each to the listeners of both, which can then read them',
      async run({first, second}) {
        const followers = [first, second].map(store => follow(store, RACERS));
        await Promise.all(
          Array.from({length: RACERS}, (_, index) => write(index % 2 === 0 ? first : second, put(`key ${index}`))),
        );
        const [seen, seenToo] = await Promise.all(followers);
        assert.deepEqual(seen, seenToo);
        assert.equal(new Set(seen).size, RACERS);
      },
    },
    {
      name: 'lets one of many racers create an entry, whichever store they use',
      async run({first, second}) {
        const results = await Promise.allSettled(
          Array.from({length: RACERS}, (_, racer) =>
            putIf(racer % 2 === 0 ? first : second, 'a', String(racer), 'absent'),
          ),
        );
        const winners = results.flatMap(({status}, racer) => (status === 'fulfilled' ? [racer] : []));
        assert.equal(winners.length, 1);
        for (const store of [first, second]) assert.equal(textOf(await read(store, 'a')), String(winners[0]));
      },
    },
    {
      name: 'gives each revision once, also to racers that compare and set through both stores',
      async run({first, second}) {
        await write(first, put('a', '0'));
        const increments = await Promise.all(
          Array.from({length: RACERS}, (_, racer) => countTo(racer % 2 === 0 ? first : second, 'a', 10)),
        );
        assert.equal(
          increments.reduce((sum, own) => sum + own, 0),
          10,
        );
        assert.deepEqual(
          (await changesOf(second, 0)).map(({revision}) => revision),
          Array.from({length: 11}, (_, index) => index + 1),
        );
      },
    },
    {
      name: 'fails a check of a revision that the other store has replaced, with the actual one',
      async run({first, second}) {
        const {revision} = await write(first, put('a'));
        await read(second, 'a');
        const {revision: actual} = await write(first, put('a', '2'));
        await assertFails(putIf(second, 'a', '3', revision), {
          code: 'revision-conflict',
          conflicts: [{key: key('a'), expected: String(revision), actual: String(actual)}],
        });
        assert.equal(textOf(await read(first, 'a')), '2');
      },
    },
    {
      name: 'announces each expiry once, also if both stores sweep at the same time',
      async run({first, second, advanceMs}) {
        const names = Array.from({length: 15}, (_, index) => `key ${String(index).padStart(2, '0')}`);
        await write(first, ...names.map(name => putFor(1, name)));
        advanceMs(1000);
        await Promise.all([sweepAll(first), sweepAll(second), sweepAll(first), sweepAll(second)]);
        assert.deepEqual(
          await describeChanges(second, 1),
          names.map((name, index) => `expire ${name} ${index + 2}`),
        );
      },
    },
    {
      name: 'does not return an entry to one store after the other found it expired',
      async run({first, second, advanceMs}) {
        await write(second, putFor(1, 'a'), putFor(1, 'b'), put('c'));
        advanceMs(1000);
        assert.equal(await read(first, 'a'), undefined);
        assert.equal(await read(second, 'a'), undefined);
        assert.deepEqual(keysOf(await second.list(range())), ['c']);
        await assertFailsWith(putIf(second, 'b', '2', 'present'), 'revision-conflict');
      },
    },
    {
      name: 'stays usable for one store after the other is closed',
      async run({first, second}) {
        await write(first, put('a'));
        await first[Symbol.asyncDispose]();
        await assertFails(read(first, 'a'), {code: 'store-closed'});
        assert.equal(textOf(await read(second, 'a')), '1');
        assert.equal((await write(second, put('b'))).revision, 2);
      },
    },
  ],
};

/** Reads the changes of a store whenever it announces some. @returns The keys of the first ones, once there are so many. */
function follow(store: Store, count: number): Promise<readonly string[]> {
  const keys: string[] = [];
  let after = 0;
  let reading = Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = store.onChange(() => {
      reading = reading.then(readOn).catch(reject);
    });
    const readOn = async (): Promise<void> => {
      const changes = await changesOf(store, after);
      keys.push(...changes.map(change => change.key));
      after = changes.at(-1)?.revision ?? after;
      if (keys.length < count) return;
      stop();
      resolve(keys);
    };
  });
}
