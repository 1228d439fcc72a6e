import {type AnyFailure, type FailureCode, faultOf} from './failure.ts';
import {FailureError} from './failure-error.ts';
import {describeProblem} from './members/problems.ts';
import {findCase} from './rows/rows.ts';
import {oneLine} from './rows/words.ts';

/**
 * The only error that callers are expected to catch. Any other error is a defect.
 *
 * @example
 * ```ts
 * import {AppError, openCrewroom} from 'crewroom';
 *
 * const crewroom = await openCrewroom({store: 'memory'});
 * try {
 *   await crewroom.entries.touch('a', 60);
 * } catch (error) {
 *   if (!AppError.is(error)) throw error;
 *   if (error.failure?.code === 'no-entry') console.log(error.failure.key); // a
 *   console.log(error.message); // Cannot find "a": no entry has this key
 * }
 * await crewroom[Symbol.asyncDispose]();
 * ```
 */
export class AppError extends FailureError<AnyFailure> {
  constructor(failure: AnyFailure, parts: ConstructorParameters<typeof FailureError>[1] = {}) {
    super(failure, {message: describeFailure(failure), ...parts});
  }

  /** Also the error of a client, which does not load all words, is an `AppError`. */
  static override [Symbol.hasInstance](value: unknown): value is AppError {
    return FailureError.is(value);
  }
}

/** Returns whether what was thrown is the failure of a code. */
export function isFailure<C extends FailureCode>(
  error: unknown,
  code: C,
): error is AppError & {readonly failure: Extract<AnyFailure, {code: C}>} {
  return error instanceof AppError && error.failure?.code === code;
}

/**
 * Returns a message of one line: the action that failed, the actual state and the expected one.
 */
export function describeFailure(failure: AnyFailure): string {
  const {text, heading} = wordsOf(failure);
  if (text === undefined && heading === undefined) return failure.code;
  const message = text?.(failure) ?? `${heading?.(failure)}: ${listProblems(failure).join('; ')}`;
  return oneLine(message) + (faultOf(failure) === undefined ? '' : ' (a fault that was switched on to test plugins)');
}

/** Returns the message without its problems; undefined for a failure that has no list of them. */
export function headingOf(failure: AnyFailure): string | undefined {
  return wordsOf(failure).heading?.(failure);
}

/** Words of any failure. */
type Words = {readonly [W in 'text' | 'heading']?: (failure: AnyFailure) => string};

function wordsOf(failure: AnyFailure): Words {
  // The functions of a case take its failures; the compiler cannot correlate the two.
  return (findCase(failure) ?? {}) as Words;
}

/** Describes each problem of a failure, with its place; none for a failure that has no list of them. */
export function listProblems(failure: AnyFailure): readonly string[] {
  if (!('problems' in failure)) return [];
  return failure.problems.map(each => ('path' in each ? describeProblem(each) : `${each.source} ${each.problem}`));
}

/** Creates the failure for a header that is not accepted. */
export function refusedHeader(header: string, problem: string): AppError {
  return new AppError({code: 'invalid-header', header, problem});
}

/** Creates the failure for a setting. @param source Where its value is from, such as a flag. */
export function refusedSetting(setting: string, problem: string, source = setting): AppError {
  return new AppError({code: 'invalid-configuration', problems: [{setting, source, problem}]});
}

/** Creates the failure for an output that cannot be written. @param path The path of the output, or the name that the user gave it. */
export function unwritableOutput(path: string, problem: string, options?: ErrorOptions): AppError {
  return new AppError({code: 'unwritable-output', target: JSON.stringify(path), problem}, options);
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of an error of the operating system or of Node, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error && !FailureError.is(error) ? error.code : undefined;
}
