import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {describe, expect, test} from 'vitest';
import {hostFileOf} from '../../src/plugins/background/runtime/program/places.ts';

const requireOfPackage = createRequire(import.meta.url);
const requireOfBundle = createRequire(hostFileOf('effect'));

/** Folder of the bundles that the service loads. */
const OWN = fileURLToPath(new URL('../../dist/bundles', import.meta.url));

describe('the bundles of the service', () => {
  test('that of lmdb prints nothing: the service reports the errors that it throws', () => {
    expect(readFileSync(join(OWN, 'lmdb', 'bundle.cjs'), 'utf8')).not.toMatch(/\bconsole\./);
  });

  for (const folder of readdirSync(OWN)) {
    test(`${folder} has the licence of each package in it, and names for import`, async () => {
      const files = readdirSync(join(OWN, folder));
      const inside = Array.from(
        readFileSync(join(OWN, folder, 'bundle.cjs'), 'utf8').matchAll(/"node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g),
        ([, name = '']) => `LICENSE-${name.replace('/', '-')}`,
      );
      // A bundle of ES modules alone does not name its packages.
      expect(files).toEqual(expect.arrayContaining([...new Set(inside.length > 0 ? inside : [`LICENSE-${folder}`])]));
      for (const file of files.filter(name => name.endsWith('.mjs')))
        expect(Object.keys(await import(pathToFileURL(join(OWN, folder, file)).href)).length).toBeGreaterThan(3);
    });
  }

  test('are what its modules import, in place of the packages', () => {
    const dist = join(OWN, '..');
    const modules = readdirSync(dist, {recursive: true, encoding: 'utf8'}).filter(name =>
      /^(?!console|docs).*\.js$/.test(name),
    );
    const imported = new Set(
      modules.flatMap(name =>
        Array.from(
          readFileSync(join(dist, name), 'utf8').matchAll(/^(?:import|export) .*\bfrom '([^.'][^']*)'/gm),
          ([, specifier = '']) => specifier,
        ),
      ),
    );
    const {dependencies} = requireOfPackage('../../package.json') as {readonly dependencies: object};
    const others = [...imported].filter(name => !name.startsWith('node:') && !Object.hasOwn(dependencies, name));
    expect(others).toEqual([]);
  });
});

describe('the bundle of axios for plugins', () => {
  test('has the exports of the package, for require and for import, and its version', async () => {
    const requireOfAxios = createRequire(hostFileOf('axios'));
    const expected = Object.keys(requireOfPackage('axios')).sort();
    expect(expected).toContain('AxiosError');
    expect(Object.keys(requireOfAxios('axios')).sort()).toEqual(expected);
    const imported = await import(pathToFileURL(requireOfAxios.resolve('axios').replace(/cjs$/, 'mjs')).href);
    expect(Object.keys(imported).sort()).toEqual(expected.filter(name => name !== '__esModule'));
    expect(requireOfAxios('axios/package.json').version).toBe(requireOfPackage('axios/package.json').version);
  });
});

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
      const requireOfBundle = createRequire(${JSON.stringify(hostFileOf('effect'))});
      const {Effect, Option} = requireOfBundle('effect');
      import(requireOfBundle.resolve('effect/Option').replace(/cjs$/, 'mjs')).then(imported =>
        console.log(Effect.runSync(Effect.succeed(7)), imported.some === Option.some));`;
    expect(execFileSync(process.execPath, ['-e', program], {encoding: 'utf8'})).toBe('7 true\n');
  });
});
