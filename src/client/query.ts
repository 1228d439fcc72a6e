import {HALF_SURROGATE_PAIR} from '../core/domain/entries/identifiers.ts';
import {refusedParameter} from '../core/failures/failure-error.ts';

/**
 * Formats the query of a URL, with its question mark. Returns an empty text if every parameter is undefined.
 *
 * @throws {AppError} `invalid-parameter` for half of a surrogate pair, which a URL cannot carry. The service checks everything else.
 */
export function formatQuery(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encode(name, String(value))}`,
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

function encode(parameter: string, text: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text);
  throw refusedParameter(parameter, HALF_SURROGATE_PAIR);
}
