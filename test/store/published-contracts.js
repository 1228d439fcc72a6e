// What a third party would write: the contracts on their own things, with the test runner of Node.
import process from 'node:process';
import {describe, test} from 'node:test';
import {openCrewroom} from 'crewroom';
import {testEntries, testIdentitySource, testStore} from 'crewroom/testing';
import {openMemoryStore} from '../../dist/store/memory/memory-store.js';

const runner = {describe, test};

function openBrokenStore() {
  const store = openMemoryStore({nowMs: Date.now});
  const broken = {
    commit: async commit => {
      const result = await store.commit(commit);
      return result.outcomes.every(outcome => outcome === 'absent')
        ? {...result, revision: result.revision + 1}
        : result;
    },
  };
  return new Proxy(store, {
    get: (target, name) =>
      broken[name] ?? (typeof target[name] === 'function' ? target[name].bind(target) : target[name]),
  });
}

async function openIdentity() {
  const crewroom = await openCrewroom({ephemeral: true});
  return crewroom.identity;
}

if (process.argv[2] === 'broken') {
  testStore({name: 'a broken store', open: async () => openBrokenStore(), ...runner});
} else {
  testStore({
    name: 'a store',
    open: async () => openMemoryStore({nowMs: Date.now}),
    logChangesMax: undefined,
    ...runner,
  });
  testEntries({name: 'entries', open: () => openCrewroom({ephemeral: true}), ...runner});
  testIdentitySource({name: 'an identity', open: openIdentity, ...runner});
}
