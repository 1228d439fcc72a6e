import type {Failure, FailureCode} from '../../src/failures/failure.ts';
import {FAILURE_CODES, findRow} from '../../src/failures/rows/rows.ts';

/** One failure of each code, without most members that may be missing: the examples of the rows. */
export const FAILURES = Object.fromEntries(
  FAILURE_CODES.map(code => [code, {code, ...findRow(code)?.example}]),
) as unknown as {
  readonly [C in FailureCode]: Extract<Failure, {code: C}>;
};
