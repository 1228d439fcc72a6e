import {invalidParameter, parseQuery} from '../core/route.ts';

/**
 * For operations without parameters.
 *
 * @throws {AppError} `invalid-parameter` for any: one that is ignored would promise what nobody keeps.
 */
export function refuseQuery(query: string): void {
  if (query === '') return;
  const [parameter = ''] = Object.keys(parseQuery(query));
  throw invalidParameter(parameter, 'the operation has no such parameter');
}
