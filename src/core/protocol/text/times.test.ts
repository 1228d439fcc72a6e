import {expect, test} from 'vitest';
import {documentReader, readTimes, writeDocument, writeTimes} from './times.ts';

test('times travel as texts, and come back', () => {
  const given = {startedAtMs: 1, endedAtMs: undefined, durationMs: 2, text: '3', at: '4'};
  const written = writeTimes(given);
  expect(written).toEqual({startedAt: '1970-01-01T00:00:00.001Z', durationMs: 2, text: '3', at: '4'});
  expect(readTimes<typeof given>(written)).toEqual(given);
});

test('so do those of the elements of lists, and nothing else changes', () => {
  const given = {
    plugins: [{startedAtMs: 1, routes: [{name: 'greetAt'}], warnings: ['a']}, {endedAtMs: 2}],
    cursor: 'b',
  };
  const written = writeDocument(given);
  expect(written.plugins).toEqual([
    {startedAt: '1970-01-01T00:00:00.001Z', routes: [{name: 'greetAt'}], warnings: ['a']},
    {endedAt: '1970-01-01T00:00:00.002Z'},
  ]);
  expect(documentReader('plugins')(JSON.stringify(written))).toEqual(given);
});

test('lists in lists stay lists', () => {
  expect(writeDocument({pages: [[1, 2]]})).toEqual({pages: [[1, 2]]});
});

test('a document of another program, without its list, is not read', () => {
  for (const json of ['{}', '{"requests": {}}', '[]', '1', 'null'])
    expect(() => documentReader<{readonly requests: readonly object[]}>('requests')(json), json).toThrow();
});

test('a member of a later version whose name ends like a time stays as it is unless it is a text', () => {
  expect(readTimes({repeat: 1, laterAt: 2, lookedAt: null})).toEqual({repeat: 1, laterAt: 2, lookedAt: null});
});
