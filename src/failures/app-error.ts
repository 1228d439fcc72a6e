import type {Failure} from './failure.ts';
import {FAILURE_TEXTS} from './failure-texts.ts';

/**
 * The only error that callers are expected to catch. Any other error is a defect.
 *
 * @example
 * ```ts
 * import {AppError, openCrewroom} from 'crewroom';
 *
 * const crewroom = await openCrewroom({ephemeral: true});
 * try {
 *   await crewroom.entries.delete('a');
 * } catch (error) {
 *   if (!(error instanceof AppError)) throw error;
 *   if (error.failure.code === 'no-entry') console.log(error.failure.key); // a
 *   console.log(error.message); // Cannot find "a": no entry has this key
 * }
 * await crewroom[Symbol.asyncDispose]();
 * ```
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly failure: Failure;

  /** @param options The cause; and the message, if the failure was received with one. */
  constructor(failure: Failure, options: ErrorOptions & {readonly message?: string} = {}) {
    super(options.message ?? describeFailure(failure), options);
    this.failure = failure;
  }
}

/**
 * Returns a message of one line: the action that failed, the actual state and the expected one.
 *
 * @example
 * ```ts
 * import {describeFailure} from 'crewroom';
 *
 * console.log(describeFailure({code: 'no-entry', key: 'a'})); // Cannot find "a": no entry has this key
 * ```
 */
export function describeFailure(failure: Failure): string {
  // In a bundle for browsers the table has only the failures of the client.
  if (!Object.hasOwn(FAILURE_TEXTS, failure.code)) return failure.code;
  // Each function of the table takes the failure of its code; the compiler cannot correlate the two.
  const describe = FAILURE_TEXTS[failure.code] as (failure: Failure) => string;
  // Errors of the platform, such as those of JSON.stringify(), have messages of several lines.
  return describe(failure).replaceAll(/[\r\n]\s*/g, ' ');
}
