import {describe, expect, test} from 'vitest';
import type {PluginId} from '../../core/domain/plugins/plugin-id.ts';
import {assignIds, EMPTY, type FoundPlugin, labelOf} from './found-plugin.ts';
import {INSTALLED_HALVES} from './plugin-halves.ts';

function found(id: string, others: Partial<FoundPlugin> = {}): FoundPlugin {
  const about = {name: id, version: '1', type: 'user', description: '', allowedCommunities: []} as const;
  const manifest = {...about, id: id as PluginId, availableSettings: new Map()};
  const parts = {hasPage: true, hasBackground: false, icons: [], stamp: '', inDevelopment: false, problems: []};
  return {
    ...parts,
    halves: INSTALLED_HALVES,
    warnings: [],
    id,
    label: labelOf(id),
    directory: `/plugins/${id}`,
    manifest,
    ...others,
  };
}

function problemsOf(plugins: readonly FoundPlugin[]): readonly unknown[] {
  return plugins.map(({id, manifest, problems}) => [id, manifest !== undefined, ...problems]);
}

test('of two ids that lead to one host name, the later plugin is broken, with its reason', () => {
  const first = {id: 'com.b', inDevelopment: true};
  expect(problemsOf(assignIds([found('com.b', first), found('com.a'), found('com.c')]))).toEqual([
    ['com.a', true],
    ['com.b', true],
    ['com.c', true],
  ]);
  const same = {label: 'same'};
  const plugins = [found('com.b', {...first, ...same}), found('com.a', same), found('com.c', same)];
  expect(problemsOf(assignIds(plugins))).toEqual([
    ['com.a', false, {path: '$.id', problem: 'leads to the same host name as "com.b"'}],
    ['com.b', true],
    ['com.c', false, {path: '$.id', problem: 'leads to the same host name as "com.b"'}],
  ]);
});

test('a broken plugin takes no host name from another', () => {
  const broken = found('com.b', {manifest: undefined, problems: [EMPTY], label: 'same'});
  expect(problemsOf(assignIds([broken, found('com.a', {label: 'same'})]))).toEqual([
    ['com.a', true],
    ['com.b', false, EMPTY],
  ]);
});

describe('labelOf()', () => {
  for (const {id, label} of [
    {id: 'com.example.hello', label: 'com-example-hello-7ed7a9a743958943'},
    {id: 'Com.Example_Hello', label: 'com-example_hello-'},
    {id: `a.${'b'.repeat(200)}`, label: `a-${'b'.repeat(38)}-`},
    {id: 'xn--a', label: 'xn-a-'},
    {id: 'xn---foo', label: 'xn-foo-'},
    {id: 'xn..-foo', label: 'xn-foo-'},
    {id: 'a', label: 'a-'},
  ]) {
    test(`of ${id.slice(0, 30)} is one label of a host name`, () => {
      expect(labelOf(id)).toMatch(/^[a-z0-9][a-z0-9_-]{0,56}$/);
      expect(labelOf(id).slice(0, label.length)).toBe(label);
      expect(new URL(`http://${labelOf(id)}.crewroom.localhost/`).hostname).toBe(`${labelOf(id)}.crewroom.localhost`);
    });
  }

  test('differs for ids whose hashes have the same first 32 bits', () => {
    const ids = [51672, 54575].map(index => `${'x'.repeat(40)}.${index}`);
    expect(new Set(ids.map(labelOf)).size).toBe(2);
  });

  test('differs for ids that look alike', () => {
    const ids = ['com.a.b', 'com-a-b', 'com.a-b', 'COM.a.b', `${'x'.repeat(50)}a`, `${'x'.repeat(50)}b`];
    expect(new Set(ids.map(labelOf)).size).toBe(ids.length);
  });
});
