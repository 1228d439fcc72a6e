import fc from 'fast-check';
import {describe, test} from 'vitest';
import {openMemoryStore} from '../src/store/memory/memory-store.ts';
import type {ClockedStore} from '../test/contracts/store/expiry.ts';
import {testStore} from '../test/contracts/store/store-contract.ts';
import {FakeTime} from '../test/support/opened-store.ts';

/** Maximum of the change log, in changes: small, so that the tests fill it. */
const LOG_CHANGES_MAX = 20;

// The same random values for each mutant.
fc.configureGlobal({seed: 1});

testStore({
  name: 'a store in memory',
  open: async () => openMemoryStore({nowMs: Date.now, logChangesMax: LOG_CHANGES_MAX}),
  openClocked,
  logChangesMax: LOG_CHANGES_MAX,
  ...{describe, test},
});

async function openClocked(): Promise<ClockedStore> {
  const time = new FakeTime();
  const store = openMemoryStore({...time, logChangesMax: LOG_CHANGES_MAX});
  const advanceMs = (durationMs: number): void => {
    time.machineMs += durationMs;
    time.passedMs += durationMs;
  };
  return {store, advanceMs, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]()};
}
