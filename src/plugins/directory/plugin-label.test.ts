import {describe, expect, test} from 'vitest';
import {labelOf} from './plugin-label.ts';

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
