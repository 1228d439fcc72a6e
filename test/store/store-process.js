// A process that does to a store what its parent says: started by store-process.ts, from dist/, since it
// runs on every supported Node without a compiler.
import {closeSync, openSync} from 'node:fs';
import process from 'node:process';
import {describeDataDirectory} from '../../dist/store/disk/data-directory.js';
import {assertOpens} from '../../dist/store/lmdb/opening-trial.js';
import {findHolder} from '../../dist/store/lmdb/process-lock.js';
import {openLmdbStore} from '../../dist/store/lmdb-store.js';

const encoder = new TextEncoder();
let store;

const commands = {
  open: async ({directory, newStoreId, aheadMs = 0}) => {
    const log = {error: () => {}, info: () => {}, debug: () => {}};
    store = await openLmdbStore({directory, newStoreId, nowMs: () => Date.now() + aheadMs, log});
  },
  takeDescriptors: async ({left}) => {
    const taken = [];
    try {
      for (;;) taken.push(openSync('/dev/null'));
    } catch {
      for (const each of taken.slice(0, left)) closeSync(each);
    }
  },
  put: async ({key, json, expiresAtMs}) => {
    const expiry = expiresAtMs === undefined ? undefined : {kind: 'at', expiresAtMs};
    const {revision} = await store.commit({
      checks: [],
      operations: [{kind: 'put', key, json: encoder.encode(json), expiry}],
    });
    return revision;
  },
  commit: async ({puts = [], deletes = [], id}) => {
    const {revision} = await store.commit({
      checks: [],
      id,
      operations: [
        ...puts.map(({key, json}) => ({kind: 'put', key, json: encoder.encode(json)})),
        ...deletes.map(key => ({kind: 'delete', key})),
      ],
    });
    return revision;
  },
  sweep: async () => store.sweep(),
  changes: async ({after}) => {
    const {kind, changes, revision} = await store.changes(after, {limit: 1000});
    return {kind, revision, changes: changes?.map(change => ({...change, json: undefined}))};
  },
  putWhileReading: async options => {
    let isDone = false;
    const written = commands.put(options).finally(() => {
      isDone = true;
    });
    // Whatever comes of the write is answered at the end; until then it is a read that may fail.
    written.catch(() => {});
    while (!isDone) {
      await commands.get(options);
      await commands.keys();
      await new Promise(resolve => setImmediate(resolve));
    }
    return written;
  },
  delete: async ({key}) => {
    const {outcomes} = await store.commit({checks: [], operations: [{kind: 'delete', key}]});
    return outcomes[0];
  },
  touch: async ({key}) => {
    const {outcomes} = await store.commit({checks: [], operations: [{kind: 'touch', key}]});
    return outcomes[0];
  },
  get: async ({key}) => {
    const entry = await store.get(key);
    return entry === undefined ? undefined : new TextDecoder().decode(entry.json);
  },
  keysOfSnapshot: async () => {
    const snapshot = await store.snapshot();
    const entries = await snapshot.list({prefix: '', limit: 1000});
    await snapshot[Symbol.asyncDispose]();
    return entries.map(({key}) => key);
  },
  keys: async () => (await store.list({prefix: '', limit: 1000})).map(({key}) => key),
  findHolder: async ({directory}) => findHolder(describeDataDirectory(directory)),
  assertOpensOnWindows: async ({directory}) => assertOpens({directory, readOnly: false, engine: {}, platform: 'win32'}),
  readOnlyBecause: async () => store.readOnlyBecause,
  die: () => process.kill(process.pid, 'SIGKILL'),
  close: async () => {
    await store[Symbol.asyncDispose]();
  },
};

process.on('disconnect', () => process.exit());
process.on('message', async ({id, name, options}) => {
  try {
    process.send({id, value: await commands[name](options)});
  } catch (error) {
    process.send({id, failure: error.failure ?? {code: 'unforeseen', message: String(error)}});
  }
});
process.send({id: 0});
