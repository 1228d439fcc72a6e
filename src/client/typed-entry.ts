import type {Entry} from '../domain/entry.ts';
import {decodeJsonText} from '../domain/json-text.ts';
import type {ReadOptions, TypedEntry} from './client-entries.ts';
import {validateValue} from './standard-schema.ts';

/** Adds the other forms of its value to an entry. Without a schema they are made when they are asked for. */
export async function readTyped<T>(entry: Entry, {schema}: ReadOptions<T>): Promise<TypedEntry<T>> {
  const typed = withForms<T>(entry);
  return schema === undefined ? typed : {...typed, value: await validateValue(entry.key, typed.value, schema)};
}

function withForms<T>(entry: Entry): TypedEntry<T> {
  let text: string | undefined;
  let parsed: {readonly value: T} | undefined;
  return {
    ...entry,
    get text() {
      text ??= decodeJsonText(entry.json);
      return text;
    },
    get value() {
      parsed ??= {value: JSON.parse(this.text) as T};
      return parsed.value;
    },
  };
}
