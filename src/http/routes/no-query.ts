import {invalidParameter, parseQuery} from '../core/route.ts';

/**
 * Checks that a read that published plugins call gets no parameter but `_`, whose random value `jQuery.ajax({cache: false})` adds.
 *
 * @throws {AppError} `invalid-parameter`.
 */
export function assertNoQueryButRandom(query: string): void {
  if (!RANDOM.test(query)) assertNoQuery(query);
}

/** The query that jQuery makes, for an operation without parameters. */
const RANDOM = /^_=[0-9]{1,20}$/;

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
