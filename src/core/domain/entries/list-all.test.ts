import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {AppError} from '../../failures/app-error.ts';
import type {ListOptions, Page} from './entries.ts';
import type {EntryInfo} from './entry.ts';
import {parseKey} from './identifiers.ts';
import {listAll} from './list-all.ts';

/** Entries that answer with pages of two, and record what they were asked for. */
function pagesOf(...keys: readonly string[]): {
  readonly asked: ListOptions[];
  readonly list: (options?: ListOptions) => Promise<Page<never>>;
} {
  const asked: ListOptions[] = [];
  const list = async (options: ListOptions = {}): Promise<Page<never>> => {
    asked.push(options);
    const from = options.after === undefined ? 0 : keys.indexOf(options.after) + 1;
    const entries = keys
      .slice(from, from + 2)
      .map((key): EntryInfo => ({key: parseKey(key), revision: 1, sizeBytes: 1, updatedAtMs: 0}));
    const cursor = from + 2 < keys.length ? entries.at(-1)?.key : undefined;
    return {entries: entries as never[], ...(cursor === undefined ? {} : {cursor})};
  };
  return {asked, list};
}

describe('listAll()', () => {
  test('iterates over the entries of all pages, each from the cursor of the one before', async () => {
    const entries = pagesOf('a', 'b', 'c', 'd', 'e');
    const keys: string[] = [];
    for await (const {key} of listAll(entries, {prefix: 'p', reverse: true, pageLimit: 7})) keys.push(key);
    assert.deepEqual(keys, ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(
      entries.asked,
      [undefined, 'b', 'd'].map(after => ({prefix: 'p', reverse: true, limit: 7, after})),
    );
  });

  test('begins after the given cursor', async () => {
    const entries = pagesOf('a', 'b', 'c');
    const keys: string[] = [];
    for await (const {key} of listAll(entries, {after: 'b'})) keys.push(key);
    assert.deepEqual(keys, ['c']);
  });

  test('reads no page that the caller does not reach', async () => {
    const entries = pagesOf('a', 'b', 'c', 'd');
    for await (const {key} of listAll(entries)) if (key === 'b') break;
    assert.equal(entries.asked.length, 1);
  });

  test('ends at once if there is no entry', async () => {
    const entries = pagesOf();
    for await (const _ of listAll(entries)) assert.fail('an entry');
    assert.equal(entries.asked.length, 1);
  });

  test('asks for pages of the default size unless it is told another', async () => {
    const entries = pagesOf('a');
    for await (const _ of listAll(entries));
    assert.deepEqual(entries.asked, [{limit: undefined, after: undefined}]);
  });

  test('reads nothing before it is iterated, and each iteration reads anew', async () => {
    const entries = pagesOf('a', 'b', 'c');
    const first = listAll(entries);
    const second = listAll(entries);
    assert.equal(entries.asked.length, 0);
    const keys: string[] = [];
    for await (const {key} of first) keys.push(key);
    for await (const {key} of second) keys.push(key);
    assert.deepEqual(keys, ['a', 'b', 'c', 'a', 'b', 'c']);
  });

  test('continues after a page without entries, as long as it has a cursor', async () => {
    const pages: Page<never>[] = [{entries: [], cursor: 'a'}, {entries: [], cursor: 'b'}, {entries: []}];
    const asked: unknown[] = [];
    const list = async ({after}: ListOptions = {}): Promise<Page<never>> => {
      asked.push(after);
      return pages[asked.length - 1] ?? assert.fail('read too far');
    };
    for await (const _ of listAll({list})) assert.fail('an entry');
    assert.deepEqual(asked, [undefined, 'a', 'b']);
  });

  test('throws the failure of a page after the entries of the pages before it', async () => {
    const failure = new AppError({code: 'store-closed'});
    const {list} = pagesOf('a', 'b', 'c');
    const keys: string[] = [];
    const failing = async (options: ListOptions = {}): Promise<Page<never>> => {
      if (options.after !== undefined) throw failure;
      return list(options);
    };
    await assert.rejects(async () => {
      for await (const {key} of listAll({list: failing})) keys.push(key);
    }, failure);
    assert.deepEqual(keys, ['a', 'b']);
  });

  test('passes on that values are wanted', async () => {
    const entries = pagesOf('a');
    for await (const _ of listAll(entries, {values: true}));
    assert.deepEqual(entries.asked, [{values: true, limit: undefined, after: undefined}]);
  });
});
