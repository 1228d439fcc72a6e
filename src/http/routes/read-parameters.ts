import type {GenericSchema} from 'valibot';
import {checkValue, MISSING, UNKNOWN} from '../../documents/problems.ts';
import {invalidParameter, parseQuery} from '../core/route.ts';

/** Words for problems that parameters and members have in common. */
const PROBLEMS: Readonly<Record<string, string>> = {
  [MISSING]: 'it is required',
  [UNKNOWN]: 'the operation has no such parameter',
};

/**
 * Reads a query by its schema.
 *
 * @throws {AppError} `invalid-parameter` with the first problem; also for a parameter that the schema lacks.
 */
export function readParameters<T>(query: string, schema: GenericSchema<unknown, T>): T {
  const checked = checkValue(schema, parseQuery(query));
  if ('value' in checked) return checked.value;
  const [
    {
      keys: [name = ''],
      problem,
    },
  ] = checked.found;
  throw invalidParameter(String(name), PROBLEMS[problem] ?? problem);
}
