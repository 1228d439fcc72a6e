import type {Failure} from './failure.ts';
import {FailureError} from './failure-error.ts';
import {faultOf} from './fault-mark.ts';
import {describeProblem} from './members/problems.ts';
import {findRow} from './rows/rows.ts';
import {oneLine} from './rows/words.ts';

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
export class AppError extends FailureError {
  /** @param options The cause; and the message, if the failure was received with one. */
  constructor(failure: Failure, options: ErrorOptions & {readonly message?: string} = {}) {
    super(failure, {message: describeFailure(failure), ...options});
  }

  /** Also that of a client, which does not load all words, is an `AppError`. */
  static override [Symbol.hasInstance](value: unknown): value is AppError {
    return value instanceof FailureError;
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
  const {text, heading} = wordsOf(failure);
  if (text === undefined && heading === undefined) return failure.code;
  const message = text?.(failure) ?? `${heading?.(failure)}: ${listProblems(failure).join('; ')}`;
  return oneLine(message) + (faultOf(failure) === undefined ? '' : ' (a fault that was switched on to test plugins)');
}

/** Returns the message without its problems; undefined for a failure that has no list of them. */
export function headingOf(failure: Failure): string | undefined {
  return wordsOf(failure).heading?.(failure);
}

/** Words of any failure. */
type Words = {readonly [W in 'text' | 'heading']?: (failure: Failure) => string};

function wordsOf({code}: Failure): Words {
  // The functions of a row take the failures of its code; the compiler cannot correlate the two.
  return (findRow(code) ?? {}) as Words;
}

/** Describes each problem of a failure, with its place; none for a failure that has no list of them. */
export function listProblems(failure: Failure): readonly string[] {
  if (!('problems' in failure)) return [];
  return failure.problems.map(each => ('path' in each ? describeProblem(each) : `${each.source} ${each.problem}`));
}
