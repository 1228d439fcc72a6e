import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
import {verifyStore} from '../../src/store/verify-store.ts';
import {CAN_TRACE, makeDirectory, startProcess} from './fixture.ts';
import type {StoreProcess} from './store-process.ts';

const ROUNDS = 20;
const WRITERS = 8;
/** So that one value takes several pages of the file. */
const PADDING = 'x'.repeat(6000);

describe('a store whose process is killed', () => {
  test(`loses nothing that was acknowledged in ${ROUNDS} rounds, and tears no value`, async () => {
    const directory = await makeDirectory();
    const ledger = new Ledger();
    // Each round ends after so many acknowledgements, somewhere within the writes that are under way.
    for (const acknowledgements of fc.sample(fc.integer({min: 1, max: 80}), ROUNDS)) {
      const store = await startProcess();
      await store.call('open', {directory});
      await ledger.compare(store);
      await ledger.writeUntil(store, acknowledgements);
    }
    const store = await startProcess();
    await store.call('open', {directory});
    await ledger.compare(store);
  });

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

  describe.skipIf(!CAN_TRACE)('at a system call of its own (needs strace)', () => {
    // Opening the store takes fewer of each.
    for (const {call, first} of [
      {call: 'fdatasync', first: 6},
      {call: 'pwrite64', first: 13},
      {call: 'writev', first: 6},
    ]) {
      test(`loses nothing that was acknowledged before a ${call}`, async () => {
        const directory = await makeDirectory();
        const ledger = new Ledger();
        for (const count of [first, first + 1, first + 2]) {
          const tracer = ['strace', '-f', '-o', '/dev/null', '-e', `trace=${call}`];
          const inject = ['-E', 'UV_THREADPOOL_SIZE=1', '-e', `inject=${call}:signal=SIGKILL:when=${count}`];
          const store = await startProcess({under: [...tracer, ...inject]});
          await store.call('open', {directory});
          await ledger.writeUntil(store, Infinity);
          const next = await startProcess();
          await next.call('open', {directory});
          await ledger.compare(next);
          await next.call('close');
        }
      });
    }
  });
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

/** What one follower hears over all rounds: each entry begins and ends in turn, and nothing is missed or doubled. */
class History {
  readonly present = new Set<string>();
  #revision = 0;

  async follow(store: StoreProcess): Promise<void> {
    for (;;) {
      const found = await store.call('changes', {since: this.#revision});
      assert.equal(found.kind, 'changes');
      if (found.changes.length === 0) return;
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

/** What was sent and what was acknowledged, kept outside of the process that may die. */
class Ledger {
  readonly #sent = new Map<string, number>();
  readonly #acknowledged = new Map<string, number>();

  /** Lets several writers count up until so many writes were acknowledged, then kills the process. */
  async writeUntil(store: StoreProcess, acknowledgements: number): Promise<void> {
    let rest = acknowledgements;
    const write = async (key: string): Promise<void> => {
      for (;;) {
        const count = (this.#sent.get(key) ?? 0) + 1;
        this.#sent.set(key, count);
        await store.call('put', {key, json: JSON.stringify([count, PADDING, count])});
        this.#acknowledged.set(key, count);
        if (--rest === 0) await store.kill();
      }
    };
    const writers = Array.from({length: WRITERS}, (_, index) => write(`writer ${index}`));
    for (const result of await Promise.allSettled(writers)) {
      assert.equal(result.status === 'rejected' && result.reason.failure?.code, 'killed');
    }
  }

  /** Fails unless every key has what was last acknowledged, or what was sent after that, whole. */
  async compare(store: StoreProcess): Promise<void> {
    assert.deepEqual(
      (await store.call('keys')).filter(key => !this.#sent.has(key)),
      [],
    );
    for (const [key, sent] of this.#sent) {
      const acknowledged = this.#acknowledged.get(key) ?? 0;
      const text = await store.call('get', {key});
      if (text === undefined) assert.equal(acknowledged, 0, `"${key}" is lost`);
      const [count, padding, again] = text === undefined ? [0, PADDING, 0] : JSON.parse(text);
      assert.ok(count >= acknowledged && count <= sent, `"${key}" is ${count}, acknowledged was ${acknowledged}`);
      assert.deepEqual([padding, again], [PADDING, count]);
      this.#sent.set(key, count);
      this.#acknowledged.set(key, count);
    }
  }
}
