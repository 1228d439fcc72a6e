import {FailureError} from '../../failures/failure-error.ts';
import {formatPath} from '../../json/json-path.ts';

/**
 * The common interface of schemas of zod, valibot, arktype and others: the part of version 1 of the Standard Schema
 * specification (standardschema.dev) that validates a value.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** The result of a validation: the output of the schema, or the issues. */
export type StandardResult<Output> =
  | {readonly value: Output; readonly issues?: undefined}
  | {readonly issues: readonly StandardIssue[]};

/** One problem of a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | {readonly key: PropertyKey})[] | undefined;
}

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
