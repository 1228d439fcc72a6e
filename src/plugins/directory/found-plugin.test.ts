import {expect, test} from 'vitest';
import type {PluginId} from '../../domain/plugins/plugin-id.ts';
import {assignIds, EMPTY, type FoundPlugin} from './found-plugin.ts';
import {INSTALLED_HALVES} from './plugin-halves.ts';

function found(id: string, others: Partial<FoundPlugin> = {}): FoundPlugin {
  const about = {name: id, version: '1', type: 'user', description: '', allowedCommunities: []} as const;
  const manifest = {...about, id: id as PluginId, availableSettings: new Map()};
  const parts = {hasPage: true, hasBackground: false, icons: [], stamp: '', inDevelopment: false, problems: []};
  return {...parts, halves: INSTALLED_HALVES, warnings: [], id, directory: `/plugins/${id}`, manifest, ...others};
}

function problemsOf(plugins: readonly FoundPlugin[]): readonly unknown[] {
  return plugins.map(({id, manifest, problems}) => [id, manifest !== undefined, ...problems]);
}

test('of two ids that lead to one host name, the later plugin is broken, with its reason', () => {
  const first = {id: 'com.b', inDevelopment: true};
  expect(problemsOf(assignIds([found('com.b', first), found('com.a'), found('com.c')], id => id.slice(4, 5)))).toEqual([
    ['com.a', true],
    ['com.b', true],
    ['com.c', true],
  ]);
  expect(problemsOf(assignIds([found('com.b', first), found('com.a'), found('com.c')], () => 'same'))).toEqual([
    ['com.a', false, {path: '$.id', problem: 'leads to the same host name as "com.b"'}],
    ['com.b', true],
    ['com.c', false, {path: '$.id', problem: 'leads to the same host name as "com.b"'}],
  ]);
});

test('a broken plugin takes no host name from another', () => {
  const broken = found('com.b', {manifest: undefined, problems: [EMPTY]});
  expect(problemsOf(assignIds([broken, found('com.a')], () => 'same'))).toEqual([
    ['com.a', true],
    ['com.b', false, EMPTY],
  ]);
});
