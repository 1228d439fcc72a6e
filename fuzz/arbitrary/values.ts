import fc from 'fast-check';
import type {Schema} from '../document.ts';
import {CHARACTERS, KEYS, ODD_VALUES} from './texts.ts';

/** Maximum length of arrays, unless their limit is tested. */
const ITEMS_MAX = 4;

/** Members whose meaning their schema does not describe: an arbitrary text would never name an existing entry. */
const NAMED: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  key: KEYS,
  ttlSeconds: fc.oneof(fc.constantFrom(null, 1, 60, 315_360_000), fc.integer({min: 1, max: 100_000})),
};

/** Creates JSON values that satisfy a schema; supports the keywords of the document. */
export function valuesOf(schema: Schema, resolve: (schema: Schema) => Schema): fc.Arbitrary<unknown> {
  const resolved = resolve(schema);
  const alternatives = (resolved['anyOf'] ?? resolved['oneOf']) as readonly Schema[] | undefined;
  if (alternatives !== undefined) return fc.oneof(...alternatives.map(each => valuesOf(each, resolve)));
  if ('const' in resolved) return fc.constant(resolved['const']);
  if ('enum' in resolved) return fc.constantFrom(...(resolved['enum'] as readonly unknown[]));
  switch (resolved['type']) {
    case 'object':
      return objectsOf(resolved, resolve);
    case 'array':
      return fc.array(valuesOf((resolved['items'] ?? {}) as Schema, resolve), {maxLength: ITEMS_MAX});
    case 'integer':
    case 'number':
      return numbersOf(resolved);
    case 'string':
      return textsOf(resolved);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({maxDepth: 3});
  }
}

function objectsOf(schema: Schema, resolve: (schema: Schema) => Schema): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    // A named text stands for any value that the schema accepts, but null only if the schema accepts null.
    NAMED[name]?.filter(value => value !== null || JSON.stringify(member).includes('"null"')) ??
      valuesOf(member, resolve),
  ]);
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {requiredKeys: [...required]});
}

function numbersOf(schema: Schema): fc.Arbitrary<number> {
  const min = Math.max(Number(schema['minimum'] ?? -1000), Number.MIN_SAFE_INTEGER);
  const max = Math.min(Number(schema['maximum'] ?? 1000), Number.MAX_SAFE_INTEGER);
  return fc.oneof(fc.constantFrom(min, max), fc.integer({min, max}), fc.integer({min, max: Math.min(max, min + 10)}));
}

function textsOf(schema: Schema): fc.Arbitrary<string> {
  if (typeof schema['pattern'] === 'string') return fc.stringMatching(new RegExp(schema['pattern']));
  const minLength = Number(schema['minLength'] ?? 0);
  const maxLength = Math.min(Number(schema['maxLength'] ?? 20), minLength + 20);
  return fc.string({unit: CHARACTERS, minLength, maxLength});
}

/** A change to a value somewhere within it. */
export interface Spoiling {
  /** Index of the place, among all places. */
  readonly place: number;
  readonly kind: 'replace' | 'remove' | 'add' | 'repeat';
  readonly odd: unknown;
}

/** Changes that mostly make a valid value invalid. */
export const SPOILINGS: fc.Arbitrary<Spoiling> = fc.record({
  place: fc.nat({max: 50}),
  kind: fc.constantFrom('replace', 'remove', 'add', 'repeat'),
  odd: ODD_VALUES,
});

/** A value with a change. */
export function spoil(value: unknown, {place, kind, odd}: Spoiling): unknown {
  const holders = placesOf(value);
  if (holders.length === 0) return odd;
  const [holder, name] = holders[place % holders.length] as readonly [object, string];
  if (kind === 'replace') return replace(value, holder, members => [...members].map(set(name, odd)));
  if (kind === 'remove') return replace(value, holder, members => members.filter(([each]) => each !== name));
  if (kind === 'add') return replace(value, holder, members => [...members, ['__proto__', odd], ['more', odd]]);
  return replace(value, holder, members => members.flatMap(member => [member, member]));
}

function set(name: string, odd: unknown): (member: readonly [string, unknown]) => readonly [string, unknown] {
  return ([each, value]) => [each, each === name ? odd : value];
}

/** Every member and item, with the object or array that contains it. */
function placesOf(value: unknown): readonly (readonly [holder: object, name: string])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [[value, name] as const, ...placesOf(member)]);
}

type Members = readonly (readonly [string, unknown])[];

function replace(value: unknown, holder: object, change: (members: Members) => Members): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, replace(member, holder, change)] as const);
  const changed = value === holder ? change(members) : members;
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}
