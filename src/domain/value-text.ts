import {AppError} from './failure.ts';

/** Makes the JSON text of a value. @throws {AppError} `invalid-value` for what has none. */
export function formatValue(key: string, value: unknown): string {
  let problem = 'has no JSON text';
  try {
    // Undefined for what is left out of JSON, whatever its type says.
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    problem += ` (${(error as Error).message})`;
  }
  throw invalidValue(key, problem);
}

/**
 * Checks that a caller gave the JSON text of a value, or its bytes. The type says so, but not every caller has types.
 *
 * @throws {AppError} `invalid-value` for a value itself.
 */
export function assertJsonInput(key: string, json: unknown): asserts json is string | Uint8Array {
  if (typeof json === 'string' || json instanceof Uint8Array) return;
  throw invalidValue(key, 'is a value and not its JSON text, as a string or bytes; putValue() takes values');
}

function invalidValue(key: string, problem: string): AppError {
  return new AppError({code: 'invalid-value', key, problems: [{path: '$', problem}]});
}
