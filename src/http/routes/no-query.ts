import {invalidParameter, parseQuery} from '../core/route.ts';

/**
 * Checks that an operation without parameters gets none: a parameter that is silently ignored would mislead its sender.
 *
 * @throws {AppError} `invalid-parameter`.
 */
export function assertNoQuery(query: string): void {
  if (query === '') return;
  const [parameter = ''] = Object.keys(parseQuery(query));
  throw invalidParameter(parameter, 'the operation has no such parameter');
}
