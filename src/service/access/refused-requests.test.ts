import {describe, expect, test} from 'vitest';
import type {AccessMode, OneRefused, Permission} from '../../core/domain/access/access.ts';
import {RefusedRequestList} from './refused-requests.ts';

const READ: OneRefused = {
  ...{plugin: 'com.a', method: 'GET', route: '/api/store/{key}', path: '/api/store/com.b/x'},
  permission: 'entries:read:com.b/',
};

/** A list, the permissions of each plugin, and a clock that goes on with each refusal. */
function make(mode: AccessMode = 'attributed') {
  const granted = new Map<string, readonly Permission[]>();
  let nowMs = 0;
  const grants = {of: (plugin: string): readonly Permission[] => granted.get(plugin) ?? []};
  return {granted, list: new RefusedRequestList({mode, grants, nowMs: () => ++nowMs})};
}

describe('RefusedRequestList', () => {
  test('shows the last refusals, newest first, without their routes', () => {
    const {list} = make();
    list.add(READ);
    list.add({...READ, plugin: 'com.c'});
    const {route: _, ...shown} = READ;
    expect(list.list()).toEqual([
      {...shown, plugin: 'com.c', count: 1, refusedAtMs: 2},
      {...shown, count: 1, refusedAtMs: 1},
    ]);
  });

  test('counts those of equal plugin, method, route and permission as one, at the time and with the path of the last', () => {
    const {list} = make();
    list.add(READ);
    const others: readonly Partial<OneRefused>[] = [
      {plugin: 'com.c'},
      {method: 'PUT'},
      {route: '/api/entries'},
      {permission: 'entries:read:com.d/'},
    ];
    for (const other of others) list.add({...READ, ...other});
    list.add({...READ, path: '/api/store/com.b/y'});
    expect(list.list().map(({count, refusedAtMs}) => [count, refusedAtMs])).toEqual([
      [2, 6],
      [1, 5],
      [1, 4],
      [1, 3],
      [1, 2],
    ]);
    expect(list.list()[0]?.path).toBe('/api/store/com.b/y');
  });

  test('keeps a hundred, and drops the one whose last refusal is longest ago', () => {
    const {list} = make();
    for (let number = 1; number <= 100; number++) list.add({...READ, route: `/${number}`, path: `/${number}`});
    expect(list.list().length).toBe(100);
    list.add({...READ, route: '/1', path: '/1'});
    list.add({...READ, route: '/101', path: '/101'});
    const paths = list.list().map(({path}) => path);
    expect([paths.length, ...paths.slice(0, 3), paths.at(-1)]).toEqual([100, '/101', '/1', '/100', '/3']);
  });

  test('shows none that has been granted since, and shows it again once that was taken back', () => {
    const {list, granted} = make();
    list.add(READ);
    list.add({...READ, plugin: 'com.c'});
    granted.set('com.a', ['entries:read:']);
    expect(list.list().map(({plugin}) => plugin)).toEqual(['com.c']);
    list.add(READ);
    granted.clear();
    expect(list.list().map(({plugin, count}) => [plugin, count])).toEqual([
      ['com.c', 1],
      ['com.a', 1],
    ]);
  });

  test('keeps nothing in the mode "open", in which nothing is lacking, and nothing of other requests', () => {
    const open = make('open').list;
    open.add(READ);
    const {list} = make('strict');
    list.add(undefined);
    expect([open.list(), list.list()]).toEqual([[], []]);
    list.add(READ);
    expect(list.list().length).toBe(1);
  });
});
