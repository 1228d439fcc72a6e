import {describe, expect, test} from 'vitest';
import type {ListMoment} from '../../domain/range.ts';
import {KeptPages} from './kept-pages.ts';
import type {HttpAnswer} from './message.ts';

const MOMENT: ListMoment = {revision: 7, nowMs: 1000};

interface Asked {
  readonly sizeBytes?: number;
  readonly expiresAtMs?: number;
  readonly before?: ListMoment;
  readonly after?: ListMoment;
}

function ask(pages: KeptPages, query: string, asked: Asked = {}): HttpAnswer {
  const {sizeBytes = 10, expiresAtMs = Infinity, before = MOMENT, after = before} = asked;
  return pages.add(query, {text: new Uint8Array(sizeBytes), expiresAtMs}, {before, after});
}

function askTwice(pages: KeptPages, query: string, options?: Asked): HttpAnswer {
  ask(pages, query, options);
  return ask(pages, query, options);
}

describe('KeptPages', () => {
  test('keeps a page that was asked for twice, until the revision changes', () => {
    const pages = new KeptPages();
    ask(pages, 'limit=1');
    expect(pages.find('limit=1', MOMENT)).toBe(undefined);
    const kept = ask(pages, 'limit=1');
    expect(pages.find('limit=1', MOMENT)).toBe(kept);
    expect(pages.find('limit=2', MOMENT)).toBe(undefined);
    expect(pages.find('limit=1', {...MOMENT, revision: 8})).toBe(undefined);
    const newer = {...MOMENT, revision: 8};
    askTwice(pages, 'limit=2', {before: newer});
    expect(pages.find('limit=1', newer)).toBe(undefined);
  });

  test('keeps a page until the millisecond in which it expires', () => {
    const pages = new KeptPages();
    const kept = askTwice(pages, '', {expiresAtMs: 2000});
    expect(pages.find('', {...MOMENT, nowMs: 1999})).toBe(kept);
    expect(pages.find('', {...MOMENT, nowMs: 2000})).toBe(undefined);
  });

  test('keeps no page that was read while the store changed', () => {
    const pages = new KeptPages();
    const after = {...MOMENT, revision: 8};
    askTwice(pages, '', {after});
    expect(pages.find('', MOMENT)).toBe(undefined);
    expect(pages.find('', after)).toBe(undefined);
  });

  test('keeps at most 4 MiB, the newest pages, and none that takes most of it', () => {
    const pages = new KeptPages();
    const queries = [1, 2, 3, 4, 5].map(limit => `limit=${limit}`);
    for (const query of queries) askTwice(pages, query, {sizeBytes: 1_000_000});
    expect(queries.map(query => pages.find(query, MOMENT) !== undefined)).toEqual([false, true, true, true, true]);
    askTwice(pages, 'values=true', {sizeBytes: 4_500_000});
    expect([...queries, 'values=true'].filter(query => pages.find(query, MOMENT) !== undefined)).toEqual(
      queries.slice(1),
    );
  });

  test('remembers short queries that were asked once, and few long ones', () => {
    for (const {length, isKept} of [
      {length: 10, isKept: true},
      {length: 8000, isKept: false},
    ]) {
      const pages = new KeptPages();
      for (let count = 0; count < 500; count++) ask(pages, String(count).padStart(length, 'q'));
      ask(pages, '0'.padStart(length, 'q'));
      expect(pages.find('0'.padStart(length, 'q'), MOMENT) !== undefined, String(length)).toBe(isKept);
    }
  });
});
