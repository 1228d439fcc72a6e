import {describe, expect, test} from 'vitest';
import {CHANGES_BYTES_MAX, type Change} from '../../core/domain/commits/store.ts';
import {type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import type {Plan, PlannedWrite} from '../plan/plan.ts';
import {Memtable} from './memtable.ts';

/** One write of a group. */
interface Written {
  readonly name: string;
  readonly expiresAtMs?: number;
  readonly expiredAtMs?: number;
  /** True for a removal. */
  readonly isRemoved?: boolean;
}

const VALUE = encodeJsonText('12345');
const FEW = {keysMax: 100, changesMax: 100, groupsMax: 100};

/** A group whose changes have one revision. */
function group(revision: number, ...written: readonly Written[]): Plan {
  const writes = new Map<Key, PlannedWrite>();
  const changes: Change[] = [];
  for (const {name, expiresAtMs, expiredAtMs, isRemoved = false} of written) {
    const key = parseKey(name);
    const put = isRemoved ? undefined : ({kind: 'put', key, json: VALUE} as const);
    writes.set(key, {revision, updatedAtMs: 1, put, expiresAtMs, expiredAtMs});
    const sizeBytes = VALUE.length;
    changes.push(isRemoved ? {kind: 'delete', key, revision} : {kind: 'put', key, revision, sizeBytes, json: VALUE});
  }
  return {...{writes, changes, revision}, stale: [], seenExpiryMs: 0, nowMs: 1, updatedAtMs: 1, results: []};
}

function memtableOf(...groups: readonly Plan[]): Memtable {
  const memtable = new Memtable();
  for (const each of groups) memtable.add(each);
  return memtable;
}

describe('Memtable', () => {
  test('counts its groups, changes and bytes, and knows its first and its last revision', () => {
    const figures = ({groups, changes, bytes, oldestRevision, revision}: Memtable): readonly unknown[] => [
      groups,
      changes,
      bytes,
      oldestRevision,
      revision,
    ];
    const memtable = memtableOf();
    expect(figures(memtable)).toEqual([0, 0, 0, undefined, undefined]);
    const groups = [group(3, {name: 'a'}, {name: 'bcd', isRemoved: true}), group(4, {name: 'a'})];
    for (const each of groups) memtable.add(each);
    expect(figures(memtable)).toEqual([2, 3, 1 + 5 + 3 + 1 + 5, 3, 4]);
    memtable.remove(groups.slice(0, 1));
    expect(figures(memtable)).toEqual([1, 1, 6, 4, 4]);
    memtable.remove(groups.slice(1));
    expect(figures(memtable)).toEqual([0, 0, 0, undefined, undefined]);
  });

  test('finds the last write of a key until that is removed, and returns what nothing replaced', () => {
    const [first, second] = [group(1, {name: 'a'}, {name: 'b'}), group(2, {name: 'b'}, {name: 'c'})];
    const memtable = memtableOf(first, second);
    const revisionsOf = (): readonly unknown[] => ['a', 'b', 'c'].map(name => memtable.find(parseKey(name))?.revision);
    expect(revisionsOf()).toEqual([1, 2, 2]);
    expect(memtable.remove([first]).map(([key, {revision}]) => [key, revision])).toEqual([['a', 1]]);
    expect(revisionsOf()).toEqual([undefined, 2, 2]);
    expect(memtable.remove([second]).map(([key]) => key)).toEqual(['b', 'c']);
    expect(revisionsOf()).toEqual([undefined, undefined, undefined]);
  });

  test('freezes its writes: later ones and removals do not change them', () => {
    const first = group(1, {name: 'b'}, {name: 'a'});
    const memtable = memtableOf(first);
    const frozen = memtable.freeze();
    expect(memtable.freeze()).toBe(frozen);
    memtable.add(group(2, {name: 'a'}, {name: 'c'}));
    const later = memtable.freeze();
    memtable.remove([first]);
    const last = memtable.freeze();
    const shown = [frozen, later, last].map(each =>
      each
        .sortedKeys()
        .map(key => `${key}${each.find(key)?.revision}`)
        .join(' '),
    );
    expect(shown).toEqual(['a1 b1', 'a2 b1 c2', 'a2 c2']);
  });

  const expiries: readonly {readonly name: string; readonly groups: readonly Plan[]; readonly touches: boolean}[] = [
    {name: 'no write', groups: [], touches: false},
    {name: 'writes without a time', groups: [group(1, {name: 'a'}), group(2, {name: 'b'})], touches: false},
    {name: 'a write with a time', groups: [group(1, {name: 'b'}, {name: 'a', expiresAtMs: 5})], touches: true},
    {name: 'a write that ends one', groups: [group(1, {name: 'a', expiredAtMs: 5})], touches: true},
    {
      name: 'one that was replaced',
      groups: [group(1, {name: 'a', expiredAtMs: 5}), group(2, {name: 'a'})],
      touches: true,
    },
  ];
  for (const {name, groups, touches} of expiries)
    test(`${touches ? 'touches' : 'does not touch'} the table of expiries with ${name}`, () => {
      expect(memtableOf(...groups).touchesExpiries).toBe(touches);
    });

  const FIVE = [
    group(1, {name: 'a'}),
    group(2, {name: 'a'}, {name: 'b'}),
    group(3, {name: 'b'}),
    group(4, {name: 'c'}, {name: 'd'}),
    group(5, {name: 'e'}),
  ];
  const limits: readonly {readonly limit: Partial<typeof FEW>; readonly groups: number}[] = [
    {limit: {}, groups: 5},
    {limit: {groupsMax: 2}, groups: 2},
    {limit: {groupsMax: 5}, groups: 5},
    {limit: {changesMax: 1}, groups: 1},
    {limit: {changesMax: 3}, groups: 2},
    {limit: {changesMax: 4}, groups: 3},
    {limit: {changesMax: 5}, groups: 4},
    {limit: {keysMax: 1}, groups: 1},
    {limit: {keysMax: 2}, groups: 2},
    {limit: {keysMax: 3}, groups: 4},
    {limit: {keysMax: 4}, groups: 4},
    {limit: {keysMax: 5}, groups: 5},
  ];
  for (const {limit, groups} of limits)
    test(`gives its first ${groups} of five groups for the limit ${JSON.stringify(limit)}`, () => {
      const memtable = memtableOf(...FIVE);
      expect(memtable.first({...FEW, ...limit}).map(({revision}) => revision)).toEqual(
        [1, 2, 3, 4, 5].slice(0, groups),
      );
      expect(memtable.groups).toBe(5);
    });

  test('gives no group behind the one that reaches the limit of keys, even if it has none of its own', () => {
    const memtable = memtableOf(group(1, {name: 'a'}, {name: 'b'}), group(2, {name: 'a'}));
    expect(memtable.first({...FEW, keysMax: 2}).map(({revision}) => revision)).toEqual([1]);
  });

  test('reaches a limit with so many keys, changes or groups', () => {
    const memtable = memtableOf(...FIVE);
    const reached = [{keysMax: 5}, {keysMax: 6}, {changesMax: 7}, {changesMax: 8}, {groupsMax: 5}, {groupsMax: 6}];
    expect(reached.map(limit => memtable.reaches({...FEW, ...limit}))).toEqual([true, false, true, false, true, false]);
  });
});

describe('the changes of a memtable', () => {
  const groups = [
    group(3, {name: 'a'}, {name: 'b'}),
    group(4, {name: 'c'}),
    group(5, {name: 'd'}, {name: 'e', isRemoved: true}),
  ];
  const read = (after: number, limit: number, before: readonly Change[] = []): string =>
    memtableOf(...groups)
      .readChanges(after, limit, before)
      .map(({key, revision}) => `${key}${revision}`)
      .join(' ');

  test('begin after a revision, and end with the commit that reaches the limit', () => {
    expect([0, 3, 4, 5].map(after => read(after, 100))).toEqual(['a3 b3 c4 d5 e5', 'c4 d5 e5', 'd5 e5', '']);
    expect([1, 2, 3, 4, 5].map(limit => read(0, limit))).toEqual([
      'a3 b3',
      'a3 b3',
      'a3 b3 c4',
      'a3 b3 c4 d5 e5',
      'a3 b3 c4 d5 e5',
    ]);
  });

  test('follow those that were read from the tree', () => {
    const before: readonly Change[] = [1, 2, 3].map(revision => ({kind: 'delete', key: parseKey('t'), revision}));
    expect(read(0, 100, before)).toBe('t1 t2 t3 c4 d5 e5');
    expect(read(0, 4, before)).toBe('t1 t2 t3 c4');
    expect(read(0, 3, before)).toBe('t1 t2 t3');
  });

  test('end with the commit whose values reach the limit of bytes', () => {
    const sizeBytes = CHANGES_BYTES_MAX - 15;
    const [large] = [
      {kind: 'put', key: parseKey('t'), revision: 1, sizeBytes, json: encodeJsonText('1'.repeat(sizeBytes))},
    ] as const;
    expect(read(0, 100, [large])).toBe('t1 a3 b3 c4');
    expect(read(0, 100, [{...large, json: encodeJsonText('1'.repeat(sizeBytes + 1))}])).toBe('t1 a3 b3 c4');
    expect(read(0, 100, [{...large, json: encodeJsonText('1'.repeat(sizeBytes + 5))}])).toBe('t1 a3 b3');
  });

  test('are copies, which their reader may change', () => {
    const memtable = memtableOf(...groups);
    const values = memtable.readChanges(0, 100, []).map(change => (change.kind === 'put' ? change.json : undefined));
    for (const value of values) value?.fill(0);
    expect(values.map(value => value?.length)).toEqual([5, 5, 5, 5, undefined]);
    const again = memtable.readChanges(0, 100, []).map(change => (change.kind === 'put' ? change.json : undefined));
    expect(again.map(value => value && Buffer.from(value).toString())).toEqual([...Array(4).fill('12345'), undefined]);
  });

  test('have no value where the log of changes keeps none', () => {
    const change = {kind: 'put', key: parseKey('a'), revision: 1, sizeBytes: 5} as const;
    const memtable = memtableOf({...group(1, {name: 'a'}), changes: [change]});
    expect(memtable.readChanges(0, 100, [])).toEqual([change]);
  });

  test('are those of whole commits, also of a group that was read in part', () => {
    const memtable = memtableOf({
      ...group(3),
      changes: [1, 2, 3].flatMap(revision => group(revision, {name: 'a'}, {name: 'b'}).changes),
    });
    const revisions = (after: number, limit: number): readonly number[] =>
      memtable.readChanges(after, limit, []).map(({revision}) => revision);
    expect([0, 1, 2, 3].map(after => revisions(after, 100))).toEqual([[1, 1, 2, 2, 3, 3], [2, 2, 3, 3], [3, 3], []]);
    expect([0, 1, 2, 3].map(limit => revisions(1, limit))).toEqual([[], [2, 2], [2, 2], [2, 2, 3, 3]]);
  });
});
