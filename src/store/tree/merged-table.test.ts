import {expect, test} from 'vitest';
import {parseKey, parsePrefix} from '../../core/domain/entries/identifiers.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import {keyBytesOf} from '../lmdb/key-bytes.ts';
import {share, type TableRange} from '../lmdb/table.ts';
import {entryRecordOf, FrozenWrites} from '../wal/memtable.ts';
import {MergedTable, type ScannedTable, scanEntries, scanOf} from './scan.ts';

const RANGE = {prefix: parsePrefix(''), limit: 100};

/** A table of which the engine finds an end at a damaged page, from either side. */
function tableEndingAt(forwards: readonly string[], backwards: readonly string[]): ScannedTable {
  const keys = ({start, reverse = false, limit = Infinity}: TableRange): Buffer[] => {
    const from = start === undefined ? undefined : Buffer.from(start);
    return (reverse ? backwards : forwards)
      .map(key => Buffer.from(key))
      .filter(key => from === undefined || (reverse ? Buffer.compare(key, from) <= 0 : Buffer.compare(key, from) >= 0))
      .slice(0, limit);
  };
  return {
    keys,
    range: range => keys(range).map(key => ({key: keyBytesOf(key), value: share(recordOf(key.toString()))})),
  };
}

function recordOf(text: string): Buffer {
  const key = parseKey(text);
  const write = writesOf([text]).find(key);
  return (write === undefined ? undefined : entryRecordOf(key, write)) ?? Buffer.alloc(0);
}

function writesOf(keys: readonly string[]): FrozenWrites {
  const writes = keys.map(text => {
    const key = parseKey(text);
    const put = {kind: 'put', key, json: encodeJsonText('1')} as const;
    return [key, {revision: 1, updatedAtMs: 1, put, expiresAtMs: undefined, expiredAtMs: undefined}] as const;
  });
  return new FrozenWrites(new Map(writes));
}

for (const {name, reverse, recent} of [
  {name: 'forwards, with a key behind it', reverse: false, recent: 'z'},
  {name: 'backwards, with a key before it', reverse: true, recent: 'A'},
]) {
  test(`a damaged page below is not hidden by what is on top: ${name}`, () => {
    const table = new MergedTable(writesOf([recent]), tableEndingAt(['a', 'b'], ['d', 'c']));
    expect(() => scanEntries(table, scanOf({...RANGE, reverse}, 0))).toThrow(/damaged/);
  });
}

test('entries of the upper table are merged with those of the lower one, in both directions', () => {
  const sound = tableEndingAt(['a', 'b', 'd'], ['d', 'b', 'a']);
  const table = new MergedTable(writesOf(['0', 'b', 'c', 'é']), sound);
  const keys = ['0', 'a', 'b', 'c', 'd', 'é'];
  const listed = (reverse: boolean) => scanEntries(table, scanOf({...RANGE, reverse}, 0)).entries.map(({key}) => key);
  expect(listed(false)).toEqual(keys);
  expect(listed(true)).toEqual(keys.toReversed());
});
