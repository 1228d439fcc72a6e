import assert from 'node:assert/strict';
import * as v from 'valibot';
import {describe, onTestFinished, test} from 'vitest';
import type {Entries} from '../../core/domain/entries/entries.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {EntryService} from './entry-service.ts';
import {ValueEntries} from './typed-entries.ts';

function open(): Entries {
  const store = openMemoryStore({nowMs: () => 0, elapsedMs: () => 0});
  onTestFinished(() => store[Symbol.asyncDispose]());
  return new ValueEntries(new EntryService({store}), store.id);
}

function codeIs(code: FailureCode) {
  return (error: {readonly failure?: {readonly code: string}}) => error.failure?.code === code;
}

describe('the entries of a program that embeds the service', () => {
  const calls: readonly (readonly [name: string, call: (entries: Entries, key: string) => Promise<unknown>])[] = [
    ['get', (entries, key) => entries.get(key)],
    ['put', (entries, key) => entries.put(key, 1)],
    ['patch', (entries, key) => entries.patch(key, {})],
    ['touch', (entries, key) => entries.touch(key, 1)],
    ['delete', (entries, key) => entries.delete(key)],
    ['transact', (entries, key) => entries.transact({operations: [{kind: 'delete', key}]})],
  ];
  for (const [name, call] of calls) {
    test(`${name}() rejects an invalid key, and does not throw`, async () => {
      const called = call(open(), '..');
      await assert.rejects(called, codeIs('invalid-key'));
    });
  }

  for (const ttlSeconds of [0, -1, 1.5, Number.NaN, 315_360_001]) {
    test(`put() and touch() reject ${ttlSeconds} as a time to live`, async () => {
      const entries = open();
      await assert.rejects(entries.put('a', 1, {ttlSeconds}), codeIs('invalid-parameter'));
      await assert.rejects(entries.touch('a', ttlSeconds), codeIs('invalid-parameter'));
      assert.equal(await entries.get('a'), undefined);
    });
  }

  test('reports the key before the time to live, and that before the value', async () => {
    const entries = open();
    await assert.rejects(entries.put('', Buffer.from('{'), {ttlSeconds: 0}), codeIs('invalid-key'));
    await assert.rejects(entries.put('a', Buffer.from('{'), {ttlSeconds: 0}), codeIs('invalid-parameter'));
    await assert.rejects(entries.put('a', Buffer.from('{'), {ttlSeconds: 1}), codeIs('invalid-json'));
  });

  test('put() and patch() pass the expected revision on', async () => {
    const entries = open();
    await entries.put('a', 1, {expected: 'absent'});
    await assert.rejects(entries.put('a', 2, {expected: 'absent'}), codeIs('revision-conflict'));
    await assert.rejects(entries.patch('a', 2, {expected: 7}), codeIs('revision-conflict'));
    assert.equal((await entries.get('a'))?.text, '1');
  });

  test('touch() with null removes the time of expiry', async () => {
    const entries = open();
    await entries.put('a', 1, {ttlSeconds: 5});
    assert.equal((await entries.get('a'))?.expiresAtMs, 5000);
    await entries.touch('a', null);
    assert.equal((await entries.get('a'))?.expiresAtMs, undefined);
  });

  test('get() returns the text as it was written, and the value that JSON.parse makes of it', async () => {
    const entries = open();
    await entries.put('a', Buffer.from('{"id": 12345678901234567890, "n": 1.0}'));
    const entry = await entries.get<{readonly n: number}>('a');
    assert.equal(entry?.text, '{"id": 12345678901234567890, "n": 1.0}');
    assert.equal(entry.value.n, 1);
    assert.equal(await entries.get('b'), undefined);
  });

  for (const [name, value] of [
    ['undefined', undefined],
    ['a function', () => 1],
    ['a BigInt', 1n],
  ] as const) {
    test(`put() rejects ${name}, which has no JSON text`, async () => {
      await assert.rejects(open().put('a', value), codeIs('invalid-value'));
    });
  }

  describe('with a schema', () => {
    const schema = v.object({volume: v.optional(v.number(), 5)});

    test('get() and list() return what the schema makes of the values', async () => {
      const entries = open();
      await entries.put('a', {});
      assert.deepEqual((await entries.get('a', {schema}))?.value, {volume: 5});
      const {entries: listed} = await entries.list({values: true, schema});
      assert.deepEqual(
        listed.map(({key, value}) => [key, value]),
        [['a', {volume: 5}]],
      );
    });

    test('get(), list() and listAll() reject a value that the schema refuses', async () => {
      const entries = open();
      await entries.put('a', {volume: 'loud'});
      await assert.rejects(entries.get('a', {schema}), codeIs('invalid-value'));
      await assert.rejects(entries.list({values: true, schema}), codeIs('invalid-value'));
      await assert.rejects(async () => {
        for await (const _ of entries.listAll({values: true, schema}));
      }, codeIs('invalid-value'));
    });

    test('list() without values does not read them', async () => {
      const entries = open();
      await entries.put('a', {volume: 'loud'});
      const {entries: listed} = await entries.list();
      assert.deepEqual(
        listed.map(each => 'json' in each),
        [false],
      );
    });
  });

  test('listAll() reads page after page, and deleteRange() deletes all of them', async () => {
    const entries = open();
    for (let index = 0; index < 7; index++) await entries.put(`k${index}`, index);
    const values: unknown[] = [];
    for await (const {value} of entries.listAll({values: true, pageLimit: 3})) values.push(value);
    assert.deepEqual(values, [0, 1, 2, 3, 4, 5, 6]);
    assert.equal(await entries.deleteRange({prefix: 'k'}), 7);
  });
});
