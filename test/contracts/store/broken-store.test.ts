import {expect, test} from 'vitest';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import {openMemoryStore} from '../../../src/store/memory/memory-store.ts';
import {testStore} from './store-contract.ts';

test('the contract of stores fails for a store that breaks a promise, and names the promise', async () => {
  const failed: string[] = [];
  const tests: Promise<void>[] = [];
  testStore({
    name: 'a broken store',
    open: async () => openBrokenStore(),
    describe: (_, body) => body(),
    test: (name, run) => tests.push(run().catch(() => void failed.push(name))),
  });
  await Promise.all(tests);
  expect(tests.length).toBeGreaterThan(80);
  expect(failed).toContain('takes no revision for a commit that changes nothing');
});

/** Opens a store that takes a revision for a commit that changes nothing. */
function openBrokenStore(): Store {
  const store = openMemoryStore({nowMs: Date.now});
  const broken: Partial<Store> = {
    commit: async commit => {
      const result = await store.commit(commit);
      const changedNothing = result.outcomes.every(outcome => outcome === 'absent');
      return changedNothing ? {...result, revision: result.revision + 1} : result;
    },
  };
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(broken, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
