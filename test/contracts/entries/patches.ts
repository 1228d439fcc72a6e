import assert from 'node:assert/strict';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, assertFailsWith, textOf} from '../shared/assertions.ts';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from '../shared/samples.ts';
import type {OpenedEntries} from './opened-entries.ts';

const RACERS = 50;
const HALF = 'x'.repeat(DEFAULT_LIMITS.valueBytesMax / 2);

const REFUSED: readonly {readonly name: string; readonly patch: string | Uint8Array; readonly failure: Failure}[] = [
  {
    name: 'a patch that is not JSON',
    patch: '{"a":}',
    failure: {code: 'invalid-json', problem: 'expected a value, found "}"', position: 5},
  },
  {
    name: 'a patch that is not UTF-8',
    patch: Uint8Array.of(0x22, 0xff, 0x22),
    failure: {code: 'invalid-json', problem: 'expected UTF-8, found the byte 0xff', position: 1},
  },
  {
    name: 'a patch that nests too deep',
    patch: '['.repeat(DEFAULT_LIMITS.valueDepthMax + 1),
    failure: {code: 'value-too-deep', depthMax: DEFAULT_LIMITS.valueDepthMax, position: DEFAULT_LIMITS.valueDepthMax},
  },
  {
    name: 'a patch that is too large',
    patch: `{"b":"${HALF}${HALF}"}`,
    failure: {code: 'too-large', what: 'value', max: DEFAULT_LIMITS.valueBytesMax},
  },
  {
    name: 'a patch that makes the value too large',
    patch: `{"b":"${HALF}"}`,
    failure: {code: 'too-large', what: 'value', max: DEFAULT_LIMITS.valueBytesMax},
  },
];

/** Patches change members and leave everything else as it was written. */
export const ENTRIES_PATCHES: ContractPart<OpenedEntries> = {
  name: 'patches',
  tests: [
    {
      name: 'changes, adds and removes members',
      async run({entries}) {
        await entries.put('a', Buffer.from('{"id":12345678901234567890, "b":{"c":1.0,"d":2},"e":[null]}'));
        const {revision} = await entries.patch('a', Buffer.from('{"b":{"d":null,"f":-0},"g":true}'));
        assert.equal(revision, 2);
        const entry = await entries.get('a');
        assert.equal(textOf(entry), '{"id":12345678901234567890, "b":{"c":1.0,"f":-0},"e":[null],"g":true}');
        assert.equal(entry?.revision, 2);
      },
    },
    {
      name: 'leaves every member that it does not name byte for byte',
      async run({entries}) {
        for (const text of SAMPLE_TEXTS) {
          await entries.put('a', Buffer.from(`{"kept": ${text}\n,"n":0}`));
          await entries.patch('a', {n: 1});
          assert.equal(textOf(await entries.get('a')), `{"kept": ${text}\n,"n":1}`);
        }
      },
    },
    {
      name: 'creates an entry where there is none, under any key',
      async run({entries}) {
        for (const key of SAMPLE_KEYS) {
          await entries.patch(key, Buffer.from('{"a":null,"b":1.0}'));
          assert.equal(textOf(await entries.get(key)), '{"b":1.0}');
        }
      },
    },
    {
      name: 'replaces the value by one that is not an object',
      async run({entries}) {
        await entries.put('a', {b: 1});
        for (const text of ['[1.0,null]', '"text"', 'null']) {
          await entries.patch('a', Buffer.from(text));
          assert.equal(textOf(await entries.get('a')), text);
        }
      },
    },
    {
      name: 'accepts bytes like text, and copies them at the call',
      async run({entries}) {
        const bytes = new TextEncoder().encode(' {"b":1}\n');
        const written = entries.patch('a', bytes);
        bytes.fill(0x58);
        await written;
        assert.equal(textOf(await entries.get('a')), '{"b":1}');
      },
    },
    {
      name: 'patches only if the condition holds',
      async run({entries}) {
        const conflict = (expected: string, actual: string): Failure => ({
          code: 'revision-conflict',
          conflicts: [{key: 'a', expected, actual}],
        });
        await assertFails(entries.patch('a', {b: 1}, {expected: 'present'}), conflict('present', 'absent'));
        await entries.patch('a', {b: 1}, {expected: 'absent'});
        await assertFails(entries.patch('a', {b: 2}, {expected: 'absent'}), conflict('absent', '1'));
        await assertFails(entries.patch('a', {b: 2}, {expected: 7}), conflict('7', '1'));
        assert.equal(textOf(await entries.get('a')), '{"b":1}');
        await entries.patch('a', {c: 2}, {expected: [1, 7]});
        assert.equal(textOf(await entries.get('a')), '{"b":1,"c":2}');
      },
    },
    {
      name: 'applies the patch of each of fifty writers once',
      async run({entries}) {
        const written = await Promise.all(
          Array.from({length: RACERS}, (_, racer) => entries.patch('a', Buffer.from(`{"racer ${racer}":${racer}}`))),
        );
        assert.equal(new Set(written.map(({revision}) => revision)).size, RACERS);
        const value = JSON.parse(textOf(await entries.get('a')) ?? '') as object;
        assert.deepEqual(
          Object.values(value).sort((a, b) => a - b),
          [...Array(RACERS).keys()],
        );
      },
    },
    {
      name: 'treats special names of the language as data',
      async run({entries}) {
        await entries.patch('a', Buffer.from('{"__proto__":{"polluted":true},"constructor":1}'));
        await entries.patch('a', Buffer.from('{"__proto__":{"b":1},"constructor":null}'));
        assert.equal(textOf(await entries.get('a')), '{"__proto__":{"polluted":true,"b":1}}');
        assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
      },
    },
    ...REFUSED.map(({name, patch, failure}) => ({
      name: `refuses ${name}`,
      run: async ({entries}: OpenedEntries) => {
        const before = `{"a":"${HALF}"}`;
        await entries.put('a', Buffer.from(before));
        await assertFails(entries.patch('a', Buffer.from(patch)), failure);
        assert.equal(textOf(await entries.get('a')), before);
      },
    })),
    {
      name: 'refuses an invalid key',
      async run({entries}) {
        for (const key of ['', '..', 'a\nb']) await assertFailsWith(entries.patch(key, {}), 'invalid-key');
      },
    },
  ],
};
