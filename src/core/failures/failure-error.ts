import type {AnyFailure, Failure} from './failure.ts';
import {OWN_WORDS, oneLine} from './rows/words.ts';

/** Marks the errors of every copy of this module: `crewroom` and `crewroom-client` each have one. */
const BRAND = Symbol.for('crewroom.AppError');

interface Branded {
  [BRAND]?: true;
}

/**
 * A failure that was thrown, as clients and the code that they share with the service throw it: they know the words of their own
 * failures only, and get all others from the service.
 */
export class FailureError<F extends AnyFailure = Failure> extends Error {
  override readonly name = 'AppError';
  /** The code as it was sent, also one that this version does not know: newer services have more. */
  readonly code: F['code'] | (string & {});
  /** The failure with its members; undefined if this version does not know its code. */
  readonly failure: F | undefined;
  /** The HTTP status of the answer; absent if the failure did not come in one. */
  declare readonly status?: number;
  /** One line that says what to do, if it is not the usual one of the failure, or as the service sent it. */
  declare readonly advice?: string;
  /** Id of the request in the log of the service; absent if the failure did not come in an answer. */
  declare readonly instance?: string;

  static {
    (FailureError.prototype as Branded)[BRAND] = true;
  }

  /**
   * @param failure The failure, or the code of one that is not known.
   * @param parts What came with the failure, if it was received: its message, the HTTP status of the answer, the id of the request; or advice for this
   * case in place of that for the failure.
   */
  constructor(
    failure: F | string,
    parts: ErrorOptions &
      Partial<Record<'message' | 'advice' | 'instance', string | undefined>> & {
        readonly status?: number | undefined;
      } = {},
  ) {
    const known = typeof failure === 'string' ? undefined : failure;
    super(parts.message ?? (known && describeOwnFailure(known)), parts);
    this.code = known?.code ?? (failure as string);
    this.failure = known;
    if (parts.status) this.status = parts.status;
    if (parts.advice) this.advice = parts.advice;
    if (parts.instance) this.instance = parts.instance;
  }

  /** Returns whether a value is such an error, of any copy of this class: those of `crewroom` and `crewroom-client` know each other's. */
  static is(value: unknown): value is FailureError {
    return !!(value as Branded | undefined)?.[BRAND];
  }
}

/** Creates the failure for a parameter of an operation. */
export function refusedParameter(parameter: string, problem: string): FailureError {
  return new FailureError({code: 'invalid-parameter', parameter, problem});
}

/** Returns the message of a failure that a client throws itself; the code of any other. */
export function describeOwnFailure(failure: AnyFailure): string {
  const {code} = failure;
  if (!Object.hasOwn(OWN_WORDS, code)) return code;
  // Each function of the table takes the failure of its code; the compiler cannot correlate the two.
  const describe = OWN_WORDS[code as keyof typeof OWN_WORDS] as (failure: AnyFailure) => string;
  return oneLine(describe(failure));
}
