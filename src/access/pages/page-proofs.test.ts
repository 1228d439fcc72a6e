import {describe, expect, test} from 'vitest';
import {type LabelledPlugin, withoutPageSecrets} from '../../domain/plugins/page-proofs.ts';
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

  test('finds no plugin that was removed, and gives none without a page a label', () => {
    const label = make().labelOf({id: 'com.a', label: 'com-a-1234abcd1234abcd'}) ?? '';
    expect(make(undefined, PLUGINS.slice(1)).findPlugin(label)).toBeUndefined();
    expect(make().labelOf({id: 'com.c'})).toBeUndefined();
  });
});

test('withoutPageSecrets() removes the secret wherever the name of a page is', () => {
  const secret = '0123456789abcdef0123456789abcdef';
  const host = `com-a-${secret}.crewroom.localhost`;
  const text = `at http://${host}:7172/plugins/com.a/app.js, ${host.toUpperCase()}, x.${host}`;
  expect(withoutPageSecrets(text).toLowerCase()).not.toContain(secret);
  expect(withoutPageSecrets(host.toUpperCase())).not.toContain(secret.toUpperCase());
  expect(withoutPageSecrets(`http://${host}:7172`)).toBe('http://com-a-….crewroom.localhost:7172');
  for (const other of ['', 'http://com-a-1234abcd1234abcd.crewroom.localhost:7172', `a-${secret}.example`])
    expect(withoutPageSecrets(other)).toBe(other);
});

test('withoutPageSecrets() removes it from malformed and cut names too', () => {
  const secret = '0123456789abcdef0123456789abcdef';
  for (const end of [
    '..crewroom.localhost',
    'crewroom.localhost',
    '.crewroom.localhos',
    '%2Ecrewroom.localhost',
    '.localhost:7172',
    ' .crewroom',
  ])
    for (const length of [32, 31, 17]) {
      const text = withoutPageSecrets(`http://com-a-${secret.slice(0, length)}${end}/x`);
      expect(text).not.toContain(secret.slice(0, 15));
      expect(text).toContain('http://com-a-…');
    }
});
