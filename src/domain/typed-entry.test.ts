import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Entry} from './entry.ts';
import {encodeJsonText} from './json-text.ts';
import {parseKey} from './key.ts';
import type {StandardResult, StandardSchema} from './standard-schema.ts';
import {readTyped} from './typed-entry.ts';

function entryOf(text: string): Entry {
  const json = encodeJsonText(text);
  return {key: parseKey('k'), revision: 7, sizeBytes: json.length, updatedAtMs: 1, json};
}

function schemaOf<T>(validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>): StandardSchema<T> {
  return {'~standard': {version: 1, vendor: 'test', validate}};
}

describe('readTyped()', () => {
  test('keeps numbers in the text that JavaScript cannot represent', async () => {
    const entry = await readTyped(entryOf('{"id": 9007199254740993}'), {});
    assert.equal(entry.text, '{"id": 9007199254740993}');
    assert.deepEqual(entry.value, {id: 9007199254740992});
  });

  test('parses a value only when it is read, and once', async () => {
    const entry = await readTyped<object>(
      {...entryOf('{}'), json: Buffer.from('{') as Uint8Array as Entry['json']},
      {},
    );
    assert.equal(entry.revision, 7);
    assert.throws(() => entry.value, SyntaxError);
    const other = await readTyped<object>(entryOf('{}'), {});
    assert.equal(other.value, other.value);
  });

  test('has the output of a schema as its value, beside the stored text', async () => {
    const schema = schemaOf(value => ({value: Number(value) * 2}));
    const {value, text} = await readTyped(entryOf('21'), {schema});
    assert.deepEqual([value, text], [42, '21']);
  });
});
