import {AppError} from './failure.ts';
import {formatPath} from './json-path.ts';

/**
 * What a schema of zod, valibot, arktype and others is: version 1 of the Standard Schema specification
 * (standardschema.dev), as much of it as is needed to check a value.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** What came of checking a value: what the schema makes of it, or what is wrong with it. */
export type StandardResult<Output> =
  | {readonly value: Output; readonly issues?: undefined}
  | {readonly issues: readonly StandardIssue[]};

/** One thing that is wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | {readonly key: PropertyKey})[] | undefined;
}

/**
 * Checks the value of an entry.
 *
 * @returns What the schema makes of it.
 * @throws {AppError} `invalid-value` with every problem.
 */
export async function validateValue<T>(key: string, value: unknown, schema: StandardSchema<T>): Promise<T> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({message, path = []}) => ({
    path: formatPath(path.map(part => (typeof part === 'object' ? part.key : part))),
    problem: message,
  }));
  throw new AppError({code: 'invalid-value', key, problems});
}
