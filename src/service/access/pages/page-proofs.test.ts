import {describe, expect, test} from 'vitest';
import type {LabelledPlugin} from '../../../core/domain/plugins/page-proofs.ts';
import {DerivedProofs} from './page-proofs.ts';

const LONG = `com.${'a'.repeat(249)}`;
const PLUGINS: readonly LabelledPlugin[] = [
  {id: 'com.a', label: 'com-a-1234abcd1234abcd'},
  {id: 'COM.A', label: 'com-a-5678abcd5678abcd'},
  {id: 'com.ab', label: 'com-ab-1234abcd1234abcd'},
  {id: LONG, label: `com-${'a'.repeat(36)}-1234abcd1234abcd`},
];

function make(key = new Uint8Array(32), plugins = PLUGINS) {
  return new DerivedProofs({key, list: () => plugins});
}

describe('DerivedProofs', () => {
  test('gives each plugin a label of its own that is one of a host name, also if ids look alike or are very long', () => {
    const proofs = make();
    const labels = PLUGINS.map(plugin => proofs.labelOf(plugin) ?? '');
    expect(new Set(labels).size).toBe(PLUGINS.length);
    for (const [index, label] of labels.entries()) {
      expect(label).toMatch(/^[a-z0-9][a-z0-9_-]{0,62}$/);
      expect(new URL(`http://${label}.crewroom.localhost/`).hostname).toBe(`${label}.crewroom.localhost`);
      expect(proofs.findPlugin(label)).toBe(PLUGINS[index]?.id);
    }
  });

  test('gives the same labels for the same key, and others for another', () => {
    const [plugin = {id: 'none'}] = PLUGINS;
    expect(make().labelOf(plugin)).toBe(make().labelOf(plugin));
    const other = make(new Uint8Array(32).fill(1)).labelOf(plugin) ?? '';
    expect(other).not.toBe(make().labelOf(plugin));
    expect(make().findPlugin(other)).toBeUndefined();
  });

  test('finds no plugin by a label without the whole secret', () => {
    const proofs = make();
    const label = proofs.labelOf({id: 'com.a', label: 'com-a-1234abcd1234abcd'}) ?? '';
    const secret = label.slice(-32);
    for (const wrong of [
      ...[
        '',
        'com-a-1234abcd1234abcd',
        'com-a-1234abcd1234abcd-',
        secret,
        `-${secret}`,
        label.slice(0, -1),
        `${label}0`,
      ],
      ...[
        `${label.slice(0, -1)}g`,
        label.toUpperCase(),
        `com-ab-1234abcd1234abcd-${secret}`,
        `com-a-1234abcd1234abcd-${'0'.repeat(32)}`,
      ],
    ])
      expect(proofs.findPlugin(wrong), wrong).toBeUndefined();
  });

  test('gives labels that stay the same in later versions, since an origin keeps what its page stored', () => {
    const proofs = make();
    expect(PLUGINS.map(plugin => proofs.labelOf(plugin))).toEqual([
      'com-a-1234abcd-35d8fa5c5e13baefe4bc2a6cd4dc3c94',
      'com-a-5678abcd-0f07d7865f94ba9c3be1e6bbb85815c1',
      'com-ab-1234abcd-7c7c2c5724f0394eadf8ead750998876',
      'com-aaaaaaaaaaaaaaaaaaaaaaaaaa-89b42185bbc0c65ec169fac491aceffc',
    ]);
  });

  test('finds a plugin among others without a page, and by no other label of its length', () => {
    const proofs = make(undefined, [{id: 'com.none'}, ...PLUGINS, {id: 'com.nothing'}]);
    const label = proofs.labelOf({id: 'com.a', label: 'com-a-1234abcd1234abcd'}) ?? '';
    expect(proofs.findPlugin(label)).toBe('com.a');
    const flipped = label.endsWith('0') ? '1' : '0';
    expect(proofs.findPlugin(label.slice(0, -1) + flipped)).toBeUndefined();
  });

  test('finds no plugin that was removed, and gives none without a page a label', () => {
    const label = make().labelOf({id: 'com.a', label: 'com-a-1234abcd1234abcd'}) ?? '';
    expect(make(undefined, PLUGINS.slice(1)).findPlugin(label)).toBeUndefined();
    expect(make().labelOf({id: 'com.c'})).toBeUndefined();
  });
});
