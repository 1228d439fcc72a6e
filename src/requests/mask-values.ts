import {hideSecrets} from '../domain/redaction.ts';

/** Number of parameters whose values are masked in a message, which names only one of them: the first wrong one. */
const PARAMETERS_MAX = 32;

/** Shortest value that may be a secret, in UTF-16 units: shorter ones, such as numbers, also occur in messages by chance. */
const SECRET_LENGTH_MIN = 4;

/**
 * Masks the values of parameters, and parameters without a name, in a message about them.
 *
 * @param target The target of the request.
 * @param parameter The parameter in the message, perhaps shortened.
 */
export function maskValues(
  message: string,
  {target, parameter}: {readonly target: string; readonly parameter: string},
): string {
  const query = target.slice(target.indexOf('?') + 1);
  const parts = query.split('&');
  const shown = parts.slice(0, PARAMETERS_MAX).map(part => part.slice(part.indexOf('=') + 1));
  const values = [query, ...shown].flatMap(value => [value, decode(value)]);
  // Its beginning alone may be a secret too.
  if (parts.some(part => !part.includes('=') && isBeginning(parameter, part))) values.push(parameter);
  return hideSecrets(
    message,
    values.filter(value => value.length >= SECRET_LENGTH_MIN),
  );
}

function isBeginning(parameter: string, part: string): boolean {
  return [part, decode(part)].some(text => text.slice(0, parameter.length).toWellFormed() === parameter);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}
