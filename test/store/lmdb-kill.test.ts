import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {verifyStore} from '../../src/store/verify-store.ts';
import {makeDirectory, startProcess} from '../support/store-fixture.ts';
import type {StoreProcess} from './store-process.ts';

const ROUNDS = 20;
const WRITERS = 8;

describe('a store whose process is killed', () => {
  test(`announces what expires exactly once, in ${ROUNDS} rounds, and keeps the table of it exact`, async () => {
    const directory = await makeDirectory();
    const history = new History();
    for (const acknowledgements of fc.sample(fc.integer({min: 1, max: 30}), ROUNDS)) {
      const store = await startProcess();
      await store.call('open', {directory});
      await history.follow(store);
      await sweepAndWriteUntil(store, acknowledgements);
    }
    const store = await startProcess();
    await store.call('open', {directory});
    while ((await store.call('sweep')) === 0);
    await history.follow(store);
    assert.deepEqual(await store.call('keys'), [...history.present]);
    await store.call('close');
    assert.equal((await verifyStore(directory)).wrongExpiries, 0);
  });
});

test('a commit that was acknowledged before a kill is known by its id, however its store had kept it', async () => {
  const directory = await makeDirectory();
  const revisions: number[] = [];
  for (let round = 0; round < 3; round++) {
    const store = await startProcess();
    await store.call('open', {directory});
    const commit = {puts: [{key: 'a', json: String(round)}], id: `round ${round}`};
    for (const [before, revision] of revisions.entries())
      assert.equal(
        await store.call('commit', {puts: [{key: 'a', json: String(before)}], id: `round ${before}`}),
        revision,
      );
    revisions.push(await store.call('commit', commit));
    assert.equal(await store.call('commit', commit), revisions[round]);
    await store.kill();
  }
  assert.deepEqual(revisions, [1, 2, 3]);
});

/** Lets writers write what has expired already, beside a sweeper, until so many were acknowledged; then kills the process. */
async function sweepAndWriteUntil(store: StoreProcess, acknowledgements: number): Promise<void> {
  let rest = acknowledgements;
  const sweep = async (): Promise<void> => {
    for (;;) await store.call('sweep');
  };
  const write = async (key: string): Promise<void> => {
    for (;;) {
      await store.call('put', {key, json: '1', expiresAtMs: 1});
      if (--rest === 0) await store.kill();
    }
  };
  const keys = Array.from({length: WRITERS}, (_, index) => `mortal ${index}`);
  for (const result of await Promise.allSettled([sweep(), ...keys.map(write)])) {
    assert.equal(result.status === 'rejected' && result.reason.failure?.code, 'killed');
  }
}

/** Checks the changes that one follower reads over all rounds: each entry is written and removed alternately, and no change is missing or repeated. */
class History {
  readonly present = new Set<string>();
  #revision = 0;

  async follow(store: StoreProcess): Promise<void> {
    let isRead = false;
    while (!isRead) {
      const found = await store.call('changes', {after: this.#revision});
      assert.equal(found.kind, 'changes');
      isRead = found.changes.length === 0;
      for (const {kind, key, revision} of found.changes) {
        assert.equal(revision, this.#revision + 1);
        this.#revision = revision;
        assert.equal(this.present.has(key), kind === 'expire', `"${key}" has a ${kind} in the wrong place`);
        if (kind === 'put') this.present.add(key);
        else this.present.delete(key);
      }
    }
  }
}
