import {execFileSync} from 'node:child_process';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';
import {describe, expect, test} from 'vitest';
import {EFFECT_FILE} from '../../src/plugins/background/runtime/program/places.ts';

const requireOfPackage = createRequire(import.meta.url);
const requireOfBundle = createRequire(EFFECT_FILE);

describe('the bundle of effect for plugins', () => {
  for (const door of ['effect', 'effect/Option', 'effect/Schema', 'effect/FastCheck', 'effect/Function']) {
    test(`${door} has the exports of the package, for require and for import`, async () => {
      const expected = Object.keys(requireOfPackage(door)).sort();
      expect(expected.length).toBeGreaterThan(5);
      expect(Object.keys(requireOfBundle(door)).sort()).toEqual(expected);
      const file = requireOfBundle.resolve(door).replace(/\.cjs$/, '.mjs');
      expect(Object.keys(await import(pathToFileURL(file).href)).sort()).toEqual(expected);
    });
  }

  test('has the version of the package, and the licences of what is in it', () => {
    expect(requireOfBundle('effect/package.json').version).toBe(requireOfPackage('effect/package.json').version);
    for (const name of ['effect', 'fast-check', 'pure-rand'])
      expect(() => requireOfBundle.resolve(`./LICENSE-${name}`)).not.toThrow();
  });

  test('runs programs, and is one instance for require and for import', () => {
    // A process of its own: the runner of the tests would load the modules in its own way.
    const program = `
      const {createRequire} = require('node:module');
      const requireOfBundle = createRequire(${JSON.stringify(EFFECT_FILE)});
      const {Effect, Option} = requireOfBundle('effect');
      import(requireOfBundle.resolve('effect/Option').replace(/cjs$/, 'mjs')).then(imported =>
        console.log(Effect.runSync(Effect.succeed(7)), imported.some === Option.some));`;
    expect(execFileSync(process.execPath, ['-e', program], {encoding: 'utf8'})).toBe('7 true\n');
  });
});
