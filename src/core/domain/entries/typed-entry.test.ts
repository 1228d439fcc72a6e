import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {encodeJsonText} from '../../json/json-text.ts';
import type {Entry, ListedEntry} from './entry.ts';
import {parseKey} from './identifiers.ts';
import {readTyped, type StandardResult, type StandardSchema} from './typed-entry.ts';

function entryOf(text: string): Entry & ListedEntry {
  const json = encodeJsonText(text);
  return {key: parseKey('k'), revision: 7, etag: '"a-7"', sizeBytes: json.length, updatedAtMs: 1, json};
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

  test('keeps everything else of the entry', async () => {
    const entry = {...entryOf('[1]'), expiresAtMs: 5};
    for (const options of [{}, {schema: schemaOf(value => ({value}))}]) {
      const {text: _, value: __, ...rest} = await readTyped(entry, options);
      assert.deepEqual(rest, entry);
    }
  });

  test('computes the text once, so that it stays when the caller reuses the bytes', async () => {
    const entry = entryOf('"before"');
    const typed = await readTyped(entry, {});
    assert.equal(typed.text, '"before"');
    entry.json.fill(0x20);
    assert.equal(typed.text, '"before"');
    assert.equal(typed.value, 'before');
  });

  for (const text of ['null', 'false', '0', '""', '[]', '{"__proto__":1}', '{"a":1,"a":2}', '"\\ud800"', '1e400']) {
    test(`has the value of JSON.parse for ${text}, with a schema and without`, async () => {
      const [plain, validated] = [
        await readTyped(entryOf(text), {}),
        await readTyped(entryOf(text), {schema: schemaOf(value => ({value}))}),
      ];
      assert.deepEqual(plain.value, JSON.parse(text));
      assert.deepEqual(validated.value, JSON.parse(text));
      assert.deepEqual([plain.text, validated.text], [text, text]);
    });
  }

  test('rejects a value that the schema refuses, and names the key of the entry', async () => {
    const schema = schemaOf<number>(() => ({issues: [{message: 'has to be a number'}]}));
    await assert.rejects(readTyped(entryOf('"1"'), {schema}), {
      failure: {code: 'invalid-value', key: 'k', problems: [{path: '$', problem: 'has to be a number'}]},
    });
  });

  test('validates at once, and not at each access', async () => {
    let calls = 0;
    const schema = schemaOf(value => ({value: [value, ++calls]}));
    const entry = await readTyped(entryOf('1'), {schema});
    assert.deepEqual([entry.value, entry.value, calls], [[1, 1], [1, 1], 1]);
  });
});
