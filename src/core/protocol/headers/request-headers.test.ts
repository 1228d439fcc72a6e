import {expect, test} from 'vitest';
import {readRequestHeaders} from './request-headers.ts';

test('headers are read by their names in any case, in their order, and a second one is kept', () => {
  const headers = readRequestHeaders(['Host', 'a', 'ETag', 'x', 'hOST', 'b', 'If-Unmodified-Since', 'c', 'X-Moz', 'd']);
  expect(headers.host).toEqual(['a', 'b']);
  expect(headers['if-unmodified-since']).toEqual(['c']);
  expect(headers.purpose).toEqual(['d']);
});

test('each name is read', () => {
  for (const name of Object.keys(readRequestHeaders([])))
    expect(
      Object.entries(readRequestHeaders([name, 'value'])).filter(([, values]) => values.length > 0),
      name,
    ).toEqual([[name, ['value']]]);
});

test('nothing is left of a request for the next one', () => {
  readRequestHeaders(['Cookie', 'a', 'Cookie', 'b']);
  expect(readRequestHeaders([]).cookie).toEqual([]);
});
