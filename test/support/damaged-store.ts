import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {parseKey} from '../../src/core/domain/entries/identifiers.ts';
import {put, write} from '../contracts/shared/assertions.ts';
import {makeDirectory, openStore, putOf, writeWal} from './store-fixture.ts';

/**
 * Makes a closed store with the entry `a` of revision 1, and a log of 20 more commits as a killed service leaves it, of which that of revision 10
 * has a flipped bit.
 */
export async function makeDamaged(): Promise<{readonly directory: string; readonly id: string; readonly rest: string}> {
  const directory = await makeDirectory();
  const store = await openStore(directory);
  await write(store, put('a', '1'));
  await store[Symbol.asyncDispose]();
  const storePath = join(directory, 'store');
  const commits = Array.from({length: 20}, (_, index) => [putOf(index + 2, `late/${index + 2}`, `"${index + 2}"`)]);
  commits[18] = [putOf(20, 'late/19', '"again"')];
  const groups = [...commits.slice(0, 19), [{kind: 'delete' as const, key: parseKey('a'), revision: 21}]];
  const ends = await writeWal(storePath, groups, Date.parse('2026-01-02T03:04:05Z'));
  const bytes = await readFile(join(storePath, 'wal-0'));
  const at = (ends[7] ?? 0) + 50;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(join(storePath, 'wal-0'), bytes);
  return {directory, id: store.id, rest: join(directory, 'rest.ndjson')};
}
