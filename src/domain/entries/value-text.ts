import {messageOf} from '../../failures/error-text.ts';
import {FailureError} from '../../failures/failure-error.ts';

/** Returns the JSON text of a value. @throws {AppError} `invalid-value` if it has none. */
export function formatValue(key: string, value: unknown): string {
  let problem = 'has no JSON text';
  try {
    // Undefined for functions, symbols and undefined, contrary to the declared type.
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    problem += ` (${messageOf(error)})`;
  }
  throw invalidValue(key, problem);
}

/**
 * Checks that a caller passed the JSON text of a value, or its bytes. Callers in JavaScript have no types.
 *
 * @throws {AppError} `invalid-value` if it is a value instead of its text.
 */
export function assertJsonInput(key: string, json: unknown): asserts json is string | Uint8Array {
  if (typeof json === 'string' || json instanceof Uint8Array) return;
  throw invalidValue(key, 'is not JSON text; putValue() takes values');
}

function invalidValue(key: string, problem: string): FailureError {
  return new FailureError({code: 'invalid-value', key, problems: [{path: '$', problem}]});
}
