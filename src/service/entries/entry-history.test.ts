import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {test} from 'vitest';
import type {Store} from '../../core/domain/commits/store.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {EntryService} from './entry-service.ts';

const KEY = parseKey('a');

function openStore(): Store {
  return openMemoryStore({nowMs: Date.now, elapsedMs: () => performance.now(), randomBytes});
}

/** Writes other entries, each with a commit of its own. */
async function writeOthers(entries: EntryService, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await entries.put(parseKey(`b${index % 100}`), index);
}

test('a history is read over any number of other changes, and ends where the log begins', async () => {
  await using store = openStore();
  const entries = new EntryService({store});
  await entries.put(KEY, 1);
  await writeOthers(entries, 2500);
  await entries.put(KEY, 2);
  await writeOthers(entries, 1500);
  const {changes} = await entries.history(KEY);
  assert.deepEqual(
    changes.map(({kind, revision}) => [kind, revision]),
    [
      ['written', 2502],
      ['written', 1],
      ['log-begins', 0],
    ],
  );
});

test('a page looks at 20,000 changes, and its cursor goes on behind them', async () => {
  await using store = openStore();
  const entries = new EntryService({store});
  await entries.put(KEY, 1);
  await writeOthers(entries, 20_500);
  const first = await entries.history(KEY);
  assert.deepEqual(first.changes, []);
  const {changes, cursor} = await entries.history(KEY, {after: first.cursor});
  assert.deepEqual([changes.map(({kind}) => kind), cursor], [['written', 'log-begins'], undefined]);
});

test('a page looks at no more changes of large transactions than its limit and those of a first step', async () => {
  await using store = openStore();
  const entries = new EntryService({store});
  const operations = Array.from({length: 1000}, (_, index) => ({kind: 'put', key: `b${index}`, value: 1}) as const);
  for (let count = 0; count < 40; count++) await entries.transact({operations});
  const {changes, cursor} = await entries.history(KEY);
  const [, lookedAt] = /-(\d+)$/.exec(cursor ?? '') ?? [];
  assert.deepEqual([changes, Number(lookedAt)], [[], 21]);
});
