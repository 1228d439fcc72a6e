import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Store} from '../../src/domain/commits/store.ts';
import {HEAD_KEY} from '../../src/store/shared/engine/engine-keys.ts';
import type {Head} from '../../src/store/shared/engine/head.ts';
import {put, write} from '../contracts/shared/assertions.ts';
import {openStoreIn} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';

const WRITERS = 8;
const GROUPS = 600;

/** Time of a write by the clock of the stores, in milliseconds. */
const WRITE_MS = 5;

/** Longest run of groups of others while a process waits: about the time for which a process that knows of no other goes on. */
const RUN_MAX = 200;

describe('processes that write at the same time', () => {
  for (const count of [2, 3]) {
    test(`write round-robin: ${count} of them`, async () => {
      const engine = new SimulatedEngine();
      const stores: Store[] = [];
      for (let index = 0; index < count; index++)
        stores.push(await openStoreIn(engine.connect(), {elapsedMs: () => engine.writes * WRITE_MS}));
      const order: string[] = [];
      engine.afterWrite = ({key, value}) => {
        if (key === HEAD_KEY) order.push((JSON.parse(Buffer.from(value).toString()) as Head).writer);
      };
      await Promise.all(
        stores.flatMap((store, index) =>
          Array.from({length: WRITERS}, async (_, writer) => {
            while (order.length < GROUPS) await write(store, put(`${index}-${writer}`));
          }),
        ),
      );
      const first = order.slice(0, GROUPS);
      const names = new Set(first);
      assert.equal(names.size, count);
      for (const name of names)
        assert.ok(longestWithout(name, first) <= RUN_MAX, first.map(each => [...names].indexOf(each)).join(''));
    });
  }
});

/** Returns the length of the longest part of a list without an element. */
function longestWithout(element: string, list: readonly string[]): number {
  let longest = 0;
  let length = 0;
  for (const each of list) {
    length = each === element ? 0 : length + 1;
    longest = Math.max(longest, length);
  }
  return longest;
}
