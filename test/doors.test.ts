import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {type Door, exportsOf, findUnnamed, listTypes} from './support/api/list-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const {exports} = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly exports: Readonly<Record<string, string | {readonly types: string}>>;
};

function doorOf(path: string): Door {
  const target = exports[path];
  if (typeof target !== 'object') return expect.fail(`there is no door ${path}`);
  return {name: path.replace('.', 'crewroom'), file: `${root}${target.types}`, owner: ''};
}

const SERVICE = doorOf('.');
const CLIENT = doorOf('./client');
const TESTING = doorOf('./testing');

/** Types of which `Failure` is computed: `Extract<Failure, {code: …}>` names each member of the union. */
const COMPUTED = /^(?:\w+Failure|\w+Members|FailureIn|CaseOf|Flat|BackEndStage|FailureError)$/;

/** Values of which types are computed, marks of checked texts, and functions. */
const VALUES = /^(?:[a-z]|[A-Z_]+$)/;

describe('the doors of the package', () => {
  test('have no more names than a maker of a client can read through', () => {
    expect(exportsOf(SERVICE).length).toBeLessThanOrEqual(90);
    expect(exportsOf(CLIENT).length).toBeLessThanOrEqual(54);
  });

  // A door whose programs also use another one may leave names to that.
  for (const {door, beside} of [
    {door: SERVICE, beside: []},
    {door: CLIENT, beside: []},
    {door: doorOf('./client/service'), beside: [CLIENT]},
    {door: doorOf('./client/transfer'), beside: [CLIENT]},
    {door: TESTING, beside: [SERVICE]},
  ])
    test(`name every type that ${door.name} mentions`, () => {
      const unnamed = findUnnamed([door, ...beside]).filter(name => !COMPUTED.test(name) && !VALUES.test(name));
      expect(unnamed).toEqual([]);
    });

  test('show nothing of what only commands and tests use', () => {
    const types = listTypes([SERVICE]);
    expect(types).toContain('interface Crewroom ');
    expect(types).not.toMatch(
      /\b(?:note|looked)\(|readonly (?:random|timers|faults|pilots|nowMs|ephemeral)\b|interface Config\b/,
    );
  });

  test('do not hand the whole service to the test of a plugin', () => {
    const [, loaded = ''] = /\/\/ LoadedPlugin\n([\s\S]*?)\n\}/.exec(listTypes([TESTING])) ?? [];
    expect(loaded).toContain('readonly entries: Entries;');
    expect(loaded).not.toContain('Crewroom');
  });
});
