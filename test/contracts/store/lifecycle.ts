import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, changesOf, key, put, putIf, range, read, remove, textOf, write} from '../shared/assertions.ts';

const RACERS = 50;

/** Tests of concurrent commits, which have one order. */
export const STORE_CONCURRENCY: ContractPart<Store> = {
  name: 'concurrency',
  tests: [
    {
      name: 'lets one of fifty racers create an entry',
      async run(store) {
        const results = await Promise.allSettled(
          Array.from({length: RACERS}, (_, racer) => putIf(store, 'a', String(racer), 'absent')),
        );
        const winners = results.flatMap(({status}, racer) => (status === 'fulfilled' ? [racer] : []));
        assert.equal(winners.length, 1);
        assert.equal(textOf(await read(store, 'a')), String(winners[0]));
        assert.equal(store.revision, 1);
      },
    },
    {
      name: 'lets exactly one of fifty racers win each revision',
      async run(store) {
        await write(store, put('a', '0'));
        const wins = await Promise.all(Array.from({length: RACERS}, () => countTo(store, 'a', 10)));
        assert.equal(textOf(await read(store, 'a')), '10');
        assert.equal(
          wins.reduce((sum, won) => sum + won, 0),
          10,
        );
        assert.equal(store.revision, 11);
      },
    },
    {
      name: 'applies commits in the order of their calls',
      async run(store) {
        const results = await Promise.all([
          write(store, put('a', '1')),
          write(store, remove('a')),
          write(store, remove('a')),
          write(store, put('a', '2')),
          putIf(store, 'a', '3', 3),
        ]);
        assert.deepEqual(results, [
          {revision: 1, outcomes: ['created']},
          {revision: 2, outcomes: ['deleted']},
          {revision: 2, outcomes: ['absent']},
          {revision: 3, outcomes: ['created']},
          {revision: 4, outcomes: ['replaced']},
        ]);
        assert.equal(textOf(await read(store, 'a')), '3');
        assert.deepEqual(
          (await changesOf(store, 0)).map(({kind}) => kind),
          ['put', 'delete', 'put', 'put'],
        );
      },
    },
    {
      name: 'shows a read every write that resolved before it',
      async run(store) {
        for (let index = 0; index < 20; index++) {
          await write(store, put('a', String(index)));
          assert.equal(textOf(await read(store, 'a')), String(index));
          assert.equal((await store.list({...range(), values: true})).map(textOf).join(), String(index));
        }
      },
    },
    {
      name: 'fails only those of many commits whose checks fail',
      async run(store) {
        const results = await Promise.allSettled([
          write(store, put('a')),
          putIf(store, 'a', '2', 'absent'),
          write(store, put('b')),
        ]);
        assert.deepEqual(
          results.map(({status}) => status),
          ['fulfilled', 'rejected', 'fulfilled'],
        );
        assert.equal(store.revision, 2);
      },
    },
  ],
};

/** Increments an entry with compare-and-set until it reaches `end`. @returns Number of the increments by this caller. */
export async function countTo(store: Store, key: string, end: number): Promise<number> {
  for (let increments = 0; ; ) {
    const entry = await read(store, key);
    const count = Number(textOf(entry));
    if (entry === undefined || count >= end) return increments;
    const written = await putIf(store, key, String(count + 1), entry.revision).catch(() => undefined);
    if (written !== undefined) increments++;
  }
}

/** Tests of closing a store. */
export const STORE_LIFECYCLE: ContractPart<Store> = {
  name: 'closing',
  tests: [
    {
      name: 'can be written to from the beginning',
      async run(store) {
        assert.equal(store.readOnlyBecause, undefined);
      },
    },
    {
      name: 'refuses everything once it is closed',
      async run(store) {
        await write(store, put('a'));
        await store[Symbol.asyncDispose]();
        const closed = {code: 'store-closed'} as const;
        await assertFails(write(store, put('a')), closed);
        await assertFails(read(store, 'a'), closed);
        await assertFails(store.list(range()), closed);
        await assertFails(store.changes(0, {limit: 1}), closed);
        assert.equal(store.findShared(key('a')), undefined);
      },
    },
    {
      name: 'refuses from the moment of closing on',
      async run(store) {
        const closing = store[Symbol.asyncDispose]();
        await assertFails(write(store, put('a')), {code: 'store-closed'});
        await closing;
      },
    },
    {
      name: 'can be closed twice, also at once',
      async run(store) {
        await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()]);
        await store[Symbol.asyncDispose]();
      },
    },
    {
      name: 'finishes waiting commits',
      async run(store) {
        const waiting = Array.from({length: 20}, (_, index) => write(store, put(`key ${index}`)));
        await store[Symbol.asyncDispose]();
        const results = await Promise.all(waiting);
        assert.deepEqual(
          results.map(({revision}) => revision),
          results.map((_, index) => index + 1),
        );
      },
    },
  ],
};
