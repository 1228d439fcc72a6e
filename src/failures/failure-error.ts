import type {Failure} from './failure.ts';
import {OWN_WORDS, oneLine} from './rows/words.ts';

/**
 * A failure that was thrown, as clients and the code that they share with the service throw it: they know the words of their own
 * failures only, and get all others from the service.
 */
export class FailureError extends Error {
  override readonly name = 'AppError';
  readonly failure: Failure;

  /** @param options The cause; and the message, if the failure was received with one. */
  constructor(failure: Failure, options: ErrorOptions & {readonly message?: string} = {}) {
    super(options.message ?? describeOwnFailure(failure), options);
    this.failure = failure;
  }
}

/** Returns the message of a failure that a client throws itself; the code of any other. */
export function describeOwnFailure(failure: Failure): string {
  const {code} = failure;
  if (!Object.hasOwn(OWN_WORDS, code)) return code;
  // Each function of the table takes the failure of its code; the compiler cannot correlate the two.
  const describe = OWN_WORDS[code as keyof typeof OWN_WORDS] as (failure: Failure) => string;
  return oneLine(describe(failure));
}
