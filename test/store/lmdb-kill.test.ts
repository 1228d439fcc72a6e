import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, test} from 'vitest';
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
