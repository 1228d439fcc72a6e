import type {Entry} from './entry.ts';
import {decodeJsonText} from './json-text.ts';
import {type StandardSchema, validateValue} from './standard-schema.ts';

/** An entry with its value in all forms. */
export interface TypedEntry<T = unknown> extends Entry {
  /** The value as it was written: also what JavaScript numbers cannot hold, such as large integers. */
  readonly text: string;
  /**
   * What the schema made of the value; without a schema what `JSON.parse` makes of it, when it is first asked for, and
   * then `T` is just what you say it is.
   */
  readonly value: T;
}

/** What a value has to be. */
export interface SchemaOption<T> {
  /** Any schema that follows Standard Schema, such as those of zod, valibot or arktype. */
  readonly schema?: StandardSchema<T> | undefined;
}

/**
 * Adds the other forms of its value to an entry. Without a schema they are made when they are asked for.
 *
 * @throws {AppError} `invalid-value` with every problem that the schema found.
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
