import assert from 'node:assert/strict';
import {setImmediate} from 'node:timers/promises';
import {describe, test} from 'vitest';
import {COMMIT_ID_LENGTH_MAX, type CommitResult} from '../../src/core/domain/commits/commit.ts';
import type {Store} from '../../src/core/domain/commits/store.ts';
import type {AppError} from '../../src/core/failures/app-error.ts';
import type {Timers} from '../../src/core/time/timers.ts';
import {EntryService} from '../../src/service/entries/entry-service.ts';
import {
  EngineFailure,
  type GuardedWrite,
  OPERATIONS_MAX,
  REQUEST_BYTES_MAX,
} from '../../src/store/shared/engine/driver.ts';
import {HEAD_KEY, partKey, stagedKey, WISH_KEY} from '../../src/store/shared/engine/engine-keys.ts';
import {
  assertFailsWith,
  changesOf,
  key,
  keysOf,
  patch,
  put,
  range,
  read,
  remove,
  textOf,
  write,
} from '../contracts/shared/assertions.ts';
import {putFor} from '../contracts/store/expiry.ts';
import {openStoreIn, TIMERS} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';

/** Short, so that tests of engines that never answer end soon. */
const GROUP_TIMEOUT_MS = 1000;

async function open(engine: SimulatedEngine): Promise<Store> {
  return openStoreIn(engine.connect(), {groupTimeoutMs: GROUP_TIMEOUT_MS});
}

/** Commits that fail as unknown, and returns their ids. */
async function commitUnknown(commits: readonly Promise<CommitResult>[]): Promise<readonly string[]> {
  const results = await Promise.allSettled(commits);
  return results.map(result => {
    const {failure} = (result as PromiseRejectedResult).reason as AppError;
    return failure?.code === 'outcome-unknown' ? failure.commitId : assert.fail(failure?.code);
  });
}

describe('a commit that is sent again with its id', () => {
  test('gets its own result if one of its group had been applied earlier', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    const known = {checks: [], operations: [put('known')], id: 'known'};
    await store.commit(known);
    engine.lostAnswers = Infinity;
    const [, first = '', second = ''] = await commitUnknown([
      store.commit(known),
      store.commit({checks: [], operations: [put('a')]}),
      store.commit({checks: [], operations: [put('b'), put('c')]}),
    ]);
    engine.lostAnswers = 0;
    const again = (id: string, ...keys: readonly string[]): Promise<CommitResult> =>
      other.commit({checks: [], operations: keys.map(each => put(each)), id});
    assert.deepEqual(await again(second, 'b', 'c'), {revision: 3, outcomes: ['created', 'created']});
    assert.deepEqual(await again(first, 'a'), {revision: 2, outcomes: ['created']});
    assert.deepEqual(
      (await changesOf(other, 0)).map(change => change.key),
      ['known', 'a', 'b', 'c'],
    );
  });

  test('is applied once, with an id that the store chose, if only the second request arrives', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    engine.lostRequests = Infinity;
    const [id = ''] = await commitUnknown([write(store, put('a'))]);
    engine.lostRequests = 0;
    for (let count = 1; count <= 3; count++)
      assert.deepEqual(await store.commit({checks: [], operations: [put('a')], id}), {
        revision: 1,
        outcomes: ['created'],
      });
    assert.equal((await changesOf(store, 0)).length, 1);
  });

  test('is applied once if it is sent twice at the same time', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    const commit = {checks: [], operations: [put('a')], id: 'twice'};
    const results = await Promise.all([store.commit(commit), write(store, put('b')), store.commit(commit)]);
    assert.deepEqual(results, [
      {revision: 1, outcomes: ['created']},
      {revision: 2, outcomes: ['created']},
      {revision: 1, outcomes: ['created']},
    ]);
    assert.equal((await changesOf(store, 0)).length, 2);
  });
});

describe('results of commits', () => {
  test('are removed after as many commits as the change log has', async () => {
    const engine = new SimulatedEngine();
    const commit = {checks: [], operations: [remove('a')]};
    {
      await using store = await open(engine);
      await store.commit({...commit, id: 'early'});
    }
    const head = JSON.parse(String(engine.find(HEAD_KEY)?.value));
    for (const [revision, kept] of [
      [199_998, 2],
      [199_999, 2],
    ] as const) {
      engine.writeByHand(HEAD_KEY, JSON.stringify({...head, end: {...head.end, revision}}));
      await using store = await open(engine);
      await store.commit({...commit, id: `at ${revision}`});
      assert.equal(engine.keysWith('i/').filter(each => each.includes('=')).length, kept);
    }
  });
});

describe('a write of a client that is outcome-unknown', () => {
  test('is sent again as a transaction with its commit id', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    const entries = new EntryService({store});
    engine.lostAnswers = Infinity;
    const [id = ''] = await commitUnknown([entries.put(key('a'), 1) as Promise<never>]);
    engine.lostAnswers = 0;
    await entries.put(key('a'), 2);
    const {revision} = await entries.transact({id, operations: [{kind: 'put', key: 'a', value: 1}]});
    assert.equal(revision, 1);
    assert.equal(textOf(await read(store, 'a')), '2');
  });

  test('is taken by its commit id only from its caller, with its operations', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    const entries = new EntryService({store});
    await entries.put(key('a'), 1);
    engine.lostAnswers = Infinity;
    const [id = ''] = await commitUnknown([entries.delete(key('a'), {writtenBy: 'token:a'}) as Promise<never>]);
    engine.lostAnswers = 0;
    const operations = [{kind: 'delete', key: 'a'}] as const;
    const asked = {writtenBy: 'token:a'} as const;
    await assertFailsWith(entries.transact({id, operations}, {writtenBy: 'token:b'}), 'invalid-body');
    await assertFailsWith(entries.transact({id, operations}), 'invalid-body');
    await assertFailsWith(entries.transact({id, operations: []}, asked), 'invalid-body');
    await entries.put(key('a'), 2);
    // The check of the deletion cannot be sent again.
    assert.equal((await entries.transact({id, operations}, asked)).revision, 2);
    assert.equal(textOf(await read(store, 'a')), '2');
  });

  for (const id of ['', 'a b', 'é', 'x'.repeat(COMMIT_ID_LENGTH_MAX + 1)]) {
    test(`cannot have the id ${JSON.stringify(id.slice(0, 10))}`, async () => {
      await using store = await open(new SimulatedEngine());
      await assertFailsWith(new EntryService({store}).transact({id, operations: []}), 'invalid-body');
    });
  }
});

describe('a commit that may have happened', () => {
  test('is outcome-unknown if it is a deletion in a full engine', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a'));
    engine.refuses = 'full';
    engine.lostAnswers = Infinity;
    const refused = assertFailsWith(write(store, put('b')), 'disk-full');
    const [id = ''] = await commitUnknown([write(store, remove('a'))]);
    await refused;
    engine.lostAnswers = 0;
    assert.deepEqual(await store.commit({checks: [], operations: [remove('a')], id}), {
      revision: 2,
      outcomes: ['deleted'],
    });
  });

  test('is outcome-unknown if the data of the store are removed right after it', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    engine.lostAnswers = 1;
    engine.beforeWrite = async () => {
      if (engine.lostAnswers === 0) engine.writeByHand(HEAD_KEY, '{}');
    };
    const failure = await write(store, put('a')).catch(error => error.failure);
    assert.equal(failure.code, 'outcome-unknown');
  });
});

describe('commits end in time', () => {
  test('while another process always writes first', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    let isRacing = false;
    engine.beforeWrite = async () => {
      if (isRacing) return;
      isRacing = true;
      await write(other, put('b'));
      isRacing = false;
    };
    const failure = await write(store, put('a')).catch(error => error.failure.code);
    engine.beforeWrite = undefined;
    assert.match(failure, /^(unavailable|outcome-unknown)$/);
    await write(store, put('a'));
    assert.deepEqual(keysOf(await other.list(range())), ['a', 'b']);
  });

  test('also those that wait behind groups that the engine does not answer', async () => {
    const engine = new SimulatedEngine();
    const elapsed = {aheadMs: 0};
    const elapsedMs = (): number => performance.now() + elapsed.aheadMs;
    await using store = await openStoreIn(engine.connect(), {elapsedMs, groupTimeoutMs: GROUP_TIMEOUT_MS});
    let release = (): void => {};
    const stuck = new Promise<void>(resolve => {
      release = resolve;
    });
    const isStuck = new Promise<void>(resolve => {
      engine.beforeWrite = async () => {
        resolve();
        await stuck;
      };
    });
    const first = write(store, put('a'));
    await isStuck;
    const waiting = write(store, put('b'));
    elapsed.aheadMs = 6000;
    await assertFailsWith(first, 'outcome-unknown');
    await assertFailsWith(waiting, 'unavailable');
    engine.beforeWrite = undefined;
    release();
    await write(store, put('c'));
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'c']);
    assert.deepEqual(
      (await changesOf(store, 0)).map(change => change.key),
      ['a', 'c'],
    );
  });
});

describe('a state that is no longer in the engine', () => {
  test('does not stop a process that learns commits of others', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    await write(other, put('a'));
    engine.beforeRange = async () => {
      engine.beforeRange = undefined;
      await write(other, put('b'));
      engine.compact();
    };
    assert.deepEqual(keysOf(await store.list(range())), ['a', 'b']);
    assert.equal((await write(store, put('c'))).revision, 3);
  });

  test('does not stop a store that is idle while other programs write and the engine is compacted', async () => {
    const engine = new SimulatedEngine();
    await using writer = await open(engine);
    await write(writer, put('a', '{"b":1}'));
    await using store = await open(engine);
    engine.writeByHand('other program', '1');
    engine.compact();
    assert.equal(textOf(await read(store, 'a')), '{"b":1}');
    assert.equal((await store.changes(0, {limit: 1})).kind, 'changes');
    engine.writeByHand('other program', '2');
    engine.compact();
    await using another = await open(engine);
    engine.writeByHand('other program', '3');
    engine.compact();
    const patch = {kind: 'patch', key: put('a').key, patch: put('a', '{"c":2}').json} as const;
    await another.commit({checks: [], operations: [patch], id: 'an id'});
    assert.equal(textOf(await read(store, 'a')), '{"b":1,"c":2}');
  });
});

describe('a commit of many operations', () => {
  const names = Array.from({length: 1000}, (_, index) => `key ${String(index).padStart(5, '0')}`);

  test('is applied as a whole, in a request with few enough, also if each replaces an expiry', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    for (const seconds of [60, 120]) await write(store, ...names.map(name => putFor(seconds, name)));
    assert.equal((await write(store, ...names.slice(1).map(remove))).revision, 3);
    assert.ok(engine.mostOperations <= OPERATIONS_MAX, `a request had ${engine.mostOperations} operations`);
    await using other = await openStoreIn(engine.connect());
    assert.deepEqual(keysOf(await other.list(range())), names.slice(0, 1));
    assert.equal(engine.keysWith('x/').length, 1);
    assert.equal((await other.statistics())?.entries, 1);
  });

  test('is applied with as many as a transaction has, if each replaces an expiry and a value in parts', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    const inParts = `"${'x'.repeat(5000)}"`;
    await write(store, ...names.map(name => putFor(60, name, inParts)));
    const operations = names.map(name => putFor(120, name));
    assert.equal((await store.commit({checks: [], operations, id: 'of the caller'})).revision, 2);
    assert.ok(engine.mostOperations <= OPERATIONS_MAX, `a request had ${engine.mostOperations} operations`);
    assert.deepEqual([engine.keysWith('v/'), engine.keysWith('x/').length], [[], names.length]);
  });

  test('is applied with the longest keys, and refused if their number is more than a request has', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    const longest = names.map(name => name.padEnd(512, 'x'));
    for (const seconds of [60, 120]) await write(store, ...longest.map(name => putFor(seconds, name)));
    assert.ok(engine.largestRequestBytes <= REQUEST_BYTES_MAX, `a request had ${engine.largestRequestBytes} bytes`);
    const inParts = `"${'x'.repeat(4000)}"`;
    for (const seconds of [60, 120, 180]) await write(store, ...longest.map(name => putFor(seconds, name, inParts)));
    assert.ok(engine.largestRequestBytes <= REQUEST_BYTES_MAX, `a request had ${engine.largestRequestBytes} bytes`);
    const many = Array.from({length: OPERATIONS_MAX}, (_, index) => put(`many ${index}`));
    await assertFailsWith(write(store, ...many), 'too-large');
    // Values are never the reason: they can be in requests of their own.
    for (const [count, keyBytes, bytes] of [
      [500, 505, 1300],
      [400, 505, 1600],
      [501, 400, 1300],
    ] as const) {
      const name = (index: number): string => String(index).padEnd(keyBytes, 'k');
      const json = JSON.stringify('x'.repeat(bytes - 2));
      const puts = Array.from({length: count}, (_, index) => putFor(60_000, name(index), json));
      await write(store, ...puts);
    }
  });

  test('finds results of many commits in requests with few enough', async () => {
    const engine = new SimulatedEngine();
    await using store = await openStoreIn(engine.connect());
    const commits = names.map(id => ({checks: [], operations: [remove(id)], id}));
    await Promise.all(commits.map(commit => store.commit(commit)));
    assert.ok(engine.mostOperations <= OPERATIONS_MAX, `a request had ${engine.mostOperations} operations`);
  });
});

/** Returns the marks of groups whose parts no head has named. */
function unnamed(engine: SimulatedEngine): readonly string[] {
  return engine.keysWith('s/').filter(mark => engine.find(mark)?.value.length === 0);
}

describe('parts of large values', () => {
  const large = `"${'x'.repeat(1024 * 1024 - 2)}"`;

  test('are removed with the entry, and when it is replaced', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await write(store, put('a', large), put('b', large));
    assert.equal(engine.keysWith('v/').length, 4);
    await write(store, put('a', '1'), remove('b'));
    assert.deepEqual([engine.keysWith('v/'), unnamed(engine)], [[], []]);
  });

  test('that were written for a plan which lost a race are removed with the write that wins', async () => {
    const engine = new SimulatedEngine();
    await using store = await open(engine);
    await using other = await open(engine);
    await write(store, put('a', `{"x":${large}}`));
    let races = 2;
    engine.beforeWrite = async ({key: written}) => {
      if (written !== HEAD_KEY || races === 0) return;
      const hook = engine.beforeWrite;
      engine.beforeWrite = undefined;
      await write(other, put('free', String(races--)));
      engine.beforeWrite = hook;
    };
    await write(store, patch('a', '{"y":1}'));
    engine.beforeWrite = undefined;
    assert.equal(races, 0);
    assert.equal(textOf(await read(other, 'a')), `{"x":${large},"y":1}`);
    assert.deepEqual([engine.keysWith('v/').length, unnamed(engine)], [3, []]);
    await write(other, remove('a'));
    assert.deepEqual(engine.keysWith('v/'), []);
  });

  test('that no head has named are removed after ten minutes, and not before', async () => {
    const engine = new SimulatedEngine();
    let aheadMs = 0;
    const nowMs = (): number => Date.now() + aheadMs;
    await using store = await openStoreIn(engine.connect(), {nowMs});
    await using other = await openStoreIn(engine.connect());
    await write(other, put('free'));
    engine.beforeWrite = async ({key: written}) => {
      if (written !== HEAD_KEY) return;
      engine.beforeWrite = undefined;
      await write(other, put('free', '2'));
    };
    const commit = {checks: [{key: put('free').key, expected: 1}], operations: [put('a', large)]};
    await assertFailsWith(store.commit(commit), 'revision-conflict');
    const nextMs = (await store.sweep()) ?? 0;
    assert.ok(nextMs > 500_000 && nextMs <= 600_000, `the next sweep is in ${nextMs} ms`);
    assert.equal(engine.keysWith('v/').length, 2);
    aheadMs = 600_001;
    assert.equal(await store.sweep(), undefined);
    assert.deepEqual([engine.keysWith('v/'), engine.keysWith('s/')], [[], []]);
    assert.deepEqual(keysOf(await other.list(range())), ['free']);
  });

  test('are kept if a copy of a request for them arrives late, and do not come back after they were removed', async () => {
    const engine = new SimulatedEngine();
    let aheadMs = 0;
    await using store = await openStoreIn(engine.connect(), {nowMs: () => Date.now() + aheadMs});
    const requests: GuardedWrite[] = [];
    engine.beforeWrite = async request => void requests.push(request);
    const sendAgain = async (): Promise<void> => {
      for (const request of requests.slice()) assert.equal((await engine.write(request)).kind, 'conflict');
    };
    await write(store, put('a', large), put('b', large));
    assert.ok(requests.length >= 3, 'there are requests for parts after the first');
    engine.beforeWrite = undefined;
    await sendAgain();
    aheadMs = 300_000;
    await write(store, put('b'));
    assert.equal(engine.keysWith('v/').length, 2);
    await sendAgain();
    assert.equal(engine.keysWith('v/').length, 2);
    aheadMs = 600_001;
    assert.equal(await store.sweep(), undefined);
    assert.equal(textOf(await read(store, 'a')), large);
    assert.deepEqual([engine.keysWith('v/').length, engine.keysWith('s/')], [2, []]);
  });

  test('are kept if the clock goes ten minutes ahead while they are written', async () => {
    const engine = new SimulatedEngine();
    let aheadMs = 0;
    await using store = await openStoreIn(engine.connect(), {nowMs: () => Date.now() + aheadMs});
    await using other = await openStoreIn(engine.connect());
    engine.beforeWrite = async ({key: written}) => {
      if (written !== HEAD_KEY) return;
      engine.beforeWrite = undefined;
      aheadMs = 600_001;
      await write(other, put('free'));
    };
    await write(store, put('a', large));
    assert.equal(textOf(await read(other, 'a')), large);
  });

  test('of several groups are removed in one sweep, after the expired entries', async () => {
    const engine = new SimulatedEngine();
    {
      await using store = await open(engine);
      await write(store, putFor(1, 'expires'));
    }
    for (const group of ['a', 'b', 'c'].map(letter => letter.repeat(24))) {
      engine.writeByHand(stagedKey(group, Date.now()), '');
      engine.writeByHand(partKey(group, 0), 'a part');
    }
    await using store = await openStoreIn(engine.connect(), {nowMs: () => Date.now() + 600_001});
    assert.equal(await store.sweep(), undefined);
    assert.deepEqual([engine.keysWith('v/'), engine.keysWith('s/'), engine.keysWith('x/')], [[], [], []]);
  });
});

describe('a writer that dies before or after any of its writes', () => {
  const large = `"${'x'.repeat(5000)}"`;
  const commit = {checks: [], operations: [put('a', large), put('b'), put('c', large)], id: 'of the dead'};

  test('leaves all of its commit or nothing, which is applied once when it is sent again', async () => {
    const found = new Set<number>();
    for (const isApplied of [false, true]) {
      for (let lastWrite = 1; lastWrite <= 3; lastWrite++) {
        const engine = new SimulatedEngine();
        const driver = engine.connect();
        const send = driver.compareAndWrite.bind(driver);
        let writes = 0;
        driver.compareAndWrite = async request => {
          writes++;
          if (writes === lastWrite && isApplied) await send(request);
          if (writes >= lastWrite) throw new EngineFailure('unknown', 'it is dead');
          return send(request);
        };
        // The first write is that of the head of the new store, the second that of the parts.
        const opened = await openStoreIn(driver, {groupTimeoutMs: 100}).catch(() => undefined);
        await opened?.commit(commit).catch(() => {});
        await using other = await openStoreIn(engine.connect());
        const keys = keysOf(await other.list(range()));
        assert.ok(keys.length === 0 || keys.length === 3, keys.join());
        found.add(keys.length);
        assert.equal((await other.commit(commit)).revision, 1);
        assert.deepEqual((await other.list({...range(), values: true})).map(textOf), [large, '1', large]);
        assert.equal((await changesOf(other, 0)).length, 3);
        await opened?.[Symbol.asyncDispose]().catch(() => {});
      }
    }
    assert.deepEqual(found, new Set([0, 3]));
  });
});

describe('concurrent readers', () => {
  test('share one request for the head, also those that read again as soon as it is answered', async () => {
    const driver = new SimulatedEngine().connect();
    await using store = await openStoreIn(driver);
    await write(store, put('a'));
    const ask = driver.read.bind(driver);
    let requests = 0;
    driver.read = (asked, options) => {
      requests++;
      return ask(asked, options);
    };
    const times = 5;
    await Promise.all(
      Array.from({length: 63}, async () => {
        for (let time = 1; time <= times; time++) assert.equal(textOf(await read(store, 'a')), '1');
      }),
    );
    assert.equal(requests, times);
  });
});

describe('concurrent commits', () => {
  test('of many checks are written in groups that read about a thousand keys each', async () => {
    const driver = new SimulatedEngine().connect();
    await using store = await openStoreIn(driver);
    const ask = driver.read.bind(driver);
    let asked = 0;
    let mostAsked = 0;
    driver.read = (ranges, options) => {
      asked += ranges.length;
      return ask(ranges, options);
    };
    const send = driver.compareAndWrite.bind(driver);
    driver.compareAndWrite = request => {
      mostAsked = Math.max(mostAsked, asked);
      asked = 0;
      return send(request);
    };
    const commits = Array.from({length: 5}, (_, index) => ({
      checks: Array.from({length: 1000}, (_, check) => ({key: key(`${index} ${check}`), expected: 'absent' as const})),
      operations: [put(`p${index}`)],
    }));
    await Promise.all(commits.map(commit => store.commit(commit)));
    assert.ok(mostAsked < 1100, `a plan read ${mostAsked} keys`);
  });

  test('of many operations are written in groups that fit into a request, and planned once', async () => {
    const driver = new SimulatedEngine().connect();
    await using store = await openStoreIn(driver);
    // With a body beside each entry, and an expiry: four keys for an operation.
    const value = JSON.stringify('x'.repeat(300));
    const entries = Array.from({length: 1120}, (_, index) => String(index));
    for (let at = 0; at < entries.length; at += 280)
      await write(store, ...entries.slice(at, at + 280).map(name => putFor(600, name, value)));
    const read = driver.read.bind(driver);
    let reads = 0;
    driver.read = (ranges, options) => {
      reads++;
      return read(ranges, options);
    };
    const writing = entries.slice(0, 120).map(name => write(store, putFor(900, name, value)));
    await Promise.all([...writing, write(store, ...entries.slice(120).map(name => putFor(900, name, value)))]);
    assert.ok(reads < 10, `${reads} requests read`);
  });
});

describe('the wish of a slow writer', () => {
  test('stops another process once, unless that finds it when it begins', async () => {
    const engine = new SimulatedEngine();
    const delays: number[] = [];
    const timers: Timers = {
      after: (delayMs, run) => {
        delays.push(delayMs);
        return TIMERS.after(delayMs === 3000 ? 0 : delayMs, run);
      },
    };
    const pauses = (): number => delays.filter(delayMs => delayMs === 3000).length;
    await (await open(engine))[Symbol.asyncDispose]();
    engine.writeByHand(WISH_KEY, '3000 of-earlier');
    await using store = await openStoreIn(engine.connect(), {timers});
    await write(store, put('a'));
    await write(store, remove('a'));
    assert.equal(pauses(), 0);
    engine.writeByHand(WISH_KEY, '3000 of-another');
    for (const name of ['a', 'b']) await write(store, remove(name));
    assert.equal(pauses(), 1);
    const {writer} = JSON.parse(String(engine.find(HEAD_KEY)?.value));
    engine.writeByHand(WISH_KEY, `3000 ${writer}`);
    await write(store, remove('c'));
    assert.equal(pauses(), 1);
  });

  test('does not stop a process that is as slow, since each of several would stop all others', async () => {
    const engine = new SimulatedEngine();
    let nowMs = 0;
    engine.beforeWrite = async () => {
      nowMs += 500;
    };
    const delays: number[] = [];
    const timers: Timers = {
      after: (delayMs, run) => {
        delays.push(delayMs);
        return TIMERS.after(delayMs, run);
      },
    };
    await using store = await openStoreIn(engine.connect(), {timers, elapsedMs: () => nowMs});
    await write(store, put('a'));
    engine.writeByHand(WISH_KEY, '2000 of-another');
    await write(store, put('b'));
    assert.ok(!delays.includes(2000), `it paused: ${delays.join()}`);
  });
});

describe('commits that the engine finds too large', () => {
  test('are written in smaller groups, and the store does not become read-only', async () => {
    const driver = new SimulatedEngine().connect();
    const send = driver.compareAndWrite.bind(driver);
    const isTooLarge = ({puts}: GuardedWrite): boolean => puts.filter(([each]) => each.startsWith('e/')).length > 3;
    driver.compareAndWrite = async request => {
      if (isTooLarge(request)) throw new EngineFailure('too-large', 'request is too large; there is a setting');
      return send(request);
    };
    await using store = await openStoreIn(driver);
    const names = Array.from({length: 10}, (_, index) => `key ${index}`);
    await Promise.all(names.map(name => write(store, put(name))));
    assert.deepEqual(keysOf(await store.list(range())), names);
    await assertFailsWith(write(store, ...names.map(name => put(name))), 'unavailable');
    assert.equal(store.readOnlyBecause, undefined);
  });
});

describe('reads of an entry that has expired', () => {
  test('fail if it could come back, since the time was not written', async () => {
    const engine = new SimulatedEngine();
    let aheadMs = 0;
    await using ahead = await openStoreIn(engine.connect(), {nowMs: () => Date.now() + aheadMs, groupTimeoutMs: 100});
    await using other = await open(engine);
    await write(other, putFor(60, 'a'));
    aheadMs = 61_000;
    engine.lostRequests = Infinity;
    await assertFailsWith(ahead.get(key('a')), 'unavailable');
    await assertFailsWith(ahead.list(range()), 'unavailable');
    engine.lostRequests = 0;
    assert.equal(textOf(await read(other, 'a')), '1');
    engine.refuses = 'denied';
    assert.equal(await ahead.get(key('a')), undefined);
    engine.refuses = undefined;
    assert.equal(await ahead.get(key('a')), undefined);
    assert.equal(await other.get(key('a')), undefined);
  });

  test('succeed although the write of a lower time fails, which they waited for', async () => {
    const engine = new SimulatedEngine();
    let aheadMs = 0;
    await using store = await openStoreIn(engine.connect(), {nowMs: () => Date.now() + aheadMs, groupTimeoutMs: 300});
    await write(store, putFor(5, 'a'), putFor(10, 'b'));
    aheadMs = 6000;
    const begun = new Promise<void>(resolve => {
      engine.beforeWrite = async () => {
        resolve();
        throw new EngineFailure('unavailable', 'it is down');
      };
    });
    const lower = assertFailsWith(store.get(key('a')), 'unavailable');
    await begun;
    aheadMs = 11_000;
    const higher = store.get(key('b'));
    await lower;
    engine.beforeWrite = undefined;
    assert.equal(await higher, undefined);
  });

  test('share one write of the time, and leave the queue to commits', async () => {
    const engine = new SimulatedEngine();
    let aheadMs = 0;
    await using store = await openStoreIn(engine.connect(), {nowMs: () => Date.now() + aheadMs});
    await write(store, putFor(5, 'a'), putFor(5, 'b'));
    aheadMs = 6000;
    let mostWaiting = 0;
    engine.beforeWrite = async () => {
      // Many ticks of the engine: all reads find the expired entries meanwhile.
      for (let tick = 0; tick < 500; tick++) await setImmediate();
      mostWaiting = Math.max(mostWaiting, (await store.statistics())?.waitingCommits ?? 0);
    };
    const writes = engine.writes;
    const slow = write(store, put('c'));
    const names = Array.from({length: 1000}, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
    const found = await Promise.all(names.map(name => store.get(key(name))));
    await slow;
    assert.deepEqual(new Set(found), new Set([undefined]));
    assert.ok(mostWaiting <= 1, `${mostWaiting} commits waited`);
    assert.ok(engine.writes - writes <= 3, `there were ${engine.writes - writes} writes`);
  });
});

describe('patches of many values in parts', () => {
  test('read them in one request', async () => {
    const driver = new SimulatedEngine().connect();
    await using store = await openStoreIn(driver);
    const names = Array.from({length: 10}, (_, index) => `key ${index}`);
    await write(store, ...names.map(name => put(name, `{"a":"${'x'.repeat(20_000)}"}`)));
    const ask = driver.read.bind(driver);
    let requests = 0;
    driver.read = (asked, options) => {
      if (asked.some(({from}) => from.startsWith('v/'))) requests++;
      return ask(asked, options);
    };
    await write(store, ...names.map(name => patch(name, '{"b":1}')));
    assert.equal(requests, 1);
    assert.equal((await store.list({...range(), values: true})).length, names.length);
  });
});

describe('closing', () => {
  test('closes everything else if the engine cannot be closed', async () => {
    const closed: string[] = [];
    const driver = new SimulatedEngine().connect();
    driver[Symbol.asyncDispose] = () => Promise.reject(new Error('cannot close'));
    const lock = {
      [Symbol.asyncDispose]: async () => {
        closed.push('lock');
      },
    };
    const store = await openStoreIn(driver, {owned: [lock]});
    await assert.rejects(async () => store[Symbol.asyncDispose](), /cannot close/);
    assert.deepEqual(closed, ['lock']);
  });
});
