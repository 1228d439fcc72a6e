import assert from 'node:assert/strict';
import {test} from 'vitest';
import {createEntryInfo} from '../../src/domain/entries/entry.ts';
import {parseKey} from '../../src/domain/entries/key.ts';
import {trustStoredJson} from '../../src/json/json-text.ts';
import type {KnownHead} from '../../src/store/shared/engine/head.ts';
import {ValueReader} from '../../src/store/shared/value-reader.ts';
import {put, textOf, write} from '../contracts/shared/assertions.ts';
import {openStoreIn} from '../support/shared-stores.ts';
import {SimulatedEngine} from '../support/simulated-engine.ts';

test('a cached value is a copy, which does not keep the memory of its commit', async () => {
  const values = new ValueReader(new SimulatedEngine().connect());
  const commit = Buffer.from('"large""small"');
  const json = trustStoredJson(commit.subarray(7));
  const key = parseKey('a');
  values.notice([{kind: 'put', key, revision: 1, sizeBytes: json.length, json}]);
  // Had the cache kept the bytes of the commit, they would change with it.
  commit.fill(0);
  const info = createEntryInfo({key, revision: 1, sizeBytes: json.length, updatedAtMs: 1});
  const entry = await values.read(info, {} as KnownHead);
  assert.equal(Buffer.from(entry.json).toString(), '"small"');
});

test('a value that was read from the engine keeps none of the memory of its answer', async () => {
  const engine = new SimulatedEngine();
  const text = JSON.stringify('x'.repeat(5000));
  await using writer = await openStoreIn(engine.connect());
  await write(writer, put('a', text));
  const info = createEntryInfo({key: parseKey('a'), revision: 1, sizeBytes: text.length, updatedAtMs: 1});
  const head = {head: {checkpoint: {revision: 0}}} as KnownHead;
  const entry = await new ValueReader(engine.connect()).read(info, head);
  assert.equal(textOf(entry), text);
  assert.equal(entry.json.buffer.byteLength, text.length);
});
