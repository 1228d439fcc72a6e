import {FailureError} from '../../failures/failure-error.ts';
import {formatPath} from '../../json/json-path.ts';
import {decodeJsonText} from '../../json/json-text.ts';
import type {Entry, ListedEntry} from './entry.ts';
import type {HistoryPage} from './history.ts';

/** An entry with its value as bytes, text and JavaScript value. */
export interface TypedEntry<T = unknown> extends Entry {
  /** The ETag of the entry: for `If-Match`, and for `expected` of a later write. */
  readonly etag: `"${string}"`;
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
export async function readTyped<T>(entry: Entry & ListedEntry, {schema}: SchemaOption<T>): Promise<TypedEntry<T>> {
  const typed = withForms<T, Entry & ListedEntry>(entry);
  return schema === undefined ? typed : {...typed, value: await validateValue(entry.key, typed.value, schema)};
}

/** Adds text and value to what has the bytes of a value. Both are computed at the first access. */
export function withForms<T, E extends Pick<Entry, 'json'>>(entry: E): E & Pick<TypedEntry<T>, 'text' | 'value'> {
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

/**
 * The common interface of schemas of zod, valibot, arktype and others: the part of version 1 of the Standard Schema
 * specification (standardschema.dev) that validates a value.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) =>
      | {readonly value: Output; readonly issues?: undefined}
      | {
          readonly issues: readonly {
            readonly message: string;
            readonly path?: readonly (PropertyKey | {readonly key: PropertyKey})[] | undefined;
          }[];
        } extends infer Result
      ? Result | Promise<Result>
      : never;
  };
}

/** The result of a validation: the output of the schema, or the issues. */
export type StandardResult<Output> = Awaited<ReturnType<StandardSchema<Output>['~standard']['validate']>>;

/**
 * Validates the value of an entry.
 *
 * @returns The output of the schema.
 * @throws {AppError} `invalid-value` with every problem.
 */
export async function validateValue<T>(key: string, value: unknown, schema: StandardSchema<T>): Promise<T> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({message, path = []}) => ({
    path: formatPath(path.map(part => (typeof part === 'object' ? part.key : part))),
    problem: message,
  }));
  throw new FailureError({code: 'invalid-value', key, problems});
}

/** Adds text and value to the values of a history that have bytes. */
export function withHistoryForms<T>({changes, ...page}: HistoryPage): HistoryPage<T> {
  const typed = changes.map(change =>
    change.kind === 'written' && change.json !== undefined
      ? withForms<T, typeof change & Pick<Entry, 'json'>>({...change, json: change.json})
      : change,
  );
  return {...page, changes: typed as HistoryPage<T>['changes']};
}
