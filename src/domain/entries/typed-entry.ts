import {decodeJsonText} from '../../json/json-text.ts';
import type {Entry} from './entry.ts';
import {type StandardSchema, validateValue} from './standard-schema.ts';

/** An entry with its value as bytes, text and JavaScript value. */
export interface TypedEntry<T = unknown> extends Entry {
  /** The value as it was written, including numbers that JavaScript cannot represent. */
  readonly text: string;
  /**
   * The output of the schema. Without a schema, the result of `JSON.parse`, computed at the first access; `T` is then
   * not checked.
   */
  readonly value: T;
}

/** Validation of values. */
export interface SchemaOption<T> {
  /** Any schema that follows Standard Schema, such as those of zod, valibot or arktype. */
  readonly schema?: StandardSchema<T> | undefined;
}

/**
 * Adds text and value to an entry. Without a schema both are computed at the first access.
 *
 * @throws {AppError} `invalid-value` with every issue of the schema.
 */
export async function readTyped<T>(entry: Entry, {schema}: SchemaOption<T>): Promise<TypedEntry<T>> {
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
