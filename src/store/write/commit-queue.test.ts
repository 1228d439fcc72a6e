import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {keysOf, put, range, remove, write} from '../../../test/contracts/shared/assertions.ts';
import {makeDirectory, openStore} from '../../../test/support/store-fixture.ts';
import type {CommitResult} from '../../core/domain/commits/commit.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {CommitQueue} from './commit-queue.ts';

describe('commits that wait for the disk', () => {
  test(`are refused above ${DEFAULT_LIMITS.waitingCommitsMax}, and accepted again when the queue is shorter`, async () => {
    const store = await openStore(await makeDirectory());
    const results = await Promise.allSettled(
      Array.from({length: DEFAULT_LIMITS.waitingCommitsMax + 10}, (_, index) => write(store, put(`key ${index}`))),
    );
    const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason.failure] : []));
    assert.deepEqual(refused, Array(10).fill({code: 'busy', what: 'store', max: DEFAULT_LIMITS.waitingCommitsMax}));
    assert.equal(store.revision, DEFAULT_LIMITS.waitingCommitsMax);
    assert.equal((await write(store, put('later'))).revision, DEFAULT_LIMITS.waitingCommitsMax + 1);
  });

  test('are written in their order also when they are too large for one group', async () => {
    const store = await openStore(await makeDirectory());
    const text = `"${'x'.repeat(1024 * 1024)}"`;
    const results = await Promise.all(Array.from({length: 40}, (_, index) => write(store, put(`key ${index}`, text))));
    assert.deepEqual(
      results.map(({revision}) => revision),
      results.map((_, index) => index + 1),
    );
    assert.equal((await store.list(range())).length, 40);
  });

  test('do not hold up reads: the event loop goes on while the disk works', async () => {
    const store = await openStore(await makeDirectory());
    await write(store, put('a'));
    const text = `"${'x'.repeat(1024 * 1024)}"`;
    let writing = true;
    const written = write(store, ...Array.from({length: 30}, (_, index) => put(`key ${index}`, text))).finally(() => {
      writing = false;
    });
    let reads = 0;
    for (; writing; reads++) {
      assert.deepEqual(keysOf(await store.list(range())).includes('a'), true);
      await new Promise(resolve => setImmediate(resolve));
    }
    await written;
    assert.ok(reads > 3, `only ${reads} reads happened meanwhile`);
  });

  test('delete and create one key many times in one group', async () => {
    const store = await openStore(await makeDirectory());
    const results = await Promise.all(
      Array.from({length: 100}, (_, index) => write(store, index % 2 === 0 ? put('a') : remove('a'))),
    );
    assert.deepEqual(new Set(results.flatMap(({outcomes}) => outcomes)), new Set(['created', 'deleted']));
    assert.deepEqual([store.revision, await store.list(range())], [100, []]);
  });
});

describe('CommitQueue', () => {
  const numbered = (commits: readonly string[]): readonly CommitResult[] =>
    commits.map((_, index) => ({revision: index + 1, outcomes: []}));

  test('ends after the commits that wait, and accepts no others', async () => {
    const groups: (readonly string[])[] = [];
    const queue = new CommitQueue<string>({
      write: async commits => {
        groups.push(commits);
        return numbered(commits);
      },
    });
    const waiting = [queue.push('a', 1), queue.push('b', 1)];
    const ended = queue.end();
    await assert.rejects(queue.push('c', 1), {failure: {code: 'store-closed'}});
    await ended;
    assert.deepEqual(groups, [['a', 'b']]);
    assert.deepEqual(
      (await Promise.all(waiting)).map(({revision}) => revision),
      [1, 2],
    );
  });

  test('writes commits without a result first in the next group', async () => {
    const groups: (readonly string[])[] = [];
    const queue = new CommitQueue<string>({
      write: async commits => {
        groups.push(commits);
        if (groups.length === 1) void queue.push('d', 1);
        return numbered(commits.slice(0, 2));
      },
    });
    await Promise.all(['a', 'b', 'c'].map(commit => queue.push(commit, 1)));
    await queue.end();
    assert.deepEqual(groups, [
      ['a', 'b', 'c'],
      ['c', 'd'],
    ]);
  });

  test('ends at once if no commit waits', async () => {
    await new CommitQueue<string>({write: async () => []}).end();
  });
});
